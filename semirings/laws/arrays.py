"""The laws of arrays, of methods overridden for speed, and of NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value, take
from semirings.capabilities import Divisible, Selective
from semirings.laws.law import Equation, Equations, Law, Operands, equal_values

# Axes of an operand besides the draws; 9 exceeds the width of any unrolled sum.
SHAPE = (3, 9)

# Nine items in groups of three, none, four, one and one.
GROUPS = Groups.of([2, 0, 2, 4, 0, 2, 0, 3, 2], 5)

# Numbers of entries and their axis, from the front or the back.
PLACES = ((1, 0), (2, -1), (3, 1), (5, -3), (7, -2), (9, 2))

Operation = Callable[[Value, Value], Value]


def _sum(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _folds("sum", s, o, s.sum, s.plus, PLACES)
    # More than sums process in one piece.
    many = jax.tree.map(lambda x: jnp.resize(x, (2, 15, 20)), o.a)
    whole = s.sum(jax.tree.map(lambda x: x.reshape(2, 300), many), -1)
    statement = "the sum of 300 entries is that of 15 sums of 20"
    yield equal_values(s, statement, whole, s.sum(s.sum(many, -1), -1))


def _sum_of_extremes(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _folds("sum", s, o, s.sum, s.plus, ((4, -1),))


def _prod(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _folds("prod", s, o, s.prod, s.times, PLACES)


def _folds(
    name: str,
    s: Semiring,
    o: Operands,
    along: Callable[[Value, int], Value],
    operation: Operation,
    places: tuple[tuple[int, int], ...],
) -> Iterator[Equation]:
    folds = _accumulate(operation, o.a)
    for size, axis in places:
        part = jax.tree.map(lambda x, n=size, i=axis: jnp.moveaxis(x[..., :n], -1, i), o.a)
        statement = f"{name} of {size} of a along axis {axis} is the fold"
        yield equal_values(s, statement, along(part, axis), folds[size - 1])


def _accumulate(operation: Operation, a: Value) -> list[Value]:
    """Fold along the last axis in a loop, which compiles the operation once."""
    first = take[..., 0](a)

    def step(total: Value, x: Value) -> tuple[Value, Value]:
        # A loop state keeps its dtype.
        total = jax.tree.map(lambda x, y: x.astype(y.dtype), operation(total, x), first)
        return total, total

    later = jax.tree.map(lambda x: jnp.moveaxis(x[..., 1:], -1, 0), a)
    _, totals = jax.lax.scan(step, first, later)
    count = jax.tree.leaves(a)[0].shape[-1] - 1
    return [first, *(take[i](totals) for i in range(count))]


def _empty_axes(s: Semiring, o: Operands) -> Iterator[Equation]:
    for shape, axis in (((0,), 0), ((2, 0, 3), 1), ((2, 0), -1), ((0, 2, 3), -3)):
        remaining = tuple(np.delete(shape, axis).tolist())
        empty = s.zeros(shape)
        where = f"over axis {axis} of shape {shape}"
        yield equal_values(s, f"sum {where} = 0", s.sum(empty, axis), s.zeros(remaining))
        yield equal_values(s, f"prod {where} = 1", s.prod(empty, axis), s.ones(remaining))
    product = s.matmul(s.ones((2, 0)), s.ones((0, 3)))
    yield equal_values(s, "matmul of [2, 0] and [0, 3] = 0", product, s.zeros((2, 3)))


def _broadcasting(s: Semiring, o: Operands) -> Iterator[Equation]:
    b = s.lift(o.w, o.n)
    for note, x, y in (
        ("row a and column b of lifted w and n", take[..., :1, :](o.a), take[..., :1](b)),
        ("a and one row of all draws", o.a, _first(b, 2)),
        ("a and a single value", o.a, _first(b, 3)),
    ):
        shape = jnp.broadcast_shapes(*(jax.tree.leaves(each)[0].shape for each in (x, y)))
        whole = [jax.tree.map(partial(jnp.broadcast_to, shape=shape), each) for each in (x, y)]
        for name, operation in (("plus", s.plus), ("times", s.times)):
            total, expected = operation(x, y), operation(*whole)
            yield equal_values(s, f"{name} broadcasts {note}", total, expected)
            total, expected = operation(y, x), operation(*reversed(whole))
            yield equal_values(s, f"{name} broadcasts {note} the other way", total, expected)


def _first(a: Value, axes: int) -> Value:
    """Return the first entry along each of the first axes."""
    return take[(0,) * axes](a)


def _matmul(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield _product(s, "a and the transpose of b", o.a, _transposed(o.b))


def _matmul_in_batches(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield from _matmul(s, o)
    b = _transposed(o.b)
    single, pair = _first(b, 1), take[:2](b)
    yield _product(s, "a and one matrix for all draws", o.a, single)
    yield _product(s, "one matrix for all draws and the transpose of b", _first(o.a, 1), b)
    column = take[:, None](o.a)
    yield _product(s, "a with a batch axis of one and two matrices", column, pair)


def _transposed(a: Value) -> Value:
    return jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), a)


def _product(s: Semiring, factors: str, a: Value, b: Value) -> Equation:
    statement = f"matmul of {factors} is the sum of products"
    return equal_values(s, statement, s.matmul(a, b), Semiring.matmul(s, a, b))


def _group_sum(s: Semiring, o: Operands) -> Iterator[Equation]:
    summed, zero = s.group_sum(o.a, GROUPS), s.zeros(o.w.shape[:-1])
    # Items are sorted by group and folded one by one.
    order = np.argsort(GROUPS.group, kind="stable")
    starts = np.append(True, np.diff(GROUPS.group[order]) != 0)
    ends = np.flatnonzero(np.append(starts[1:], True))

    def add(total: Value, item: tuple[Value, jax.Array]) -> tuple[Value, Value]:
        value, begins = item
        total = s.where(begins, value, s.plus(total, value))
        total = jax.tree.map(lambda x, y: x.astype(y.dtype), total, value)
        return total, total

    items = jax.tree.map(lambda x: jnp.moveaxis(x[..., order], -1, 0), o.a)
    _, totals = jax.lax.scan(add, take[0](items), (items, jnp.asarray(starts)))
    last = dict(zip(GROUPS.group[order[ends]].tolist(), ends.tolist(), strict=True))
    for group in range(len(GROUPS.table)):
        members = np.flatnonzero(GROUPS.group == group).tolist()
        expected = take[last[group]](totals) if members else zero
        statement = f"group {group} of group_sum of a , items {members}"
        yield equal_values(s, statement, take[..., group](summed), expected)


def _group_spread(s: Semiring, o: Operands) -> Iterator[Equation]:
    spread = s.group_spread(take[..., : len(GROUPS.table)](o.a), GROUPS)
    for item, group in enumerate(GROUPS.group.tolist()):
        statement = f"item {item} of group_spread of a , in group {group}"
        yield equal_values(s, statement, take[..., item](spread), take[..., group](o.a))


# The axes along which ``balance`` uses one factor.
AXES = ((), (1,), (-1, 1), (0, 1, 2))


def _balance(s: Semiring, o: Operands) -> Iterator[Equation]:
    shape = o.w.shape
    for axes in AXES:
        balanced, factor = s.balance(o.a, axes)
        gone = {axis % 3 for axis in axes}
        remaining = [size for axis, size in enumerate(shape) if axis not in gone]
        where = f"for balance of a along {axes}"
        yield Equation(f"rank of the factor {where}", factor.ndim, len(remaining))
        yield Equation(f"factor is finite {where}", jnp.isfinite(factor), jnp.ones(remaining, bool))
        put_back = s.log_weight(balanced) + jnp.expand_dims(factor, axes)
        statement = f"log_weight + factor is as before {where}"
        yield Equation(statement, put_back, s.log_weight(o.a))


def _balance_restores(s: Semiring, o: Operands) -> Iterator[Equation]:
    for axes in AXES:
        balanced, factor = s.balance(o.a, axes)
        factor = jnp.expand_dims(factor, axes)
        # A log factor of 0 multiplies nothing: not every semiring lifts 0.0 to one.
        put_back = s.where(factor == 0, balanced, s.times(s.lift(factor), balanced))
        yield equal_values(s, f"lift(factor) balanced = a along {axes}", put_back, o.a)


def _where(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b, some = o.a, s.lift(o.w, o.n), np.arange(SHAPE[1]) % 3 == 1
    conditions = {
        "computed": o.n > 0,
        "computed for rows": o.n[..., :1] > 0,
        "computed for columns": o.n[0, 0] > 0,
        "of numpy": np.broadcast_to(some, o.w.shape),
        "of numpy for columns": some,
        "of numpy, a single one,": np.ones((), bool),
    }
    for note, condition in conditions.items():
        yield _choice(s, f"a condition {note} chooses from a and lifted w and n", condition, a, b)
    first = _first(a, 3)
    yield _choice(s, "where chooses from a and a single value", conditions["computed"], a, first)
    yield _choice(s, "where chooses from a single value and a", conditions["of numpy"], first, a)


def _choice(
    s: Semiring, statement: str, condition: jax.Array | np.ndarray, a: Value, b: Value
) -> Equation:
    x, y = s.observe(a), s.observe(b)
    expected = jax.tree.map(lambda x, y: jnp.where(jnp.asarray(condition), x, y), x, y)
    return Equation(statement, s.observe(s.where(condition, a, b)), expected)


def _concatenate(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b = o.a, s.lift(o.w, o.n)
    for axis in (1, -1, -2):
        for joined, description in (
            ([a], "a"),
            ([a, b], "a and lifted w and n"),
            ([a, b, a], "three"),
        ):
            observed = [s.observe(each) for each in joined]
            expected = jax.tree.map(lambda *xs, i=axis: jnp.concatenate(xs, i), *observed)
            statement = f"concatenate of {description} along {axis} joins"
            yield Equation(statement, s.observe(s.concatenate(joined, axis)), expected)


def _law(name: str, statement: str, equations: Equations, extreme: bool = False) -> Law:
    return Law(name, statement, equations, shape=SHAPE, extreme=extreme)


ARRAYS: tuple[Law, ...] = (
    _law("sum folds plus", "sum is the fold of plus", _sum),
    _law(
        "sum of extreme weights",
        "the same, for weights from e**-200 to e**80",
        _sum_of_extremes,
        extreme=True,
    ),
    _law("prod folds times", "prod is the fold of times, in order", _prod),
    _law("empty axes", "no summands give 0, no factors give 1", _empty_axes),
    _law("broadcasting", "plus and times broadcast", _broadcasting),
    _law("matmul", "matmul is the sum of products", _matmul_in_batches),
    _law(
        "matmul of extreme weights",
        "the same, for weights from e**-200 to e**80",
        _matmul,
        extreme=True,
    ),
    _law("group sum", "group_sum adds up each group", _group_sum),
    _law("group spread", "group_spread gives each item its group's entry", _group_spread),
    _law("balance", "log_weight(balanced) + factor = log_weight(a)", _balance),
    _law("balance restores", "lift(factor) balanced = a, in all that is seen", _balance_restores),
    _law("where", "where chooses entries", _where),
    _law("concatenate", "concatenate joins", _concatenate),
)

# The entry of each operand that is NaN.
ROW, COLUMN = 1, 2

# Each item is a group of its own.
GROUPS_OF_ITEMS = Groups.of(range(SHAPE[-1]), SHAPE[-1])


def _nan(s: Semiring, o: Operands) -> Iterator[Equation]:
    entry = jnp.zeros(SHAPE, bool).at[ROW, COLUMN].set(True)
    row = entry.any(1)
    a, b = s.lift(jnp.where(entry, jnp.nan, o.w)), s.lift(o.w)
    product = jnp.broadcast_to(row[:, None], (SHAPE[0], SHAPE[0]))
    values: dict[str, tuple[Value, jax.Array]] = {
        "lift": (a, entry),
        "plus": (s.plus(a, b), entry),
        "plus, on the right,": (s.plus(b, a), entry),
        "plus of zero": (s.plus(s.zeros(SHAPE), a), entry),
        "times": (s.times(a, b), entry),
        "times, on the right,": (s.times(b, a), entry),
        "times zero": (s.times(a, s.zeros(SHAPE)), entry),
        "zero times": (s.times(s.zeros(SHAPE), a), entry),
        "sum": (s.sum(a, -1), row),
        "prod": (s.prod(a, -1), row),
        "matmul": (s.matmul(a, _transposed(b)), product),
        "matmul, on the right,": (s.matmul(b, _transposed(a)), product.T),
        "balance": (s.balance(a, (-1,))[0], entry),
        # A matrix product spreads it over all groups.
        "group_sum": (take[..., GROUPS.group[COLUMN]](s.group_sum(a, GROUPS)), row),
        "group_spread": (take[..., COLUMN](s.group_spread(a, GROUPS_OF_ITEMS)), row),
    }
    if s.laws.star:
        values["star"] = s.star(a), entry
    for name, (value, expected) in values.items():
        seen = jnp.isnan(s.log_weight(value))
        statement = f"{name} of NaN is NaN, and nothing else is"
        yield Equation(
            statement, seen, jnp.broadcast_to(expected, seen.shape), {"log weights": o.w}
        )
    if isinstance(s, Divisible):
        share = jnp.isnan(cast("Callable[..., jax.Array]", s.shares)(a, -1))[:, ROW, COLUMN]
        yield Equation("the share of NaN is NaN", share, jnp.ones_like(share))
    if isinstance(s, Selective):
        chosen = s.select(a, -1)[:, ROW]
        yield Equation("select chooses NaN", chosen, jnp.full_like(chosen, COLUMN))


NAN: tuple[Law, ...] = (
    Law("NaN", "an operation on NaN is NaN, even where zero is a factor", _nan, shape=SHAPE),
)
