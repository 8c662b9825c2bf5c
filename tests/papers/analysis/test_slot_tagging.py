"""Slot taggers: likelihoods against a list of all taggings, the planted rule, and correction."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import jax
import msgspec
import numpy as np
import pytest

from semipunct.corpus.sentences import Sentence, Written
from semipunct.errors import TreebankError
from semipunct.features.strings import SlotStrings
from semipunct.models.kind import Config
from semipunct.papers.analysis.options import KIND, TaggerOptions, TaggerTrainOptions
from semipunct.papers.analysis.tagger import SlotTagger, TaggerPunctuator, Trivial, scores
from semipunct.training.train import train
from tests.models.punctuation.cases import sentence

TINY: dict[str, Any] = {"word": 4, "suffix": 2, "tag": 8, "xpos": 2, "hidden": 12}


def planted(tags: str) -> Sentence:
    """A comma follows each C, except at the end, where there is a period."""
    upos = list(tags)
    slots = ["", *("," if tag == "C" else "" for tag in upos[:-1]), "."]
    return sentence([0] * len(upos), slots, upos=upos)


TRAINING = [planted("".join(tags)) for tags in itertools.product("CX", repeat=4)]
SHORTER = [planted("".join(tags)) for n in (2, 3) for tags in itertools.product("CX", repeat=n)]
HELD_OUT = [planted("XXCXC"), planted("CCXXC"), planted("X")]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TaggerPunctuator:
    """A tagger that reads what was written, trained on sentences of which each is right."""
    options = TaggerTrainOptions(
        visits=40 * 28, evaluate_every=40 * 28, batch_size=16, learning_rate=0.03, dropout=0.05,
        word_dropout=0.05,
    )  # fmt: skip
    config = Config(KIND, TaggerOptions(network="crf", written=6, **TINY), options)
    folder = tmp_path_factory.mktemp("crf") / "model"
    examples = [as_written(s, comma=";") for s in (*TRAINING, *SHORTER)]
    training = train(examples, examples, folder, config=config)
    return TaggerPunctuator(training.model, training.parameters)


def as_written(sentence_: Sentence, *, comma: str) -> Sentence:
    slots = tuple((comma,) if slot == (",",) else slot for slot in sentence_.slots)
    hidden = ("X",) * len(sentence_.forms)
    return replace(sentence_, upos=hidden, written=Written(slots))


def test_trivial_is_the_usual_end():
    trivial = Trivial.fit(TRAINING)
    assert trivial.restore(HELD_OUT)[0] == ((), (), (), (), (), (".",))
    (log_p,) = trivial.log_likelihoods([HELD_OUT[2]])
    tags = len(trivial.tags)
    # 16 empty slots and 64 others before the last one, half of the inner ones with a comma.
    spelt = math.exp(trivial.tags.log_evidence([(".",)])[0, -1])
    inner, last = (16 + 24 + 1 / tags) / (64 + 1), (16 + 1 / tags + spelt / tags) / (16 + 1)
    assert log_p == pytest.approx(math.log(inner * last), abs=1e-5)


def test_strings_that_are_no_tags_are_spelt_and_risk_is_edit_distance():
    tags = SlotStrings.of(TRAINING)
    assert tags.strings == ((), (",",), (".",))
    evidence = np.exp(tags.log_evidence([(), (",",), (".", "."), ("☃",)]))
    np.testing.assert_array_equal(evidence[:, :-1], [[1, 0, 0], [0, 1, 0], [0] * 3, [0] * 3])
    assert evidence[0, -1] == 0
    assert ((evidence[1:, -1] > 0) & (evidence[1:, -1] < 1)).all()
    rows = np.array([[0.55, 0.45, 0, 0], [0.4, 0.3, 0.3, 0], [0.1, 0.2, 0.7, 0]])
    assert tags.least_risk(rows) == [(), (), (".",)]


@pytest.mark.parametrize("network", ["crf", "attention"])
def test_likelihoods_are_sums_over_all_taggings(network: str):
    """Also of slots that are certainly empty, and of sentences with others that are longer."""
    model = SlotTagger.fit(TRAINING, TaggerOptions(network=network, **TINY))
    tagger = TaggerPunctuator(model, model.initial_parameters(1, 1.0))
    plain = [planted("CX"), sentence([0, 1], [",", ". .", ""], upos=["C", "X"])]
    shut = replace(planted("CX"), slots=((), (), (".",)), closed=frozenset({1}))
    sentences = [*plain, shut]
    batch = model.batch(model.encode(sentences), [0, 1, 2])
    # Unpadded here, padded in the model.
    words = batch.words._replace(codes=batch.words.codes[:, :, :2])
    score, transition = jax.jit(lambda p, w: scores(model.options, p, w, None))(
        tagger.parameters, words
    )
    score = np.asarray(score, np.float64)
    tags = model.tags
    between = np.zeros((len(tags),) * 2) if transition is None else np.asarray(transition)
    found = tagger.log_likelihoods([*sentences, planted("XXCXCCX")])
    for i, s in enumerate(sentences):
        evidence = np.exp(tags.log_evidence(s.slots).astype(np.float64))
        total = explained = 0.0
        for path in itertools.product(range(len(tags)), repeat=3):
            if any(path[slot] for slot in s.closed):
                continue
            weight = sum(score[i, slot, tag] for slot, tag in enumerate(path))
            weight += sum(between[a, b] for a, b in itertools.pairwise(path))
            total += math.exp(weight)
            written = math.prod(evidence[slot, tag] for slot, tag in enumerate(path))
            explained += math.exp(weight) * written
        expected = math.log(explained / total)
        assert found[i] == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_a_planted_rule_is_learnt_and_corrects(trained: TaggerPunctuator):
    held_out = [as_written(s, comma=";") for s in HELD_OUT]
    assert trained.correct(held_out) == [s.slots for s in HELD_OUT]
    # Unknown marks are left unchanged.
    (_, *last), *_ = (s.slots for s in HELD_OUT[-1:])
    odd = replace(HELD_OUT[-1], written=Written((("¿",), *last)))
    assert trained.correct([odd]) == [(("¿",), *last)]
    slots = sum(len(s.slots) for s in HELD_OUT)
    trivial = Trivial.fit(TRAINING).log_likelihoods(HELD_OUT).sum() / slots
    assert trained.log_likelihoods(held_out).sum() / slots > trivial / 4
    with pytest.raises(TreebankError, match="train it with --corrected"):
        trained.model.encode(HELD_OUT)


@pytest.mark.parametrize("network", ["crf", "attention"])
def test_data_round_trip(network: str):
    model = SlotTagger.fit(TRAINING, TaggerOptions(network=network, **TINY))
    stored = msgspec.json.decode(msgspec.json.encode(model.to_data()))
    again = SlotTagger.from_data(stored, model.options)
    before, encoded = model.to_data(), again.encode(HELD_OUT)
    np.testing.assert_array_equal(encoded.evidence, model.encode(HELD_OUT).evidence)
    np.testing.assert_array_equal(encoded.codes[0], model.encode(HELD_OUT).codes[0])
    # Cached values are not part of the data.
    again.tags.least_risk(np.ones((1, len(again.tags))))
    assert again.to_data() == before
    for part, wrong in (
        ("strings", [[","]]), ("spelling", stored["tags"]["spelling"] | {"stop": 0.0}),
    ):  # fmt: skip
        damaged = {**stored, "tags": {**stored["tags"], part: wrong}}
        with pytest.raises(ValueError, match=r"first string of tags is not empty|the spelling"):
            SlotTagger.from_data(damaged, model.options)


def test_words_and_tags_without_a_code_are_told():
    model = SlotTagger.fit(TRAINING, TaggerOptions(**TINY))
    assert model.unseen([planted("CYX")]) == {"upos": {"Y": 1}, "xpos": {"Y": 1}}
    assert model.unseen([planted("C_X")]) == {"upos": {}, "xpos": {}}
