"""The law of stochastic semirings: equal expressions draw alike, in proportion to weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from semirings.base import Semiring, Value
from semirings.capabilities import Stochastic
from semirings.laws.law import Equation, Law, Operands, Pull, at

SAMPLES = 4000
"""The number of draws from each expression."""


Expression = Callable[[Semiring, Value, Value, Value], Value]


class Pair(NamedTuple):
    """Two expressions that a law calls equal."""

    statement: str
    left: Expression
    right: Expression


PAIRS = (
    Pair(
        "(a + b) + c draws as a + (b + c)",
        lambda s, a, b, c: s.plus(s.plus(a, b), c),
        lambda s, a, b, c: s.plus(a, s.plus(b, c)),
    ),
    Pair(
        "a (b + c) draws as a b + a c",
        lambda s, a, b, c: s.times(a, s.plus(b, c)),
        lambda s, a, b, c: s.plus(s.times(a, b), s.times(a, c)),
    ),
)


def _in_distribution(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation(
        "a semiring that draws is a semirings.Stochastic", isinstance(s, Stochastic), True
    )
    if not isinstance(s, Stochastic):
        return
    weights = jnp.log(jnp.array([0.5, 1.0, 2.0], jnp.float32))
    keys = iter(jax.random.split(jax.random.key(0), 5))
    for statement, left, right in PAIRS:
        x, y = _drawn(s, left, weights, next(keys)), _drawn(s, right, weights, next(keys))
        counts = {"sets drawn, left": x, "sets drawn, right": y}
        yield Equation(statement, by_chance((x - y) ** 2, x + y), True, counts)
    x = _drawn(s, PAIRS[0].left, weights, next(keys))
    lifted = s.lift(weights)
    shares = np.exp(np.asarray(s.log_weight(lifted) - s.log_weight(s.sum(lifted, 0))))
    expected = np.zeros(8)
    expected[[1, 2, 4]] = SAMPLES * shares
    counts = {"sets drawn": x, "expected": expected}
    yield Equation(
        "a + b + c draws by weight", by_chance((x - expected) ** 2, expected), True, counts
    )


def _drawn(s: Stochastic, expression: Expression, weights: jax.Array, key: jax.Array) -> Any:
    """Count the uses of each set of weights, ``[8]``: set i has the weights of the bits of i."""

    def total(feature: jax.Array) -> Value:
        lifted = s.lift(weights, feature)
        return expression(s, *(at(lifted, i) for i in range(3)))

    def marks(seeds: Value) -> jax.Array:
        pull = cast(Pull, jax.vjp(total, jnp.zeros(3, jnp.float32))[1])
        return jax.vmap(lambda seed: pull(seed)[0])(seeds)

    seeds = s.seed(key, (SAMPLES,))
    used = np.asarray(jax.jit(marks)(seeds)) > 0
    return np.bincount(used @ np.array([1, 2, 4]), minlength=8)


def by_chance(squares: np.ndarray, variances: np.ndarray) -> bool:
    """Tell if Pearson's statistic is within what chance gives in all but one of 10,000 trials.

    Args:
        squares: squared differences of counts, by cell.
        variances: their averages, up to the share of the cell; a cell where this is zero must not
            differ at all.
    """
    cells = variances > 0
    if np.any(squares[~cells] > 0):
        return False
    freedom = max(1, int(cells.sum()) - 1)
    statistic = float(np.sum(squares[cells] / variances[cells]))
    return bool(stats.chi2.sf(statistic, freedom) > 1e-4)


DISTRIBUTION: tuple[Law, ...] = (
    Law(
        "in distribution",
        "what is drawn obeys the laws in distribution",
        _in_distribution,
        declared="in_distribution",
        compiled=False,
    ),
)
"""The law of stochastic semirings."""
