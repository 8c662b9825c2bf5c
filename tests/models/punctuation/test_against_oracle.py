"""The whole model compared with the brute-force oracle, in every semiring and direction."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from semipunct.corpus import Sentence
from semipunct.models.punctuation.model import PunctuationModel
from semirings import Derivation, Log, Real, Semiring
from tests.models.punctuation.cases import (
    DIRECTIONS,
    SENTENCES,
    Answer,
    Parameters,
    ask,
    log,
    model,
    oracle_derivations,
    parameter_gradient,
    potentials_of,
    sentence,
    tables,
)
from tests.oracle import Derivation as Found
from tests.oracle import best, pair_marginals, total

DRAW = (1, 0.5)
"""Seed and scale of the random parameters."""

Case = tuple[PunctuationModel, Parameters, list[list[Found]]]


@cache
def case(direction: str) -> Case:
    m = model(direction)
    parameters = m.initial_parameters(*DRAW)
    return m, parameters, oracle_derivations(m, parameters, SENTENCES)


def answers(
    m: PunctuationModel,
    parameters: Parameters,
    semiring: Semiring,
    sentences: tuple[Sentence, ...] = SENTENCES,
) -> Answer:
    """Return the results of a semiring without padding, after checking the padding."""
    answer = ask(potentials_of(m, parameters, sentences), semiring)
    words = sum(len(s.tree.heads) for s in sentences)
    assert np.isfinite(answer.choice).all()
    assert all(np.isfinite(table).all() for table in answer.edits)
    # Padding consists of no sentences and no words, with only the empty derivation.
    np.testing.assert_array_equal(answer.log_weight[len(sentences) :], 0.0)
    np.testing.assert_array_equal(answer.choice[words:], 0.0)
    expected = answer.expected
    if expected is not None:
        np.testing.assert_array_equal(expected[len(sentences) :], 0.0)
        expected = expected[: len(sentences)]
    return Answer(
        answer.log_weight[: len(sentences)], expected, answer.choice[:words], answer.edits
    )


@pytest.mark.parametrize(
    "direction, semiring", [*((d, Real()) for d in DIRECTIONS), ("l2r", Log())], ids=str
)
def test_totals_and_marginals_are_the_oracles(direction: str, semiring: Semiring):
    m, parameters, derivations = case(direction)
    assert max(map(len, derivations)) > (20 if direction == "none" else 500)
    answer = answers(m, parameters, semiring)
    expected = [log(total(f)) for f in derivations]
    np.testing.assert_allclose(answer.log_weight, expected, rtol=1e-5, atol=1e-5)
    marginals = tables(m, SENTENCES, [pair_marginals(f) for f in derivations])
    np.testing.assert_allclose(answer.choice, marginals, atol=2e-5)
    np.testing.assert_allclose(answer.choice.sum(1), 1.0, atol=2e-5)


def test_best_scores_are_the_oracles():
    m, parameters, derivations = case("l2r")
    answer = answers(m, parameters, Derivation())
    score, gradient = answer.log_weight, np.asarray(answer.choice)
    np.testing.assert_allclose(score, [log(best(f).probability) for f in derivations], atol=2e-5)
    assert set(np.unique(gradient)) <= {0.0, 1.0}
    np.testing.assert_array_equal(gradient.sum(1), 1.0)
    start = 0
    for f in derivations:
        almost = best(f).probability * (1 - 1e-4)
        winners = [d.pairs for d in f if d.probability > almost]
        chosen = np.argmax(gradient[start : start + len(winners[0])], 1)
        assert tuple(m.inventory.pair_name(c) for c in chosen) in winners
        start += len(winners[0])


def test_the_parameter_gradient_is_a_difference_of_oracle_totals():
    m, parameters, _ = case("r2l")
    three = SENTENCES[1:4]
    gradient = parameter_gradient(m, parameters, three, answers(m, parameters, Real(), three))
    generator = np.random.default_rng(5)
    direction = {k: generator.normal(size=v.shape) for k, v in parameters.items()}
    step = 2e-2

    def value(sign: float) -> float:
        moved = {
            k: (v + sign * step * direction[k]).astype(np.float32) for k, v in parameters.items()
        }
        return sum(log(total(f)) for f in oracle_derivations(m, moved, three))

    difference = (value(+1) - value(-1)) / (2 * step)
    slope = sum(float(np.sum(gradient[k] * direction[k])) for k in parameters)
    assert slope == pytest.approx(difference, rel=5e-3)


@st.composite
def small_sentences(draw: st.DrawFn) -> Sentence:
    """Three words in any projective tree, at most four tokens, the last slot seldom empty."""
    heads = draw(
        st.sampled_from(
            [
                [0, 1, 2], [0, 1, 1], [0, 3, 1], [2, 0, 2], [2, 3, 0], [3, 1, 0], [3, 3, 0]
            ]
        )
    )  # fmt: skip
    token = st.sampled_from([",", ".", "“", "”", ";"])
    slots = draw(st.lists(st.lists(token, max_size=2), min_size=4, max_size=4))
    assume(sum(map(len, slots)) <= 4)
    return sentence(heads, [" ".join(slot) for slot in slots])


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    st.lists(small_sentences(), min_size=4, max_size=4),
    st.integers(0, 1000),
    st.sampled_from([0.3, 1.0, 2.0]),
    st.sampled_from(["l2r", "r2l"]),
)
def test_any_small_sentences(drawn: list[Sentence], seed: int, scale: float, direction: str):
    m = model(direction)
    parameters = m.initial_parameters(seed, scale)
    derivations = oracle_derivations(m, parameters, drawn)
    # Fixed sentences are added, so that the padded shapes equal the shapes of other tests.
    sentences = (*drawn, *SENTENCES[1:])
    log_p = answers(m, parameters, Real(), sentences).log_weight
    score = answers(m, parameters, Derivation(), sentences).log_weight
    expected = [log(total(f)) for f in derivations]
    np.testing.assert_allclose(log_p[:4], expected, rtol=1e-5, atol=1e-5)
    assert all(map(math.isfinite, expected)), "every surface string has positive probability"
    np.testing.assert_allclose(
        score[:4], [log(best(f).probability) for f in derivations], atol=5e-5
    )
