"""The laws of capabilities: ``select``, ``shares`` and ``seeds``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.capabilities import Divisible, Marking, Selective
from semirings.laws.expressions import EXPRESSIONS, PARTS, Expression
from semirings.laws.law import FAST, Equation, Law, Operands, Pull, equal_values

SHAPE = (3, PARTS)
"""The axes of an operand besides the draws."""

PLACES = ((1, 1), (3, -3), (6, 0), (9, -1))
"""Numbers of summands and the axis that they lie along."""


def _places(a: Value) -> Iterator[tuple[str, Value, int]]:
    for size, axis in PLACES:
        part = jax.tree.map(lambda x, n=size, i=axis: jnp.moveaxis(x[..., :n], -1, i), a)
        yield f"{size} of a along axis {axis}", part, axis


def _take_along(a: Value, index: jax.Array, axis: int) -> Value:
    at = jnp.expand_dims(index, axis)
    return jax.tree.map(lambda x: jnp.squeeze(jnp.take_along_axis(x, at, axis), axis), a)


def _select(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation("a selective semiring is a semirings.Selective", isinstance(s, Selective), True)
    if not isinstance(s, Selective):
        return
    for place, a, axis in _places(o.a):
        chosen = s.select(a, axis)
        statement = f"sum of {place} is what select names"
        yield equal_values(s, statement, s.sum(a, axis), _take_along(a, chosen, axis))
        twice = s.concatenate([a, a], axis)
        statement = f"select names the first of equals, {place} twice"
        yield Equation(statement, s.select(twice, axis), chosen)


def _shares(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Divisible, semiring)
    for place, a, axis in _places(o.a):
        shares, total = s.shares(a, axis), s.sum(a, axis)
        some = s.log_weight(total) > -jnp.inf
        statement = f"shares of {place} add up to one, or to zero of zero"
        yield Equation(statement, jnp.sum(shares, axis), some.astype(shares.dtype))
        none = s.log_weight(a) == -jnp.inf
        statement = f"zero has no share of {place}"
        yield Equation(statement, jnp.where(none, shares, 0.0), jnp.zeros_like(shares))
        if isinstance(s, Selective):
            statement = f"the share of the winner of {place} is one"
            won = _take_along(shares, s.select(a, axis), axis)
            yield Equation(statement, won, some.astype(won.dtype))
        elif not s.laws.idempotent:
            relative = s.log_weight(a) - jnp.expand_dims(s.log_weight(total), axis)
            statement = f"shares of {place} are quotients of weights"
            expected = jnp.where(none, 0.0, jnp.exp(relative))
            yield Equation(statement, shares, expected.astype(shares.dtype))
    # Nested sums: the share within a group times the share of the group.
    pairs = jax.tree.map(lambda x: x[..., :8].reshape(*x.shape[:-1], 4, 2), o.a)
    flat = jax.tree.map(lambda x: x[..., :8], o.a)
    nested = s.shares(pairs, -1) * s.shares(s.sum(pairs, -1), -1)[..., None]
    statement = "shares of eight of a are shares of pairs times the shares of these"
    yield Equation(statement, nested.reshape(o.w[..., :8].shape), s.shares(flat, -1))


def _marks(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Marking, semiring)
    w = np.where(np.isfinite(o.w[:, 0]), o.w[:, 0], np.float32(0.5))
    # One part has weight zero; all others are nonzero.
    w[:, 2] = -np.inf
    read = cast("Read", jax.jit(partial(_chosen, s), compiler_options=FAST))
    for expression in EXPRESSIONS:
        mark = jax.jit(partial(_marked, expression, s), compiler_options=FAST)
        yield from _as_marked(expression, w, *cast("Marks", mark(w)), read)


Marks = tuple[np.ndarray, Value, jax.Array]
"""Parts by rank, the total as observed and its log weight."""
Read = Callable[[np.ndarray, np.ndarray], tuple[Value, jax.Array]]
"""Returns the sum of derivations as observed, and the log weight of each."""


def _marked(expression: Expression, s: Marking, w: jax.Array) -> tuple[jax.Array, Value, jax.Array]:
    def total(feature: jax.Array) -> Value:
        return expression.value(s, s.lift(w, feature))

    value, pull = cast("tuple[Value, Pull]", jax.vjp(total, jnp.zeros_like(w)))
    seeds = s.seeds(value)

    def mark(seed: Value) -> jax.Array:
        return pull(seed)[0]

    has_ranks = jax.tree.leaves(seeds)[-1].ndim > w.ndim - 1
    ranks = jax.vmap(mark)(seeds) if has_ranks else mark(seeds)[None]
    return ranks, s.observe(value), s.log_weight(value)


def _chosen(s: Marking, w: jax.Array, factors: jax.Array) -> tuple[Value, jax.Array]:
    """Multiply the factors ``[draws, ranks, factors]`` of derivations, and add these up."""
    rows = jnp.arange(len(w))[:, None, None]
    products = s.prod(jax.tree.map(lambda x: x[rows, factors], s.lift(w)), -1)
    return s.observe(s.sum(products, 1)), s.log_weight(products)


def _as_marked(
    expression: Expression, w: np.ndarray, marks: np.ndarray, total: Value, best: jax.Array,
    read: Read,
) -> Iterator[Equation]:  # fmt: skip
    """Compare what is marked with the derivations; NumPy needs no compilation."""
    possible = [d for d in expression.derivations if 2 not in d]
    ranks = np.moveaxis(np.asarray(marks), 0, 1)[:, : len(possible)]
    is_derivation = np.all(ranks[:, :, None] == expression.parts(possible), -1)
    beside, text = {"log weights": w, "marked": ranks}, expression.text
    statement = f"{text} : each rank marks a derivation"
    yield Equation(
        statement, np.any(is_derivation, -1), np.ones(is_derivation.shape[:2], bool), beside
    )
    statement = f"{text} : each rank marks another derivation"
    count = np.sum(np.any(is_derivation, 1), -1)
    yield Equation(statement, count, np.full_like(count, is_derivation.shape[1]), beside)
    # All derivations of an expression have equally many factors.
    added, weights = read(w, np.array(possible)[np.argmax(is_derivation, -1)])
    yield Equation(f"{text} : what is marked adds up to the total", added, total, beside)
    falling = np.minimum.accumulate(np.asarray(weights), axis=1)
    yield Equation(f"{text} : weights fall with rank", weights, falling, beside)
    yield Equation(f"{text} : the first rank marks the best", weights[:, 0], best, beside)


CHOICES: tuple[Law, ...] = (
    Law(
        "select",
        "select names the winner, the first of equals",
        _select,
        declared="selective",
        shape=SHAPE,
    ),
    Law(
        "shares",
        "shares say what each summand is of its sum",
        _shares,
        capability=Divisible,
        shape=SHAPE,
    ),
    Law(
        "marks",
        "the parts that seeds mark, multiplied, give the total",
        _marks,
        capability=Marking,
        shape=SHAPE,
        compiled=False,
    ),
)
"""The laws of capabilities."""
