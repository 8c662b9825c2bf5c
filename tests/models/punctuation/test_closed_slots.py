"""Slots within orthographic words: empty with certainty, by every route, and never counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semipunct.corpus import Sentence
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.sampler import generate
from tests.models.punctuation.cases import (
    Parameters,
    known_slots,
    model,
    oracle_channel,
    oracle_choices,
    sentence,
)
from tests.oracle import Pair, best, constituent_slots, derivations, total

OPEN = (
    sentence([3, 3, 0], ["", "", "", "."], ["case", "det", "root"]),
    sentence([2, 0, 2, 3], ["“", "", "”", "", "."], ["dep", "root", "appos", "dep"]),
    sentence([3, 1, 0, 5, 3], ["", "", "", "", ",", "."]),
)
CLOSED = ({1}, {3}, {1, 2, 4})


def closed() -> list[Sentence]:
    pairs = zip(OPEN, CLOSED, strict=True)
    emptied = (
        (s, slots, tuple(() if i in slots else x for i, x in enumerate(s.slots)))
        for s, slots in pairs
    )
    return [replace(s, slots=strings, closed=frozenset(slots)) for s, slots, strings in emptied]


def masked(s: Sentence, choices: Sequence[Mapping[Pair, float]]) -> list[dict[Pair, float]]:
    """Exclude the pairs with a puncteme in a closed slot, and renormalise at each word."""
    masked_choices: list[dict[Pair, float]] = []
    for (left, right), choice in zip(constituent_slots(s.tree.heads), choices, strict=True):
        possible = {
            (a, b): p
            for (a, b), p in choice.items()
            if not (a and left in s.closed) and not (b and right in s.closed)
        }
        share = math.fsum(possible.values())
        masked_choices.append({pair: p / share for pair, p in possible.items()})
    return masked_choices


def case(channel: str) -> tuple[PunctuationModel, Parameters, list[list[dict[Pair, float]]]]:
    m = model(channel)
    parameters = m.initial_parameters(1, 0.7)
    unmasked = oracle_choices(m, parameters, [replace(s, closed=frozenset()) for s in closed()])
    return m, parameters, [masked(s, of) for s, of in zip(closed(), unmasked, strict=True)]


def test_likelihood_and_best_analysis_are_those_of_the_oracle():
    m, parameters, choices = case("r2l")
    sentences = closed()
    listed = [
        derivations(
            s.tree.heads,
            choice,
            oracle_channel(m, parameters),
            known_slots(m, s),
            initial_mark=True,
            final_mark=m.options.final_mark,
        )
        for s, choice in zip(sentences, choices, strict=True)
    ]
    scores = corpus_log_likelihood(m, parameters, sentences)
    np.testing.assert_allclose(scores, [math.log(total(of)) for of in listed], rtol=1e-5)
    # Without the mask the same surfaces are less probable: their empty slots must be predicted.
    without = corpus_log_likelihood(
        m, parameters, [replace(s, closed=frozenset()) for s in sentences]
    )
    assert (scores > without + 1e-3).all()
    for analysis, of in zip(decode.best(m, parameters, sentences), listed, strict=True):
        assert analysis is not None
        assert analysis.pairs == best(of).pairs


def test_a_relation_with_other_pairs_only_still_has_the_empty_one():
    """With hard sets a relation allows the pairs seen with it; at a closed slot none may remain."""
    m = model("none", hard_sets=True)
    heads, relations = [2, 0], ["advmod", "root"]
    s = sentence(heads, ["", "", "."], relations)
    shut = replace(s, closed=frozenset({1}))
    scores = corpus_log_likelihood(m, m.initial_parameters(0, 0.0), [shut])
    assert np.isfinite(scores).all()
    (draws,) = generate(m, m.initial_parameters(0, 0.0), [shut], 20, seed=1)
    assert {draws.strings[1][i] for i in draws.chosen[:, 1]} == {()}


def test_closed_slots_are_not_counted():
    assert [s.choices for s in closed()] == [3, 4, 3]
    batch = model("none").batch(model("none").encode(closed()), [0, 1, 2])
    assert batch.slots[:3].tolist() == [3, 4, 3]
    assert model("none").batch(model("none").encode(OPEN), [0, 1, 2]).closed is None
