"""The laws of scale: long axes, large weights and large values."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.capabilities import Divisible, Selective
from semirings.laws.axioms import EXTREME
from semirings.laws.law import Equation, Law, Operands, at, equal_values

LENGTH = 40
"""The number of entries along a long axis: more than any operation unrolls."""

GROUPS = Groups.of([0, 1, 0, 2, 0, 1, 0, 0] * (LENGTH // 8), 3)
"""Forty items in three groups: of 25, ten and five."""

LARGE = (300.0, -300.0, 2000.0, -2000.0)
"""Log weights far beyond the range of floats in linear space, whose sums are exact in float32."""

SQUARINGS = 6
"""How many times values are squared: up to their 64th power."""


def _long_axes(s: Semiring, o: Operands) -> Iterator[Equation]:
    broken = s.laws.broken
    a = s.lift(jnp.maximum(o.w, -4.0) / 8, o.n)
    pieces = jax.tree.map(lambda x: x.reshape(-1, 4, LENGTH // 4), a)
    if "sum folds plus" not in broken:
        statement = f"the sum of {LENGTH} entries is that of four sums"
        yield equal_values(s, statement, s.sum(a, -1), s.sum(s.sum(pieces, -1), -1))
    if "prod folds times" not in broken and "times associative" not in broken:
        statement = f"the product of {LENGTH} entries is that of four products"
        yield equal_values(s, statement, s.prod(a, -1), s.prod(s.prod(pieces, -1), -1))
    if "matmul" not in broken:
        row = jax.tree.map(lambda x: x[:, None, :], a)
        column = jax.tree.map(lambda x: jnp.flip(x, -1)[:, :, None], a)
        statement = f"matmul over {LENGTH} entries is the sum of products"
        yield equal_values(s, statement, s.matmul(row, column), Semiring.matmul(s, row, column))
    if "group sum" not in broken:
        summed = s.group_sum(a, GROUPS)
        for group in range(3):
            members = np.flatnonzero(GROUPS.group == group)
            expected = s.sum(jax.tree.map(lambda x, m=members: x[:, m], a), -1)
            statement = f"a group of {len(members)} is their sum"
            yield equal_values(s, statement, at(summed, group), expected)
    if "group spread" not in broken:
        spread = s.group_spread(at(a, slice(3)), GROUPS)
        expected = jax.tree.map(lambda x: x[:, GROUPS.group], a)
        yield equal_values(s, f"group_spread to {LENGTH} items", spread, expected)
    if isinstance(s, Selective) and "select" not in broken:
        index = s.select(a, -1)[:, None]
        chosen = jax.tree.map(lambda x: jnp.take_along_axis(x, index, -1)[:, 0], a)
        yield equal_values(s, f"select names the sum of {LENGTH}", s.sum(a, -1), chosen)
    if isinstance(s, Divisible) and "shares" not in broken:
        nested = s.shares(pieces, -1) * s.shares(s.sum(pieces, -1), -1)[..., None]
        statement = f"shares of {LENGTH} are shares of four pieces times the shares of these"
        yield Equation(statement, nested.reshape(o.w.shape), s.shares(a, -1))


def _large_weights(s: Semiring, o: Operands) -> Iterator[Equation]:
    w = jnp.asarray(LARGE, jnp.float32)
    a, zero, unit = s.lift(w), s.zeros(w.shape), s.ones(w.shape)
    column = jax.tree.map(lambda x: x[:, None], a)

    def read(operation: str, value: Value, expected: jax.Array) -> Equation:
        statement = f"{operation} of large weights reads as in exact arithmetic"
        return Equation(statement, s.log_weight(value), expected, {"log weights": w})

    def joined(second: Value) -> Value:
        return s.concatenate([column, jax.tree.map(lambda x: x[:, None], second)], 1)

    yield read("lift", a, w)
    yield read("plus zero", s.plus(a, zero), w)
    yield read("times", s.times(a, a), 2 * w)
    yield read("times one", s.times(a, unit), w)
    yield read("sum", s.sum(joined(zero), 1), w)
    yield read("prod", s.prod(joined(a), 1), 2 * w)
    yield read("matmul", s.matmul(column, jax.tree.map(lambda x: x.T, column)),
               w[:, None] + w[None])  # fmt: skip
    pair = Groups.of([0, 0], 1)
    yield read("group_sum", at(s.group_sum(joined(zero), pair), 0), w)


def _large_values(s: Semiring, o: Operands) -> Iterator[Equation]:
    """Compare sums of powers, which hold large features, entropies or divergences.

    The first factor is a large power, the second may be small: an upper bound of what a value
    holds applies to one of the two products only.
    """

    def power(a: Value, times: int) -> Value:
        def square(_: int, a: Value) -> Value:
            # Each weight is scaled back on its own, lest some become denormal beside others;
            # features and entropies double.
            return s.balance(s.times(a, a), ())[0]

        return jax.lax.fori_loop(0, times, square, a)

    pairs = jax.tree.map(lambda x: x.reshape(-1, 2), s.lift(jnp.clip(o.w, -3.0, 3.0), o.n))
    base = s.sum(pairs, -1)
    count = jax.tree.leaves(base)[0].shape[0] // 3
    x, y, z = (jax.tree.map(lambda v, i=i: v[i * count : (i + 1) * count], base) for i in range(3))
    x = power(x, SQUARINGS)
    for squarings in (2, 4, SQUARINGS):
        large = power(y, squarings)
        left = s.times(x, s.plus(large, z))
        right = s.plus(s.times(x, large), s.times(x, z))
        statement = f"a ( b + c ) = a b + a c for the powers {2**SQUARINGS} and {2**squarings}"
        yield equal_values(s, statement, left, right)


SCALE: tuple[Law, ...] = (
    Law("long axes", f"operations along {LENGTH} entries are those along parts",
        _long_axes, shape=(LENGTH,)),
    Law("large weights", "weights from e**-2000 to e**2000 are read back, as products are",
        _large_weights, follows=(EXTREME, "read back", "weight one")),
    Law("large values", "times distributes over plus where features and entropies are large",
        _large_values, follows=("left distributive", "times associative", "balance")),
)  # fmt: skip
"""The laws of scale."""
