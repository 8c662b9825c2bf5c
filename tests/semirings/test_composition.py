"""Composite semirings compared with the enumeration of all derivations of a small expression.

The expression is a row times two matrices, summed: 27 derivations, each the product of three
weights. Some weights are zero, some derivations tie, and in one case there is none.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures.chain import ChainParts, LinearChain, linear_chain
from semirings import Derivation, Expectation, Log, Real, Semiring, Value
from semirings.boolean import Boolean
from semirings.counting import Counting
from semirings.divergence import Divergence
from semirings.expectation import Covariance
from semirings.kbest import KBest
from semirings.product import Product
from semirings.provenance import Provenance
from semirings.risk import Risk
from semirings.tropical import Tropical
from tests.semirings.strings import Strings

INF = np.inf
CASES, SIZE = 6, 3
PARTS = SIZE + 2 * SIZE * SIZE
IMPOSSIBLE = 3
K = 4
# The derivation (i, j, k) in the order of the summands: the last sum is over k, the first over i.
PATHS = [(i, j, k) for k, j, i in itertools.product(range(SIZE), repeat=3)]
USES = np.zeros((len(PATHS), PARTS))
for path, (i, j, k) in enumerate(PATHS):
    USES[path, [i, 3 + 3 * i + j, 12 + 3 * j + k]] = 1.0


def some_weights(seed: int) -> np.ndarray:
    """Return ``[cases, parts]``; case 2 has one derivation, case 3 none, case 4 only ties."""
    generator = np.random.default_rng(seed)
    weights = generator.normal(size=(CASES, PARTS)) * 2
    weights[1, generator.permutation(PARTS)[:6]] = -INF
    weights[2, [0, 2, 6, 7, 18, 20]] = -INF
    weights[IMPOSSIBLE, :3] = -INF
    weights[4] = generator.integers(0, 2, PARTS)
    weights[4, [1, 12]] = -INF
    weights[5] *= 30
    return weights.astype(np.float32)


WEIGHTS = some_weights(0)
FIRST = np.random.default_rng(1).integers(-2, 3, (CASES, PARTS)).astype(np.float32)
SECOND = np.random.default_rng(2).normal(size=(CASES, PARTS)).astype(np.float32)


class Enumerated(NamedTuple):
    """Results of enumeration, in double precision: ``[cases, paths]`` and ``[cases]``."""

    scores: np.ndarray
    log_total: np.ndarray
    probability: np.ndarray


def scored(parts: np.ndarray) -> np.ndarray:
    """Return ``[cases, paths]`` sums of an array for each part over the parts of each path."""
    return np.stack([parts[:, use > 0].astype(np.float64).sum(1) for use in USES], 1)


def enumerated(weights: np.ndarray) -> Enumerated:
    scores = scored(weights)
    log_total = np.logaddexp.reduce(scores, 1)
    shift = np.where(np.isfinite(log_total), log_total, 0.0)
    return Enumerated(scores, log_total, np.exp(scores - shift[:, None]))


def average(probability: np.ndarray, feature: np.ndarray) -> np.ndarray:
    return np.sum(probability * feature, 1)


def total(s: Semiring, weights: jax.Array, feature: Any = None) -> Value:
    """Compute the expression, ``[cases]``."""
    value = s.lift(weights, feature)

    def block(start: int, rows: int) -> Value:
        end = start + rows * SIZE
        return jax.tree.map(lambda x: x[:, start:end].reshape(-1, rows, SIZE), value)

    row = s.matmul(s.matmul(block(0, 1), block(3, SIZE)), block(12, SIZE))
    return s.sum(jax.tree.map(lambda x: x[:, 0], row), 1)


compute = jax.jit(total, static_argnums=0)


def close(computed: jax.Array, expected: np.ndarray, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(computed, expected, rtol=tolerance, atol=tolerance)


def test_two_coins_by_hand():
    """(2 a + 6 b)(1 c + 3 d), where a and d have the feature: averages 1/4 and 3/4."""
    s = Expectation()
    a, b, c, d = (
        s.lift(jnp.log(jnp.float32(w)), jnp.float32(n)) for w, n in ((2, 1), (6, 0), (1, 0), (3, 1))
    )
    value = s.times(s.plus(a, b), s.plus(c, d))
    assert jnp.exp(s.log_weight(value)) == pytest.approx(2 * 1 + 2 * 3 + 6 * 1 + 6 * 3)
    assert s.expected_value(value) == pytest.approx((2 * 1 + 2 * 3 * 2 + 6 * 0 + 6 * 3 * 1) / 32)


def winners(scores: np.ndarray) -> np.ndarray:
    """Return the first of the best paths of each case."""
    return np.argmax(scores, 1)


def test_the_expectation_over_costs_is_the_winners_count():
    value = compute(Expectation(Tropical()), WEIGHTS, FIRST)
    scores = enumerated(WEIGHTS).scores
    close(-value.weight, scores.max(1))
    chosen = scored(FIRST)[np.arange(CASES), winners(scores)]
    expected = np.where(np.arange(CASES) == IMPOSSIBLE, 0.0, chosen)
    close(Expectation(Tropical()).expected_value(value), expected)


@partial(jax.jit, static_argnums=0)
def marked(s: Derivation | KBest, weights: jax.Array) -> tuple[Value, jax.Array]:
    """Compute the total, and the parts in its derivations."""
    value, pull = jax.vjp(lambda n: total(s, weights, n), jnp.zeros_like(weights))
    pull = jax.vmap(pull) if isinstance(s, KBest) else pull
    return value, pull(s.seeds(value))[0]


@pytest.mark.parametrize("base", [Tropical(), Boolean()], ids=lambda s: s.name)
def test_the_derivation_is_the_first_of_the_best(base: Tropical | Boolean):
    s = Derivation(base)
    value, marks = marked(s, WEIGHTS)
    scores = enumerated(WEIGHTS).scores
    if isinstance(base, Boolean):
        scores = np.where(scores > -INF, 0.0, -INF)
    close(s.log_weight(value), scores.max(1))
    possible = np.arange(CASES) != IMPOSSIBLE
    np.testing.assert_array_equal(marks[possible], USES[winners(scores)][possible])


def test_the_k_cheapest():
    s = KBest(K, Tropical())
    value, marks = marked(s, WEIGHTS)
    scores = enumerated(WEIGHTS).scores
    best = -np.sort(-scores, 1)[:, :K].T
    log_weights = np.asarray(s.log_weights(value))
    close(log_weights, best)
    close(s.log_weight(value), best[0])
    assert (log_weights[1:, 2] == -INF).all()  # one derivation only
    for case, rank in itertools.product(range(CASES), range(K)):
        if log_weights[rank, case] > -INF:
            path = np.flatnonzero((marks[rank, case] == USES).all(1))
            assert len(path) == 1
            assert scores[case, path[0]] == pytest.approx(log_weights[rank, case], abs=1e-4)
            assert not (marks[:rank, case] == marks[rank, case]).all(1).any()


def test_the_k_first_possible_ones():
    """In the Boolean semiring all possible derivations tie: the first come first, all different."""
    s = KBest(K, Boolean())
    value, marks = marked(s, WEIGHTS)
    read, paths = np.asarray(s.log_weights(value)), set(map(tuple, USES))
    for case, row in enumerate(enumerated(WEIGHTS).scores):
        possible = np.flatnonzero(row > -INF)
        count = min(K, len(possible))
        np.testing.assert_array_equal(read[:, case], [0.0] * count + [-INF] * (K - count))
        uses = {tuple(x) for x in np.asarray(marks[:count, case]).tolist()}
        assert len(uses) == count
        assert uses <= {tuple(USES[path]) for path in possible} <= paths
        if count:
            np.testing.assert_array_equal(marks[0, case], USES[possible[0]])


def test_the_order_of_factors_is_kept():
    """Return the shortlex smallest string of the possible paths, computed letter by letter."""
    s = Strings(3, 8)
    letters = np.random.default_rng(3).integers(-1, 8, PARTS)
    spelled = [tuple(letters[use > 0][letters[use > 0] >= 0].tolist()) for use in USES]
    expected = [
        min(
            (word for word, score in zip(spelled, row, strict=True) if score > -INF),
            key=lambda word: (len(word), word),
            default=None,
        )
        for row in enumerated(WEIGHTS).scores
    ]
    assert s.read(compute(s, WEIGHTS, np.broadcast_to(letters, WEIGHTS.shape))) == expected


def test_a_product_asks_two_questions_at_once():
    s, log, expectation = Product(Log(), Expectation()), Log(), Expectation()
    value = compute(s, WEIGHTS, FIRST)
    paths = enumerated(WEIGHTS)
    close(s.log_weight(value), paths.log_total)
    close(log.log_weight(value.first), paths.log_total)
    close(expectation.log_weight(value.second), paths.log_total)
    close(expectation.expected_value(value.second), average(paths.probability, scored(FIRST)))


@pytest.mark.parametrize("base", [Log(), Real()], ids=lambda s: s.name)
def test_covariances_and_variances(base: Semiring):
    s = Covariance(base)
    weights = np.where(np.arange(CASES)[:, None] == 5, WEIGHTS / 30, WEIGHTS)
    probability, r, t = enumerated(weights).probability, scored(FIRST), scored(SECOND)
    means = average(probability, r), average(probability, t)
    aside = r - means[0][:, None], t - means[1][:, None]
    value = compute(s, weights, (FIRST, SECOND))
    possible = np.arange(CASES) != IMPOSSIBLE
    close(value.first[possible], means[0][possible])
    close(value.second[possible], means[1][possible])
    close(value.covariance[possible], average(probability, aside[0] * aside[1])[possible])
    variance = compute(s, weights, FIRST).covariance
    close(variance[possible], average(probability, aside[0] ** 2)[possible])


def test_the_variance_of_large_counts_is_exact():
    """It is not a difference of squares: 1,000,000 and 1,000,001 are equally likely."""
    s = Covariance()
    value = s.sum(s.lift(jnp.zeros(2), jnp.array([1e6, 1e6 + 1])), 0)
    assert value.covariance == 0.25


def entropy_of(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return ``[cases]`` minus the sum of ``p log q`` where p is not zero."""
    with np.errstate(divide="ignore"):
        return -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, q, 1.0)), 0.0), 1)


def test_divergences():
    """q has no support where p has none, and in case 5 q has less support."""
    second_weights = some_weights(4)
    second_weights[5] /= 30
    weights = np.where(np.arange(CASES)[:, None] == 5, WEIGHTS / 30, WEIGHTS)
    second_weights[weights == -INF] = -INF
    second_weights[1:3] = np.where(weights[1:3] == -INF, -INF, np.clip(second_weights[1:3], -3, 3))
    second_weights[4] = np.where(weights[4] == -INF, -INF, np.abs(second_weights[4]) + 0.5)
    second_weights[5, 0] = -INF
    p, q = enumerated(weights).probability, enumerated(second_weights).probability
    possible = np.arange(CASES) != IMPOSSIBLE
    for cross, expected in (
        (True, entropy_of(p, q)),
        (False, entropy_of(p, q) - entropy_of(p, p)),
    ):
        value = compute(Divergence(cross), weights, second_weights)
        assert np.isinf(expected).tolist() == [False] * 5 + [True]
        close(value.nats[possible], expected[possible])
        close(value.weight, enumerated(weights).log_total)
        close(value.reference, enumerated(second_weights).log_total)
        close(compute(Divergence(), weights, weights).nats[possible], np.zeros(5))


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_risk_is_the_annealed_average(gamma: float):
    """Smith and Eisner: the sum of loss times p ** gamma over the sum of p ** gamma."""
    s = Risk(gamma=gamma)
    loss = np.abs(FIRST)

    @jax.jit
    def value_and_slope(weights: jax.Array) -> tuple[jax.Array, jax.Array]:
        def risk(w: jax.Array) -> tuple[jax.Array, jax.Array]:
            each = s.expected_value(total(s, w, jnp.asarray(loss)))
            return jnp.sum(each), each

        slope, each = jax.grad(risk, has_aux=True)(weights)
        return each, slope

    each, slope = value_and_slope(WEIGHTS)
    annealed = enumerated(WEIGHTS).probability ** gamma
    mass = annealed.sum(1, keepdims=True)
    p = annealed / np.where(mass > 0, mass, 1.0)
    risk = average(p, scored(loss))
    close(each, risk)
    close(slope, gamma * (p * (scored(loss) - risk[:, None])) @ USES, 1e-4)


def chain_of(weights: np.ndarray) -> tuple[LinearChain, ChainParts]:
    """Return the expression as a chain of three positions, and the number of each of its parts."""

    def split(parts: np.ndarray) -> ChainParts:
        emission = np.zeros((len(parts), 3, SIZE), np.float32)
        emission[:, 0] = parts[:, :3]
        return ChainParts(emission, parts[:, 3:].reshape(-1, 2, SIZE, SIZE))

    labels = split(np.broadcast_to(np.arange(PARTS, dtype=np.float32), weights.shape))
    labels.emission[:, 1:] = -1
    return linear_chain(*map(jnp.asarray, split(weights))), labels


@pytest.mark.parametrize("method", ["sequential", "parallel"])
def test_discrete_values_run_through_a_structure(method: Literal["sequential", "parallel"]):
    """Truth values, counts, sets and strings together, in a scan or folded in pairs."""
    truth, count, supports = Boolean(), Counting(), Provenance(PARTS)
    order = Strings(3, PARTS)
    s = Product(Product(truth, count), Product(supports, order))
    chain, labels = chain_of(WEIGHTS)
    value = jax.jit(lambda c, n: c.total(s, n).value)(replace(chain, method=method), labels)
    possible = enumerated(WEIGHTS).scores > -INF
    np.testing.assert_array_equal(value.first.first, possible.any(1))
    np.testing.assert_array_equal(count.count(value.first.second), possible.sum(1))
    np.testing.assert_array_equal(supports.supporters(value.second.first), possible @ USES > 0)
    spelled = [[np.flatnonzero(USES[path]) for path in np.flatnonzero(row)] for row in possible]
    expected = [min((tuple(w.tolist()) for w in words), default=None) for words in spelled]
    assert order.read(value.second.second) == expected
