"""The laws of arrays: sums and products along axes, and the methods overridden for speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.laws.law import Equation, Equations, Law, Operands, at, equal_values

SHAPE = (3, 4)
"""The axes of an operand besides the draws."""

GROUPS = Groups.of([2, 0, 2, 0], SHAPE[1])
"""Four items in four groups, two of them empty."""

Operation = Callable[[Value, Value], Value]


def _fold(operation: Operation, a: Value, axis: int) -> Value:
    size = jax.tree.leaves(a)[0].shape[axis]
    parts = [jax.tree.map(lambda x, i=i: jnp.take(x, i, axis), a) for i in range(size)]
    return reduce(operation, parts)


def _sum(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _folds(s, o, "sum", s.sum, s.plus)


def _prod(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _folds(s, o, "prod", s.prod, s.times)


def _folds(
    s: Semiring,
    o: Operands,
    name: str,
    along: Callable[[Value, int], Value],
    operation: Operation,
) -> Iterator[Equation]:
    first = jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1), o.a)
    alone = at(o.a, slice(1), slice(None))
    for value, axis, note in (
        (first, 0, ""),
        (o.a, 1, ""),
        (o.a, -1, ""),
        (alone, 1, ", of one entry,"),
    ):
        statement = f"{name} of a along axis {axis}{note} is the fold"
        yield equal_values(s, statement, along(value, axis), _fold(operation, value, axis))


def _empty_axes(s: Semiring, o: Operands) -> Iterator[Equation]:
    for shape, axis in (((0,), 0), ((2, 0, 3), 1), ((2, 0), -1)):
        rest = tuple(np.delete(shape, axis).tolist())
        empty = s.zeros(shape)
        where = f"over axis {axis} of shape {shape}"
        yield equal_values(s, f"sum {where} = 0", s.sum(empty, axis), s.zeros(rest))
        yield equal_values(s, f"prod {where} = 1", s.prod(empty, axis), s.ones(rest))
    product = s.matmul(s.ones((2, 0)), s.ones((0, 3)))
    yield equal_values(s, "matmul of [2, 0] and [0, 3] = 0", product, s.zeros((2, 3)))


def _broadcasting(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b = at(o.a, slice(1), slice(None)), at(s.lift(o.w, o.n), slice(1))

    def whole(x: jax.Array) -> jax.Array:
        return jnp.broadcast_to(x, (len(x), *SHAPE))

    rows, columns = jax.tree.map(whole, (a, b))
    for sign, operation in (("+", s.plus), ("", s.times)):
        got, expected = operation(a, b), operation(rows, columns)
        yield equal_values(s, f"row a {sign} column b of lifted w and n", got, expected)
        got, expected = operation(b, a), operation(columns, rows)
        yield equal_values(s, f"column b of lifted w and n {sign} row a", got, expected)


def _matmul(s: Semiring, o: Operands) -> Iterator[Equation]:
    b = jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), o.b)
    statement = "matmul of a and the transpose of b is the sum of products"
    yield equal_values(s, statement, s.matmul(o.a, b), Semiring.matmul(s, o.a, b))


def _group_sum(s: Semiring, o: Operands) -> Iterator[Equation]:
    summed, zero = s.group_sum(o.a, GROUPS), s.zeros(o.w.shape[:-1])
    expected = (
        s.plus(at(o.a, 1), at(o.a, 3)),
        zero,
        s.plus(at(o.a, 0), at(o.a, 2)),
        zero,
    )
    for group, value in enumerate(expected):
        statement = f"group {group} of group_sum of a , items in 2 0 2 0"
        yield equal_values(s, statement, at(summed, group), value)


def _group_spread(s: Semiring, o: Operands) -> Iterator[Equation]:
    spread = s.group_spread(o.a, GROUPS)
    for item, group in enumerate(GROUPS.group.tolist()):
        statement = f"item {item} of group_spread of a , items in 2 0 2 0"
        yield equal_values(s, statement, at(spread, item), at(o.a, group))


def _balance(s: Semiring, o: Operands) -> Iterator[Equation]:
    shape = o.w.shape
    for axes in ((), (1,), (-1, 1), (0, 1, 2)):
        balanced, factor = s.balance(o.a, axes)
        gone = {axis % 3 for axis in axes}
        kept = [size for axis, size in enumerate(shape) if axis not in gone]
        where = f"for balance of a along {axes}"
        yield Equation(f"rank of the factor {where}", factor.ndim, len(kept))
        yield Equation(f"factor is finite {where}", jnp.isfinite(factor), jnp.ones(kept, bool))
        put_back = s.log_weight(balanced) + jnp.expand_dims(factor, axes)
        statement = f"log_weight + factor is as before {where}"
        yield Equation(statement, put_back, s.log_weight(o.a))


def _where(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b, condition = o.a, s.lift(o.w, o.n), o.n[..., :1] > 0
    expected = jax.tree.map(lambda x, y: jnp.where(condition, x, y), s.observe(a), s.observe(b))
    statement = "where a or lifted w and n chooses entries"
    yield Equation(statement, s.observe(s.where(condition, a, b)), expected)


def _concatenate(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b = o.a, s.lift(o.w, o.n)
    for axis in (1, -1):
        join = partial(jnp.concatenate, axis=axis)
        expected = jax.tree.map(lambda *xs, f=join: f(xs), s.observe(a), s.observe(b))
        statement = f"concatenate a and lifted w and n along {axis} joins"
        yield Equation(statement, s.observe(s.concatenate([a, b], axis)), expected)


def _law(name: str, statement: str, equations: Equations, extreme: bool = False) -> Law:
    return Law(name, statement, equations, shape=SHAPE, extreme=extreme)


ARRAYS: tuple[Law, ...] = (
    _law("sum folds plus", "sum is the fold of plus", _sum),
    _law("prod folds times", "prod is the fold of times, in order", _prod),
    _law("empty axes", "no summands give 0, no factors give 1", _empty_axes),
    _law("broadcasting", "plus and times broadcast", _broadcasting),
    _law("matmul", "matmul is the sum of products", _matmul),
    _law(
        "matmul of extreme weights",
        "the same, for weights from e**-200 to e**80",
        _matmul,
        extreme=True,
    ),
    _law("group sum", "group_sum adds up each group", _group_sum),
    _law("group spread", "group_spread gives each item its group's entry", _group_spread),
    _law("balance", "log_weight(balanced) + factor = log_weight(a)", _balance),
    _law("where", "where chooses entries", _where),
    _law("concatenate", "concatenate joins", _concatenate),
)
"""The laws of arrays."""
