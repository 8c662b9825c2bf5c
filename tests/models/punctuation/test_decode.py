"""Best analyses, samples and likelihoods compared with the brute-force oracle."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from semipunct.marks import with_boundaries
from semipunct.models.punctuation.decode import Analysis, best, corpus_log_likelihood, sample
from semipunct.models.punctuation.decode import best_of as few
from semipunct.models.punctuation.model import PunctuationModel
from tests.models.punctuation.cases import (
    SENTENCES,
    model,
    oracle_derivations,
)
from tests.models.punctuation.frequencies import pvalue
from tests.oracle import best as most_probable
from tests.oracle import posterior, total, underlying_slots

DRAWS = 60
"""Without compiler optimisations, one draw is slower than a best analysis of all sentences."""


@pytest.fixture(scope="module", autouse=True)
def _small_batches() -> Iterator[None]:
    """Pad batches to the actual number of sentences: otherwise most of the work is padding."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PunctuationModel, "scoring_limits", (len(SENTENCES), 512))
        yield


@cache
def case():
    m = model("r2l")
    parameters = m.initial_parameters(11, 1.0)
    return m, parameters, oracle_derivations(m, parameters, SENTENCES)


@cache
def best_of() -> list[Analysis | None]:
    m, parameters, _ = case()
    return best(m, parameters, SENTENCES)


@cache
def samples_of() -> list[list[Analysis]]:
    m, parameters, _ = case()
    return sample(m, parameters, SENTENCES, DRAWS, 5)


def test_the_best_analysis_is_the_most_probable_derivation():
    _, _, derivations = case()
    for analysis, f in zip(best_of(), derivations, strict=True):
        assert analysis is not None
        winner = most_probable(f).probability
        winners = [d for d in f if d.probability > winner * (1 - 1e-4)]
        edit_names = tuple(tuple(e.name for e in slot.edits) for slot in analysis.slots)
        assert (analysis.pairs, edit_names) in [(d.pairs, d.edits) for d in winners]


def test_probabilities_of_analyses():
    """log p(T', x | T) sums over edits; the posterior divides it by p(x | T)."""
    _, _, derivations = case()
    for i, f in enumerate(derivations):
        evidence, by_pairs = total(f), posterior(f)
        for analysis in (best_of()[i], *samples_of()[i][:20]):
            assert analysis is not None
            expected = math.log(by_pairs[analysis.pairs])
            assert analysis.log_posterior == pytest.approx(expected, abs=1e-4)
            assert analysis.log_joint == pytest.approx(expected + math.log(evidence), abs=1e-4)


def test_samples_follow_the_posterior():
    _, _, derivations = case()
    for analyses, f in zip(samples_of(), derivations, strict=True):
        assert len(analyses) == DRAWS
        counts = Counter(a.pairs for a in analyses)
        expected = posterior(f)
        assert set(counts) <= set(expected)
        assert pvalue(counts, expected, DRAWS) > 1e-4


def test_slots_tell_how_they_came_about():
    m, _, _ = case()
    for s, analysis in zip(SENTENCES, best_of(), strict=True):
        assert analysis is not None
        assert analysis.sentence is s
        final = m.options.final_mark
        strings = underlying_slots(s.tree.heads, analysis.pairs, True, final)
        shown = with_boundaries(s.slots, final=final)
        for slot, string, surface in zip(analysis.slots, strings, shown, strict=True):
            assert (slot.underlying, slot.surface) == (string, surface)
            assert len(slot.edits) == max(0, len(string) - 1)


def test_a_sentence_without_an_analysis_has_none():
    m, parameters, _ = case()
    # Without the open puncteme the inventory does not cover some of the sentences.
    is_open = np.array([("<open>",) in m.inventory.pair_name(p)
                        for p in range(len(m.inventory.pairs))])  # fmt: skip
    closed = dict(parameters)
    closed["attach.relation"] = np.where(is_open, -np.inf, parameters["attach.relation"])
    possible = [bool(f) for f in oracle_derivations(m, closed, SENTENCES)]
    assert not all(possible)
    assert any(possible)
    assert [a is not None for a in best(m, closed, SENTENCES)] == possible
    assert [len(a) == DRAWS for a in sample(m, closed, SENTENCES, DRAWS, 0)] == possible
    assert np.isfinite(corpus_log_likelihood(m, closed, SENTENCES)).tolist() == possible


def test_no_sentences_no_answers():
    m, parameters, _ = case()
    assert best(m, parameters, []) == []
    assert sample(m, parameters, [], 3, 0) == []
    assert corpus_log_likelihood(m, parameters, []).shape == (0,)


def test_the_best_few_are_the_most_probable_derivations():
    """They are sorted by best derivation; derivations that differ in edits alone are merged."""
    m, parameters, derivations = case()
    for analyses, f in zip(few(m, parameters, SENTENCES, 2), derivations, strict=True):
        by_pairs: dict[object, float] = {}
        for derivation in sorted(f, key=lambda d: -d.probability)[:4]:
            by_pairs.setdefault(derivation.pairs, derivation.probability)
        probabilities = [max(d.probability for d in f if d.pairs == a.pairs) for a in analyses]
        assert len({a.pairs for a in analyses}) == len(analyses)
        np.testing.assert_allclose(probabilities, list(by_pairs.values())[:2], rtol=1e-4)
