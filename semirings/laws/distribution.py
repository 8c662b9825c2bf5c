"""The law of stochastic semirings: derivations are sampled in proportion to their weight."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from semirings.base import Semiring, Value
from semirings.capabilities import Stochastic
from semirings.laws.axioms import EXTREME
from semirings.laws.expressions import EXPRESSIONS, WIDE, Expression
from semirings.laws.law import Equation, Law, Operands, Pull

SAMPLES = 20_000
"""The number of samples for each item from each expression."""

WEIGHTS = (0.1, 8.0, 1.0, 0.0, 0.5, 3.0, 20.0, 0.3, 2.0)
"""Weights that differ enough for wrong powers of them, or added constants, to be detected."""

SCALES = (60.0, -60.0, 0.0, 30.0)
"""Log factors of the weights of the items, which do not change any proportion."""


def _in_distribution(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation(
        "a semiring that draws is a semirings.Stochastic", isinstance(s, Stochastic), True
    )
    if not isinstance(s, Stochastic):
        return
    seeds = (s.seed(jax.random.key(0), (5, 2)) for _ in range(2))
    yield Equation("the same key makes the same seeds", next(seeds), next(seeds))
    scales = jnp.zeros(len(SCALES)) if EXTREME in s.laws.broken else jnp.array(SCALES)
    # Weights are read back after lifting: a semiring may transform them and sample accordingly.
    for expression in (*EXPRESSIONS, WIDE):
        weights = scales[:, None] + jnp.log(jnp.resize(jnp.array(WEIGHTS), (expression.size,)))
        weights = weights.astype(jnp.float32)
        read = np.exp(np.asarray(s.log_weight(s.lift(weights[0])), np.float64) - scales[0])
        draw = jax.jit(partial(_drawn, s, expression, weights))
        index, again, other_key = (np.asarray(draw(jax.random.key(key))) for key in (0, 0, 1))
        text, size = expression.text, len(expression.derivations)
        yield Equation(f"the same key draws the same from {text}", again, index)
        yield Equation(f"what is drawn from {text} is a derivation", int(index.min()) >= 0, True)
        weight = np.array([np.prod(read[list(d)]) for d in expression.derivations])
        share = weight / weight.sum()
        counts = np.bincount(index.ravel(), minlength=size)
        yield _as_expected(f"{text} is drawn by weight", counts, share)
        for pair, x, y in (
            ("two items of a draw", index[:, 0], index[:, 1]),
            ("the first and the third item of a draw", index[:, 0], index[:, 2]),
            ("the last two items of a draw", index[:, 2], index[:, 3]),
            ("a draw and the next", index[::2, 0], index[1::2, 0]),
            ("draws of two keys", index[:, 0], other_key[:, 0]),
        ):
            joint = np.bincount(x * size + y, minlength=size * size)
            statement = f"{pair} from {text} are independent"
            yield _as_expected(statement, joint, np.outer(share, share).ravel())


def _as_expected(statement: str, counts: np.ndarray, share: np.ndarray) -> Equation:
    """Compare counts with expectations; cells with small expected counts are merged."""
    expected = counts.sum() * share
    rare = (expected < 5) & (share > 0)
    x, y = (np.append(each[~rare], each[rare].sum()) for each in (counts, expected))
    beside = {"drawn": counts, "expected": expected}
    return Equation(statement, by_chance((x - y) ** 2, y), True, beside)


def _drawn(s: Stochastic, expression: Expression, weights: jax.Array, key: jax.Array) -> jax.Array:
    """Sample indices of derivations of an expression, ``[SAMPLES, 4]``, -1 if not a derivation."""

    def total(feature: jax.Array) -> Value:
        return expression.value(s, s.lift(weights, feature))

    pull = cast(Pull, jax.vjp(total, jnp.zeros_like(weights))[1])
    marks = jax.vmap(lambda seed: pull(seed)[0])(s.seed(key, (SAMPLES, len(weights))))
    is_derivation = jnp.all(marks[:, :, None] == expression.parts(expression.derivations), -1)
    return jnp.where(jnp.any(is_derivation, -1), jnp.argmax(is_derivation, -1), -1)


def by_chance(squares: np.ndarray, variances: np.ndarray) -> bool:
    """Return whether Pearson's chi-squared statistic has a p-value above 1e-4.

    Args:
        squares: squared differences of counts, by cell.
        variances: their expected values, up to the factor one minus the share of the cell; a cell
            where this is zero must not differ at all.
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
        "what is drawn is a derivation, in proportion to its weight, and independent",
        _in_distribution,
        declared="in_distribution",
        compiled=False,
    ),
)
"""The law of stochastic semirings."""
