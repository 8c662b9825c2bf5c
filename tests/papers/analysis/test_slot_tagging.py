"""Recurrent taggers: distributions over all strings are normalised, and rules are learned."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

from semipunct.corpus.sentences import Sentence, Written
from semipunct.errors import TreebankError
from semipunct.features.strings import SlotStrings
from semipunct.models.kind import Config
from semipunct.models.layers import Dropout
from semipunct.papers.analysis.options import KIND, TaggerOptions, TaggerTrainOptions
from semipunct.papers.analysis.tagger import SlotTagger, TaggerPunctuator, Trivial, scores
from semipunct.training.train import train
from tests.models.punctuation.cases import sentence
from tests.selection import thorough

NETWORKS = ("crf", "attention")
TINY: dict[str, Any] = {"word": 4, "suffix": 2, "tag": 8, "xpos": 2, "hidden": 12}


def planted(tags: str) -> Sentence:
    """A comma follows each word tagged C; a period ends the sentence."""
    upos = list(tags)
    slots = ["", *("," if tag == "C" else "" for tag in upos[:-1]), "."]
    return sentence([0] * len(upos), slots, upos=upos)


TRAINING = [planted("".join(tags)) for tags in itertools.product("CX", repeat=4)]
SHORTER = [planted("".join(tags)) for n in (2, 3) for tags in itertools.product("CX", repeat=n)]
HELD_OUT = [planted("XXCXC"), planted("CCXXC"), planted("X")]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory):
    """Return a tagger for each network, trained with the general training loop."""

    @cache
    def fit(network: str) -> TaggerPunctuator:
        options = TaggerTrainOptions(
            visits=40 * 28, evaluate_every=40 * 14, batch_size=16, learning_rate=0.03, dropout=0.0,
            word_dropout=0.0,
        )  # fmt: skip
        config = Config(KIND, TaggerOptions(network=network, **TINY), options)
        folder = tmp_path_factory.mktemp(network) / "model"
        training = train([*TRAINING, *SHORTER], TRAINING, folder, config=config)
        return TaggerPunctuator(training.model, training.parameters)

    return fit


def test_trivial_is_the_usual_end():
    trivial = Trivial.fit(TRAINING)
    assert trivial.restore(HELD_OUT)[0] == ((), (), (), (), (), (".",))
    (log_p,) = trivial.log_likelihoods([HELD_OUT[2]])
    tags = len(trivial.tags)
    # 16 empty slots and 64 others before the last one, half of the inner ones with a comma.
    spelt = math.exp(trivial.tags.log_evidence([(".",)])[0, -1])
    inner, last = (16 + 24 + 1 / tags) / (64 + 1), (16 + 1 / tags + spelt / tags) / (16 + 1)
    assert log_p == pytest.approx(math.log(inner * last), abs=1e-5)


def test_strings_that_are_no_tags_are_spelt():
    tags = SlotStrings.of(TRAINING)
    assert tags.strings == ((), (",",), (".",))
    evidence = np.exp(tags.log_evidence([(), (",",), (".", "."), ("☃",)]))
    np.testing.assert_array_equal(evidence[:, :-1], [[1, 0, 0], [0, 1, 0], [0] * 3, [0] * 3])
    assert evidence[0, -1] == 0
    assert ((evidence[1:, -1] > 0) & (evidence[1:, -1] < 1)).all()


def test_risk_is_expected_edit_distance():
    tags = SlotStrings.of(TRAINING)
    rows = np.array([[0.55, 0.45, 0, 0], [0.4, 0.3, 0.3, 0], [0.1, 0.2, 0.7, 0]])
    assert tags.least_risk(rows) == [(), (), (".",)]


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(network, marks=() if network == NETWORKS[0] else pytest.mark.exhaustive)
        for network in NETWORKS
    ],
)
def test_likelihoods_are_sums_over_all_taggings(fitted, network: str):
    tagger = fitted(network)
    model, tags = tagger.model, tagger.model.tags
    # Unpadded here, padded in the model.
    sentences = [planted("CX"), sentence([0, 1], [",", ". .", ""], upos=["C", "X"])]
    batch = model.batch(model.encode(sentences), [0, 1])
    words = batch.words._replace(codes=batch.words.codes[:, :, :2])
    score, transition = jax.jit(lambda p, w: scores(model.options, p, w, None))(
        tagger.parameters, words
    )
    score = np.asarray(score, np.float64)
    between = np.zeros((len(tags),) * 2) if transition is None else np.asarray(transition)
    for i, s in enumerate(sentences):
        evidence = np.exp(tags.log_evidence(s.slots).astype(np.float64))
        total = explained = 0.0
        for path in itertools.product(range(len(tags)), repeat=3):
            weight = sum(score[i, slot, tag] for slot, tag in enumerate(path))
            weight += sum(between[a, b] for a, b in itertools.pairwise(path))
            total += math.exp(weight)
            written = math.prod(evidence[slot, tag] for slot, tag in enumerate(path))
            explained += math.exp(weight) * written
        expected = math.log(explained / total)
        assert tagger.log_likelihoods(sentences)[i] == pytest.approx(expected, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("network", ["crf", thorough("attention")])
def test_a_planted_rule_is_learnt(fitted, network: str):
    tagger = fitted(network)
    restored = tagger.restore(HELD_OUT)
    assert [list(slots) for slots in restored] == [list(s.slots) for s in HELD_OUT]
    slots = sum(len(s.slots) for s in HELD_OUT)
    trivial = Trivial.fit(TRAINING).log_likelihoods(HELD_OUT).sum() / slots
    assert tagger.log_likelihoods(HELD_OUT).sum() / slots > trivial / 4


@pytest.mark.parametrize("network", [NETWORKS[0], *map(thorough, NETWORKS[1:])])
def test_padding_and_company_change_nothing(fitted, network: str):
    tagger = fitted(network)
    alone = np.concatenate([tagger.log_likelihoods([s]) for s in HELD_OUT])
    np.testing.assert_allclose(tagger.log_likelihoods(HELD_OUT), alone, rtol=1e-4, atol=1e-5)


@pytest.mark.exhaustive
def test_all_are_punctuators(fitted):
    systems: list[Any] = [Trivial.fit(TRAINING), *map(fitted, NETWORKS)]
    for system in systems:
        assert system.log_likelihoods([]).shape == (0,)
        assert system.restore([]) == []
        assert jnp.isfinite(system.log_likelihoods(HELD_OUT)).all()


@pytest.mark.parametrize("network", NETWORKS)
def test_data_round_trip(network: str):
    model = SlotTagger.fit(TRAINING, TaggerOptions(network=network, **TINY))
    stored = msgspec.json.decode(msgspec.json.encode(model.to_data()))
    again = SlotTagger.from_data(stored, model.options)
    before = model.to_data()
    for tagger in (model, again):
        encoded = tagger.encode(HELD_OUT)
        np.testing.assert_array_equal(encoded.evidence, model.encode(HELD_OUT).evidence)
        np.testing.assert_array_equal(encoded.codes[0], model.encode(HELD_OUT).codes[0])
        # Cached values are not part of the data.
        tagger.tags.least_risk(np.ones((1, len(tagger.tags))))
        assert tagger.to_data() == before
    stored["tags"]["strings"] = [[","]]
    with pytest.raises(ValueError, match="the first string of tags is not empty"):
        SlotTagger.from_data(stored, model.options)


@pytest.mark.parametrize("wrong", [{"stop": 0.0}, {"again": 2.0}, {"first": [1.0]}])
def test_a_spelling_that_is_none_is_refused(wrong):
    """Sampling from a spelling that never stops would not terminate."""
    model = SlotTagger.fit(TRAINING, TaggerOptions())
    data = model.to_data()
    data["tags"]["spelling"] |= wrong
    with pytest.raises(ValueError, match="the spelling"):
        SlotTagger.from_data(data, model.options)


@pytest.mark.exhaustive
def test_each_mask_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch):
    """Two masks with the same key drop the same positions, if layers have the same size."""
    model = SlotTagger.fit(TRAINING, TaggerOptions(network="attention", **TINY))
    batch = model.batch(model.encode(HELD_OUT), range(3))
    keys: list[bytes] = []

    def noted(x: jax.Array, rate: float, key: jax.Array) -> jax.Array:
        keys.append(np.asarray(jax.random.key_data(key)).tobytes())
        return x

    monkeypatch.setattr("semipunct.papers.analysis.tagger.drop_out", noted)
    dropout = Dropout(jax.random.key(0), 0.5, 0.0)
    scores(model.options, model.initial_parameters(0, 0.0), batch.words, dropout)
    assert len(keys) == len(set(keys)) == 3


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "network", [pytest.param("crf", marks=pytest.mark.exhaustive), "attention"]
)
def test_dropout_is_a_matter_of_its_key_alone(network: str):
    model = SlotTagger.fit(TRAINING, TaggerOptions(network=network, **TINY))
    batch = jax.tree.map(jnp.asarray, model.batch(model.encode(HELD_OUT), range(3)))
    weights = jax.tree.map(jnp.asarray, model.initial_parameters(0, 0))

    @partial(jax.jit, static_argnums=(1, 2))
    def likelihoods(key: jax.Array, rate: float, words: float) -> jax.Array:
        return model.log_likelihoods(weights, batch, Dropout(key, rate, words))

    def drawn(seed: int, rate: float = 0.5, words: float = 0.5) -> np.ndarray:
        return np.asarray(likelihoods(jax.random.key(seed), rate, words))

    assert (drawn(1) == drawn(1)).all()
    assert (drawn(1) != drawn(2)).any()
    np.testing.assert_allclose(
        drawn(1, 0.0, 0.0), jax.jit(model.log_likelihoods)(weights, batch), rtol=1e-6
    )
    assert (drawn(1, 0.0, 0.9) != drawn(1, 0.0, 0.0)).any()


def test_words_and_tags_without_a_code_are_told():
    model = SlotTagger.fit(TRAINING, TaggerOptions(**TINY))
    assert model.unseen([planted("CYX")]) == {"upos": {"Y": 1}, "xpos": {"Y": 1}}


def test_an_empty_column_is_no_unseen_tag():
    model = SlotTagger.fit(TRAINING, TaggerOptions(**TINY))
    assert model.unseen([planted("C_X")]) == {"upos": {}, "xpos": {}}


def as_written(sentence_: Sentence, *, comma: str) -> Sentence:
    """Hide the words: a comma is correct where one or another mark was written."""
    slots = tuple((comma,) if slot == (",",) else slot for slot in sentence_.slots)
    hidden = ("X",) * len(sentence_.forms)
    return replace(sentence_, upos=hidden, written=Written(slots))


@pytest.mark.exhaustive
def test_a_tagger_that_reads_what_was_written(tmp_path: Path):
    options = TaggerTrainOptions(
        visits=40 * 28, evaluate_every=40 * 14, batch_size=16, learning_rate=0.03, dropout=0.0,
        word_dropout=0.0,
    )  # fmt: skip
    config = Config(KIND, TaggerOptions(network="crf", written=6, **TINY), options)
    training = [as_written(s, comma=";") for s in (*TRAINING, *SHORTER)]
    outcome = train(training, training, tmp_path / "model", config=config)
    tagger = TaggerPunctuator(outcome.model, outcome.parameters)
    held_out = [as_written(s, comma=";") for s in HELD_OUT]
    assert tagger.correct(held_out) == [s.slots for s in HELD_OUT]
    # Unknown marks are left unchanged.
    (_, *last), *_ = (s.slots for s in HELD_OUT[-1:])
    odd = replace(HELD_OUT[-1], written=Written((("¿",), *last)))
    assert tagger.correct([odd]) == [(("¿",), *last)]
    with pytest.raises(TreebankError, match="train it with --corrected"):
        outcome.model.encode(HELD_OUT)
    again = SlotTagger.from_data(
        msgspec.json.decode(msgspec.json.encode(outcome.model.to_data())), outcome.model.options
    )
    assert again.vocabulary == outcome.model.vocabulary


@pytest.mark.parametrize("network", NETWORKS)
def test_slots_within_orthographic_words_are_certainly_empty(fitted: Any, network: str):
    tagger = fitted(network)
    whole = planted("CCX")
    shut = replace(whole, slots=((), (), *whole.slots[2:]), closed=frozenset({1}))
    assert tagger.restore([whole, shut]) == [whole.slots, shut.slots]
    # The probabilities of all ways to fill the other slots sum to one, as without closed slots.
    strings = [(), (",",), (".",)]
    ways = [replace(shut, slots=((), (), x, y)) for x in strings for y in strings]
    ways = [replace(way, slots=(z, *way.slots[1:])) for way in ways for z in strings]
    assert 0.9 < np.exp(tagger.log_likelihoods(ways)).sum() < 1 + 1e-5
    trivial = Trivial.fit(TRAINING)
    assert trivial.log_likelihoods([shut]) > trivial.log_likelihoods(
        [replace(shut, closed=frozenset())]
    )
