"""Slot taggers: likelihoods as sums over all taggings, and stored data."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import jax
import msgspec
import numpy as np
import pytest

from semipunct.corpus.sentences import Sentence
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.papers.analysis.options import TaggerOptions, TaggerTrainOptions
from semipunct.papers.analysis.tagger import SlotTagger, scores
from tests.models.punctuation.cases import sentence

TINY: dict[str, Any] = {"word": 4, "suffix": 2, "tag": 8, "xpos": 2, "hidden": 12}


def planted(tags: str) -> Sentence:
    """A comma follows each C, except at the end, where there is a period."""
    upos = list(tags)
    slots = ["", *("," if tag == "C" else "" for tag in upos[:-1]), "."]
    return sentence([0] * len(upos), slots, upos=upos)


TRAINING = [planted("".join(tags)) for tags in itertools.product("CX", repeat=4)]
HELD_OUT = [planted("XXCXC"), planted("CCXXC"), planted("X")]


@pytest.mark.parametrize("network", ["crf", "attention"])
def test_likelihoods_are_sums_over_all_taggings(network: str):
    """Also of slots that are certainly empty, and of sentences with others that are longer."""
    model = SlotTagger.fit(TRAINING, TaggerOptions(network=network, **TINY))
    weights = model.initial_parameters(1, 1.0)
    plain = [planted("CX"), sentence([0, 1], [",", ". .", ""], upos=["C", "X"])]
    shut = replace(planted("CX"), slots=((), (), (".",)), closed=frozenset({1}))
    sentences = [*plain, shut]
    batch = model.batch(model.encode(sentences), [0, 1, 2])
    # Unpadded here, padded in the model.
    words = batch.words._replace(codes=batch.words.codes[:, :, :2])
    score, transition = jax.jit(lambda p, w: scores(model.options, p, w, None))(weights, words)
    score = np.asarray(score, np.float64)
    tags = model.tags
    between = np.zeros((len(tags),) * 2) if transition is None else np.asarray(transition)
    encoded = model.encode([*sentences, planted("XXCXCCX")])
    found = log_likelihoods(model, weights, Batches(model, encoded))
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
    padded, options = model.batch(model.encode(sentences), [0, 1, 2], 5), TaggerTrainOptions()
    silent = replace(options, dropout=0.0, word_dropout=0.0)
    loss, _ = jax.jit(lambda p: model.loss(p, {}, padded, jax.random.key(0), silent))(weights)
    assert loss == pytest.approx(-found[:3].sum() / 8, rel=1e-3)  # the open slots


def test_data_round_trip():
    model = SlotTagger.fit(TRAINING, TaggerOptions(**TINY))
    stored = msgspec.json.decode(msgspec.json.encode(model.to_data()))
    again = SlotTagger.from_data(stored, model.options)
    before, encoded = model.to_data(), again.encode(HELD_OUT)
    np.testing.assert_array_equal(encoded.evidence, model.encode(HELD_OUT).evidence)
    np.testing.assert_array_equal(encoded.codes[0], model.encode(HELD_OUT).codes[0])
    assert again.to_data() == before
    for part, wrong in (
        ("strings", [[","]]), ("spelling", stored["tags"]["spelling"] | {"stop": 0.0}),
    ):  # fmt: skip
        damaged = {**stored, "tags": {**stored["tags"], part: wrong}}
        with pytest.raises(ValueError, match=r"first string of tags is not empty|the spelling"):
            SlotTagger.from_data(damaged, model.options)
