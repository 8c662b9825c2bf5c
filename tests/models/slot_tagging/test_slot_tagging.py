"""The competitors: proper distributions over all strings, and able to learn."""

from __future__ import annotations

import itertools
import math
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.models.slot_tagging.networks import Sizes
from semipunct.models.slot_tagging.tagger import FitOptions, Kind, Tagger
from semipunct.models.slot_tagging.tags import Tags
from semipunct.models.slot_tagging.trivial import Trivial
from semipunct.tasks.base import Punctuator
from tests.models.punctuation.cases import sentence

KINDS: tuple[Kind, ...] = ("crf", "attention")
TINY = Sizes(word=4, suffix=2, tag=8, hidden=12, dropout=0.0, word_dropout=0.0)


def planted(tags: str) -> Sentence:
    """A comma follows each word tagged C; a period ends the sentence."""
    upos = list(tags)
    slots = ["", *("," if tag == "C" else "" for tag in upos[:-1]), "."]
    return sentence([0] * len(upos), slots, upos=upos)


TRAINING = [planted("".join(tags)) for tags in itertools.product("CX", repeat=4)]
SHORTER = [planted("".join(tags)) for n in (2, 3) for tags in itertools.product("CX", repeat=n)]
HELD_OUT = [planted("XXCXC"), planted("CCXXC"), planted("X")]


@cache
def fitted(kind: Kind) -> Tagger:
    options = FitOptions(epochs=40, batch_size=16, learning_rate=0.03, sizes=TINY)
    return Tagger.fit(kind, [*TRAINING, *SHORTER], TRAINING, options)


def test_trivial_is_the_usual_end():
    trivial = Trivial.fit(TRAINING)
    assert trivial.restore(HELD_OUT)[0] == ((), (), (), (), (), (".",))
    (log_p,) = trivial.log_likelihoods([HELD_OUT[2]])
    tags = len(trivial.tags)
    # 16 empty slots and 64 others before the last, half of the inner ones with a comma.
    spelt = math.exp(trivial.tags.log_evidence([(".",)])[0, -1])
    inner, last = (16 + 24 + 1 / tags) / (64 + 1), (16 + 1 / tags + spelt / tags) / (16 + 1)
    assert log_p == pytest.approx(math.log(inner * last), abs=1e-5)


def test_strings_that_are_no_tags_are_spelt():
    tags = Tags.of(TRAINING)
    assert tags.strings == ((), (",",), (".",))
    evidence = np.exp(tags.log_evidence([(), (",",), (".", "."), ("☃",)]))
    np.testing.assert_array_equal(evidence[:, :-1], [[1, 0, 0], [0, 1, 0], [0] * 3, [0] * 3])
    assert evidence[0, -1] == 0
    assert ((evidence[1:, -1] > 0) & (evidence[1:, -1] < 1)).all()


def test_risk_is_expected_edit_distance():
    tags = Tags.of(TRAINING)
    rows = np.array([[0.55, 0.45, 0, 0], [0.4, 0.3, 0.3, 0], [0.1, 0.2, 0.7, 0]])
    assert tags.least_risk(rows) == [(), (), (".",)]


@pytest.mark.parametrize("kind", KINDS)
def test_likelihoods_are_sums_over_all_taggings(kind: Kind):
    tagger = fitted(kind)
    # Unpadded here, padded there.
    sentences = [planted("CX"), sentence([0, 1], [",", ". .", ""], upos=["C", "X"])]
    words = tagger.codes.words(sentences, 2, 2)
    score, transition = tagger.network(words, None)
    score = np.asarray(score, np.float64)
    between = np.zeros((len(tagger.tags),) * 2) if transition is None else np.asarray(transition)
    for i, s in enumerate(sentences):
        evidence = np.exp(tagger.tags.log_evidence(s.slots).astype(np.float64))
        total = explained = 0.0
        for path in itertools.product(range(len(tagger.tags)), repeat=3):
            weight = sum(score[i, slot, tag] for slot, tag in enumerate(path))
            weight += sum(between[a, b] for a, b in itertools.pairwise(path))
            total += math.exp(weight)
            written = math.prod(evidence[slot, tag] for slot, tag in enumerate(path))
            explained += math.exp(weight) * written
        expected = math.log(explained / total)
        assert tagger.log_likelihoods(sentences)[i] == pytest.approx(expected, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_rule_is_learnt(kind: Kind):
    tagger = fitted(kind)
    restored = tagger.restore(HELD_OUT)
    assert [list(slots) for slots in restored] == [list(s.slots) for s in HELD_OUT]
    slots = sum(len(s.slots) for s in HELD_OUT)
    trivial = Trivial.fit(TRAINING).log_likelihoods(HELD_OUT).sum() / slots
    assert tagger.log_likelihoods(HELD_OUT).sum() / slots > trivial / 4


@pytest.mark.parametrize("kind", KINDS)
def test_padding_and_company_change_nothing(kind: Kind):
    tagger = fitted(kind)
    alone = np.concatenate([tagger.log_likelihoods([s]) for s in HELD_OUT])
    np.testing.assert_allclose(tagger.log_likelihoods(HELD_OUT), alone, rtol=1e-4, atol=1e-5)


def test_all_are_punctuators():
    systems: list[Punctuator] = [Trivial.fit(TRAINING), *map(fitted, KINDS)]
    for system in systems:
        assert system.log_likelihoods([]).shape == (0,)
        assert system.restore([]) == []
        assert jnp.isfinite(system.log_likelihoods(HELD_OUT)).all()
