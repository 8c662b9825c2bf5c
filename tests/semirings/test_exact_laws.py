"""Laws of semirings with exact arithmetic: on all triples of some elements, with equality.

The elements include zero, one, values that saturate, overflow or are infinite, and ties.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import Groups, Laws, Semiring, Value
from semirings.boolean import Boolean
from semirings.counting import MOST, Counting
from semirings.product import Pair, Product
from semirings.provenance import Provenance
from semirings.tropical import Tropical
from tests.semirings.strings import Coded, Strings

INF = np.inf
STRINGS = Strings(length=3, letters=2)
NUMBERS = (0, 1, 2, 3, 5, 2**15, 46340, 46341, 2**16, 2**30, 2**31 - 2, 2**31 - 1)


class Elements(NamedTuple):
    """A semiring and a row of its values, ``[elements]``."""

    semiring: Semiring
    values: Value


def strings() -> Coded:
    """Return every string of up to three letters out of two, and the zero."""
    pairs = [(size, code) for size in range(4) for code in range(2**size)]
    size, code = np.array([*pairs, (4, 0)], np.int32).T
    return Coded(jnp.asarray(size), jnp.asarray(code))


def sets() -> Value:
    """Return sets over two words, the empty set, and the zero."""
    s = Provenance(40)
    labels = jnp.array([-1, 0, 31, 32, 39])
    single = s.lift(jnp.zeros(5), labels)
    pairs = s.plus(single, jax.tree.map(lambda x: jnp.roll(x, 1), single))
    return s.concatenate([single, pairs, s.zeros((1,))], 0)


def pairs() -> Pair:
    """Return numbers and strings in all combinations."""
    numbers = jnp.array([0, 1, 2, 46341, MOST] * 3, jnp.int32)
    words = jax.tree.map(lambda x: jnp.concatenate([x[-1:], x])[:15], strings())
    return Pair(numbers, words)


CASES = (
    Elements(Tropical(), jnp.array([INF, -INF, 0.0, 1.0, -2.0, 1.0, 2.0**20])),
    Elements(Boolean(), jnp.array([False, True])),
    Elements(Counting(), jnp.array(NUMBERS, jnp.int32)),
    Elements(Provenance(40), sets()),
    Elements(STRINGS, strings()),
    Elements(Product(Counting(), STRINGS), pairs()),
)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: c.semiring.name)
selective = pytest.mark.parametrize(
    "case", [c for c in CASES if c.semiring.laws.selective], ids=lambda c: c.semiring.name
)
discrete = pytest.mark.parametrize(
    "case", [c for c in CASES if c.semiring.name != "tropical"], ids=lambda c: c.semiring.name
)


def equal(x: Value, y: Value) -> None:
    assert jax.tree.structure(x) == jax.tree.structure(y)
    for left, right in zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)


def differ(x: Value, y: Value) -> bool:
    leaves = zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True)
    return any(bool(np.any(left != right)) for left, right in leaves)


def sides(case: Elements) -> dict[str, tuple[Value, Value]]:
    """Compute both sides of each law, on all triples."""
    s, values = case

    @jax.jit
    def compute(values: Value) -> dict[str, tuple[Value, Value]]:
        a = jax.tree.map(lambda x: x[:, None, None], values)
        b = jax.tree.map(lambda x: x[None, :, None], values)
        c = jax.tree.map(lambda x: x[None, None, :], values)
        zero, unit = s.zeros_like(a), s.ones_like(a)
        plus, times = s.plus, s.times
        return {
            "plus associates": (plus(plus(a, b), c), plus(a, plus(b, c))),
            "plus commutes": (plus(a, b), plus(b, a)),
            "plus zero": (plus(a, zero), a),
            "times associates": (times(times(a, b), c), times(a, times(b, c))),
            "times one": (times(a, unit), a),
            "one times": (times(unit, a), a),
            "times zero": (times(a, zero), zero),
            "zero times": (times(zero, a), zero),
            "left distributive": (times(a, plus(b, c)), plus(times(a, b), times(a, c))),
            "right distributive": (times(plus(a, b), c), plus(times(a, c), times(b, c))),
            "commutative": (times(a, b), times(b, a)),
            "idempotent": (plus(a, a), a),
            "star": (s.star(a), plus(unit, times(a, s.star(a)))),
        }

    return compute(values)


@every_case
def test_laws(case: Elements):
    declared = case.semiring.laws
    for law, (left, right) in sides(case).items():
        if getattr(declared, law, True):
            equal(left, right)
        else:
            assert differ(left, right), f"{law} holds, and is not declared"
    assert declared.star
    assert set(declared.broken) <= {"NaN", "read back", "matmul of extreme weights"}


@every_case
def test_selective_means_one_of_both(case: Elements):
    s, values = case
    a = jax.tree.map(lambda x: x[:, None], values)
    b = jax.tree.map(lambda x: x[None, :], values)
    total = jax.jit(s.plus)(a, b)

    def agrees(x: Value) -> np.ndarray:
        leaves = zip(jax.tree.leaves(total), jax.tree.leaves(x), strict=True)
        return reduce(np.logical_and, (np.asarray(y == z) for y, z in leaves))

    assert bool(np.all(agrees(a) | agrees(b))) == s.laws.selective


@selective
def test_select_names_the_summand(case: Elements):
    s, values = case

    @jax.jit
    def compute(values: Value) -> tuple[Value, Value, jax.Array]:
        a = jax.tree.map(lambda x: jnp.stack([x, jnp.roll(x, 1), jnp.roll(x, 2)]), values)
        winner = s.select(a, 0)
        chosen = jax.tree.map(lambda x: jnp.take_along_axis(x, winner[None], 0)[0], a)
        tie = jax.tree.map(lambda x: jnp.stack([x, x, x]), values)
        return chosen, s.sum(a, 0), s.select(tie, 0)

    chosen, total, first = compute(values)
    equal(chosen, total)
    np.testing.assert_array_equal(first, 0)


@every_case
def test_folds(case: Elements):
    """Sums, products, matrix products and group sums of a block, compared with explicit loops."""
    s, values = case
    groups = Groups.of([2, 0, 2, 0], 4)

    @jax.jit
    def compute(values: Value) -> tuple[Value, ...]:
        a = jax.tree.map(lambda x: jnp.resize(x, (3, 5, 4)), values)
        transposed = jax.tree.map(lambda x: jnp.resize(x[::-1], (3, 4, 2)), values)
        pairs = []
        for axis in (0, 1, -1):
            size = (3, 5, 4)[axis]
            moved = jax.tree.map(lambda x, axis=axis: jnp.moveaxis(x, axis, 0), a)
            parts = [jax.tree.map(lambda x, i=i: x[i], moved) for i in range(size)]
            pairs.append((s.sum(a, axis), reduce(s.plus, parts)))
            pairs.append((s.prod(a, axis), reduce(s.times, parts)))
        pairs.append((s.matmul(a, transposed), Semiring.matmul(s, a, transposed)))
        pairs.append((s.group_sum(a, groups), Semiring.group_sum(s, a, groups)))
        pairs.append((s.group_spread(a, groups), Semiring.group_spread(s, a, groups)))
        rows = [jax.tree.map(lambda x, i=i: x[:, i : i + 1], a) for i in range(5)]
        pairs.append((s.concatenate(rows, 1), a))
        mask = np.arange(4) % 2 == 0
        chosen = s.where(jnp.asarray(mask)[None, None], a, s.zeros_like(a))
        pairs.append((s.sum(chosen, -1), s.plus(*(jax.tree.map(lambda x, i=i: x[..., i], a)
                                                 for i in (0, 2)))))  # fmt: skip
        return tuple(pairs)

    for computed, expected in compute(values):
        equal(computed, expected)


@every_case
@pytest.mark.parametrize("shape, axis", [((0,), 0), ((2, 0, 3), 1), ((2, 0), -1)])
def test_empty_axes(case: Elements, shape: tuple[int, ...], axis: int):
    s = case.semiring
    remaining = tuple(np.delete(shape, axis).tolist())
    equal(s.sum(s.zeros(shape), axis), s.zeros(remaining))
    equal(s.prod(s.zeros(shape), axis), s.ones(remaining))


@every_case
def test_neutral_elements_read_back(case: Elements):
    s = case.semiring
    np.testing.assert_array_equal(s.log_weight(s.zeros((2,))), -INF)
    np.testing.assert_array_equal(s.log_weight(s.ones((2,))), 0.0)
    equal(s.lift(jnp.zeros((2,))), s.ones((2,)))
    equal(s.lift(jnp.full((2,), -INF), jnp.ones((2,))), s.zeros((2,)))
    equal(s.matmul(s.ones((2, 0)), s.ones((0, 3))), s.zeros((2, 3)))
    balanced, log_factor = s.balance(case.values, (0,))
    equal(balanced, case.values)
    assert log_factor == 0.0


@every_case
@pytest.mark.parametrize("x64", [False, True])
def test_dtypes_and_ranks_are_kept(case: Elements, x64: bool, strict_numerics: None):
    """Under strict promotion, with a 64-bit default float, and as a static argument."""
    with jax.enable_x64(x64):
        s = case.semiring
        weight = jnp.zeros((2, 2), jnp.float32)
        a = s.lift(weight, jnp.ones((2, 2), jnp.float32))
        dtypes = [x.dtype for x in jax.tree.leaves(s.zeros((2, 2)))]

        @partial(jax.jit, static_argnums=0)
        def operations(s: Semiring, a: Value) -> tuple[Value, ...]:
            summed = (s.plus(a, a), s.times(a, a), s.sum(a, 0), s.prod(a, 0), s.matmul(a, a))
            return (*summed, s.star(a), s.balance(a, (0,))[0], s.ones((2, 2)))

        for value in operations(s, a):
            assert [x.dtype for x in jax.tree.leaves(value)] == dtypes
        assert s.log_weight(a).dtype == jnp.float32


@discrete
def test_gradients_of_what_has_none_are_zero(case: Elements):
    s = case.semiring

    @jax.jit
    @jax.vmap
    def gradient(weights: jax.Array) -> jax.Array:
        def total(w: jax.Array) -> jax.Array:
            a = s.lift(w, jnp.arange(4.0))
            b = s.times(s.plus(a, s.ones((4,))), s.star(a))
            return s.log_weight(s.sum(b, 0)) + s.log_weight(s.prod(b, 0))

        return jax.grad(total)(weights)

    weights = jnp.array([[-INF] * 4, [-INF, 0.0, 0.0, INF], [0.0, 1.0, -150.0, -INF]])
    np.testing.assert_array_equal(gradient(weights), 0.0)


def test_declarations():
    commutes = {c.semiring.name: c.semiring.laws.commutative for c in CASES}
    assert [name for name, holds in commutes.items() if not holds] == ["strings", "product"]
    assert all(isinstance(c.semiring.laws, Laws) for c in CASES)
