"""The law of semirings that draw: equal expressions draw alike, and in proportion to weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.laws_trial import Equation, Law, Operands, Pull, at

SAMPLES = 4000
"""How many times each expression is drawn from."""


class Drawing(Protocol):
    """What a semiring whose laws hold in distribution has: cotangents that start draws."""

    def seed(self, key: jax.Array, shape: tuple[int, ...]) -> Value: ...


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
    if not callable(getattr(s, "seed", None)):
        raise TypeError(f"{s!r} is declared to draw and has no seed(key, shape)")
    weights = jnp.log(jnp.array([0.5, 1.0, 2.0], jnp.float32))
    keys = iter(jax.random.split(jax.random.key(0), 5))
    for statement, left, right in PAIRS:
        x, y = _drawn(s, left, weights, next(keys)), _drawn(s, right, weights, next(keys))
        counted = {"sets drawn, left": x, "sets drawn, right": y}
        yield Equation(statement, by_chance((x - y) ** 2, x + y), True, counted)
    x = _drawn(s, PAIRS[0].left, weights, next(keys))
    lifted = s.lift(weights)
    shares = np.exp(np.asarray(s.log_weight(lifted) - s.log_weight(s.sum(lifted, 0))))
    expected = np.zeros(8)
    expected[[1, 2, 4]] = SAMPLES * shares
    counted = {"sets drawn": x, "expected": expected}
    yield Equation(
        "a + b + c draws by weight", by_chance((x - expected) ** 2, expected), True, counted
    )


def _drawn(s: Semiring, expression: Expression, weights: jax.Array, key: jax.Array) -> Any:
    """How often each set of weights was used, `[8]`: set i has the weights of the bits of i."""

    def total(counted: jax.Array) -> Value:
        lifted = s.lift(weights, counted)
        return expression(s, *(at(lifted, i) for i in range(3)))

    def marks(seeds: Value) -> jax.Array:
        pull = cast(Pull, jax.vjp(total, jnp.zeros(3, jnp.float32))[1])
        return jax.vmap(lambda seed: pull(seed)[0])(seeds)

    seeds = cast(Drawing, s).seed(key, (SAMPLES,))
    used = np.asarray(jax.jit(marks)(seeds)) > 0
    return np.bincount(used @ np.array([1, 2, 4]), minlength=8)


def by_chance(squares: np.ndarray, variances: np.ndarray) -> bool:
    """Whether Pearson's statistic is what chance gives, but for one time in ten thousand.

    Args:
        squares: squared differences of counts, by cell.
        variances: what they are on average, up to the share of the cell; a cell where this is
            zero must not differ at all.
    """
    cells = variances > 0
    if np.any(squares[~cells] > 0):
        return False
    freedom = max(1, int(cells.sum()) - 1)
    # The tail of a chi-square variable: Laurent and Massart (2000), lemma 1.
    unlikely = np.log(1e4)
    statistic = float(np.sum(squares[cells] / variances[cells]))
    return bool(statistic < freedom + 2 * np.sqrt(freedom * unlikely) + 2 * unlikely)


DRAWS: tuple[Law, ...] = (
    Law(
        "in distribution",
        "what is drawn obeys the laws in distribution",
        _in_distribution,
        declared="in_distribution",
        compiled=False,
    ),
)
"""The law of draws."""
