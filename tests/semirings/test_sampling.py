"""Samples follow the weights: the reverse pass draws one derivation in proportion."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from semirings import Sampling, Value

DRAWS = 4000
S = Sampling()


@cache
def drawn(expression: str) -> np.ndarray:
    """`[draws, weights]` whether each draw from the expression's total used each weight."""

    def total(counted: jax.Array) -> Value:
        return EXPRESSIONS[expression][0](S.lift(jnp.log(jnp.array(WEIGHTS)), counted))

    _, pull = jax.vjp(total, jnp.zeros(len(WEIGHTS)))
    seeds = S.seed(jax.random.key(3), (DRAWS,))
    return np.asarray(jax.jit(jax.vmap(lambda seed: pull(seed)[0]))(seeds)) > 0


def at(a: Value, *index: int) -> Value:
    return jax.tree.map(lambda x: x[jnp.array(index)] if len(index) > 1 else x[index[0]], a)


WEIGHTS = (0.5, 1.0, 2.0, 0.25, 3.0, 0.0)
# An expression, and its derivations with their weights.
EXPRESSIONS = {
    "sum": (lambda a: S.sum(a, 0), {(i,): w for i, w in enumerate(WEIGHTS)}),
    "plus": (lambda a: S.plus(at(a, 0), at(a, 2)), {(0,): 0.5, (2,): 2.0}),
    "product of sums": (
        lambda a: S.times(S.sum(at(a, 0, 1), 0), S.sum(at(a, 2, 3, 4), 0)),
        {(i, j): WEIGHTS[i] * WEIGHTS[j] for i in (0, 1) for j in (2, 3, 4)},
    ),
    "nested": (
        lambda a: S.plus(S.times(at(a, 0), S.plus(at(a, 1), at(a, 2))), S.times(at(a, 3),
                                                                                 at(a, 4))),
        {(0, 1): 0.5, (0, 2): 1.0, (3, 4): 0.75},
    ),
    "matrix product": (
        lambda a: S.sum(
            jax.tree.map(
                lambda x: x[0],
                S.matmul(
                    jax.tree.map(lambda x: x.reshape(1, 2), at(a, 0, 1)),
                    jax.tree.map(lambda x: x.reshape(2, 2), at(a, 2, 3, 4, 5)),
                ),
            ),
            0,
        ),
        {(0, 2): 1.0, (0, 3): 0.125, (1, 4): 3.0, (1, 5): 0.0},
    ),
    "product along an axis": (
        lambda a: S.plus(S.prod(at(a, 0, 1, 2), 0), S.prod(at(a, 3, 4), 0)),
        {(0, 1, 2): 1.0, (3, 4): 0.75},
    ),
}  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_frequencies_are_proportional_to_weights(expression: str):
    derivations = {k: w for k, w in EXPRESSIONS[expression][1].items() if w}
    used = [tuple(np.flatnonzero(row).tolist()) for row in drawn(expression)]
    assert set(used) <= set(derivations), "nothing else is drawn, and nothing of weight zero"
    observed = [used.count(d) for d in derivations]
    weights = np.array(list(derivations.values()))
    expected = DRAWS * weights / weights.sum()
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_factors_are_drawn_independently():
    used = drawn("product of sums")
    first, second = used[:, 0], used[:, 2:5].argmax(1)
    table = [[np.sum((first == a) & (second == b)) for b in range(3)] for a in (False, True)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_the_same_key_draws_the_same():
    def total(counted: jax.Array) -> Value:
        return S.sum(S.lift(jnp.log(jnp.array(WEIGHTS)), counted), 0)

    _, pull = jax.vjp(total, jnp.zeros(len(WEIGHTS)))

    def draw(key: int) -> list[int]:
        seeds = S.seed(jax.random.key(key), (50,))
        return jax.vmap(lambda seed: pull(seed)[0])(seeds).argmax(1).tolist()

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_an_impossible_total_has_weight_zero():
    zero = S.sum(S.zeros((3,)), 0)
    assert S.log_weight(zero) == -np.inf
