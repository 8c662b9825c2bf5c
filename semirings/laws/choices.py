"""The laws of capabilities: ``select``, ``shares`` and ``seeds``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.capabilities import Divisible, Marking, Selective
from semirings.laws.expressions import EXPRESSIONS, PARTS, Expression
from semirings.laws.law import Equation, Law, Operands, Pull, compiled, equal_values

SHAPE = (3, PARTS)
"""The axes of an operand besides the draws."""

PLACES = ((1, 1), (3, -3), (6, 0), (9, -1))
"""Numbers of summands and the axis that they lie along."""


def _places(a: Value) -> Iterator[tuple[str, Value, int]]:
    for size, axis in PLACES:
        part = jax.tree.map(lambda x, n=size, i=axis: jnp.moveaxis(x[..., :n], -1, i), a)
        yield f"{size} of a along axis {axis}", part, axis


def _taken(a: Value, index: jax.Array, axis: int) -> Value:
    at = jnp.expand_dims(index, axis)
    return jax.tree.map(lambda x: jnp.squeeze(jnp.take_along_axis(x, at, axis), axis), a)


def _select(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation("a selective semiring is a semirings.Selective", isinstance(s, Selective), True)
    if not isinstance(s, Selective):
        return
    for what, a, axis in _places(o.a):
        chosen = s.select(a, axis)
        statement = f"sum of {what} is what select names"
        yield equal_values(s, statement, s.sum(a, axis), _taken(a, chosen, axis))
        twice = s.concatenate([a, a], axis)
        statement = f"select names the first of equals, {what} twice"
        yield Equation(statement, s.select(twice, axis), chosen)


def _shares(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Divisible, semiring)
    for what, a, axis in _places(o.a):
        shares, total = s.shares(a, axis), s.sum(a, axis)
        some = s.log_weight(total) > -jnp.inf
        statement = f"shares of {what} add up to one, or to zero of zero"
        yield Equation(statement, jnp.sum(shares, axis), some.astype(shares.dtype))
        none = s.log_weight(a) == -jnp.inf
        statement = f"zero has no share of {what}"
        yield Equation(statement, jnp.where(none, shares, 0.0), jnp.zeros_like(shares))
        if isinstance(s, Selective):
            statement = f"the share of the winner of {what} is one"
            won = _taken(shares, s.select(a, axis), axis)
            yield Equation(statement, won, some.astype(won.dtype))
        elif not s.laws.idempotent:
            relative = s.log_weight(a) - jnp.expand_dims(s.log_weight(total), axis)
            statement = f"shares of {what} are quotients of weights"
            expected = jnp.where(none, 0.0, jnp.exp(relative))
            yield Equation(statement, shares, expected.astype(shares.dtype))
    # Nested sums: the share within a group times the share of the group.
    pairs = jax.tree.map(lambda x: x[..., :8].reshape(*x.shape[:-1], 4, 2), o.a)
    flat = jax.tree.map(lambda x: x[..., :8], o.a)
    nested = s.shares(pairs, -1) * s.shares(s.sum(pairs, -1), -1)[..., None]
    statement = "shares of eight of a are shares of pairs times the shares of these"
    yield Equation(statement, nested.reshape(o.w[..., :8].shape), s.shares(flat, -1))


def _marks(s: Semiring, o: Operands) -> Iterator[Equation]:
    for expression in EXPRESSIONS:
        yield from compiled(partial(_marked, expression))(s, o)


def _marked(expression: Expression, semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Marking, semiring)
    # One part has weight zero; all others are nonzero.
    w = jnp.where(jnp.isfinite(o.w[:, 0]), o.w[:, 0], 0.5).at[:, 2].set(-jnp.inf)

    def total(feature: jax.Array) -> Value:
        return expression.value(s, s.lift(w, feature))

    value, pull = cast("tuple[Value, Pull]", jax.vjp(total, jnp.zeros_like(w)))
    seeds = s.seeds(value)

    def mark(seed: Value) -> jax.Array:
        return pull(seed)[0]

    has_ranks = jax.tree.leaves(seeds)[-1].ndim > w.ndim - 1
    ranks = jax.vmap(mark)(seeds) if has_ranks else mark(seeds)[None]
    possible = [d for d in expression.derivations if 2 not in d]
    ranks = jnp.moveaxis(ranks, 0, 1)[:, : len(possible)]
    same = jnp.all(ranks[:, :, None] == expression.parts(possible), -1)
    beside, text = {"log weights": w, "marked": ranks}, expression.text
    statement = f"{text} : each rank marks a derivation"
    yield Equation(statement, jnp.any(same, -1), np.ones(same.shape[:2], bool), beside)
    statement = f"{text} : each rank marks another derivation"
    count = jnp.sum(jnp.any(same, 1), -1)
    yield Equation(statement, count, jnp.full_like(count, same.shape[1]), beside)
    lifted = s.lift(w)
    each = [s.prod(jax.tree.map(lambda x, d=d: x[:, np.array(d)], lifted), -1) for d in possible]
    products = s.concatenate([jax.tree.map(lambda x: x[:, None], x) for x in each], 1)
    index = jnp.argmax(same, -1)
    found = jax.tree.map(lambda x: jnp.take_along_axis(x, index, 1), products)
    statement = f"{text} : what is marked adds up to the total"
    left, right = s.observe(s.sum(found, 1)), s.observe(value)
    yield Equation(statement, left, right, beside)
    weights = s.log_weight(found)
    falling = jax.lax.cummin(weights, axis=1)
    yield Equation(f"{text} : weights fall with rank", weights, falling, beside)
    best = s.log_weight(value)
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
