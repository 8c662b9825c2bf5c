"""The table of `semirings.provenance`, and its sets compared with Python's."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings.provenance import Provenance, Supported

INF = np.inf
S = Provenance(70)
Sets = list[frozenset[int] | None]
SETS: Sets = [
    None, frozenset(), *(frozenset(x) for x in ({0}, {31}, {32}, {64, 69}, {0, 31, 32, 69})),
]  # fmt: skip


def read(value: Supported) -> Sets:
    """Return the values of a row as Python sets, None for zero."""
    members = np.asarray(S.supporters(value))
    possible = np.asarray(value.possible)
    assert members.shape == (*possible.shape, S.size)
    assert not members[~possible].any()
    return [
        frozenset(np.flatnonzero(row).tolist()) if is_possible else None
        for row, is_possible in zip(members, possible, strict=True)
    ]


@jax.jit
def product(weight: jax.Array, labels: jax.Array) -> Supported:
    return S.prod(S.lift(jnp.broadcast_to(weight[:, None], labels.shape), labels), 1)


def write(sets: Sets) -> Supported:
    """Create a row of values, each the product of its elements."""
    labels = [[*(x or ()), *[-1] * (4 - len(x or ()))] for x in sets]
    return product(np.array([-INF if x is None else 0.0 for x in sets]), np.array(labels))


def unite(x: frozenset[int] | None, y: frozenset[int] | None) -> frozenset[int] | None:
    return y if x is None else x if y is None else x | y


def test_operations_are_those_of_sets():
    assert read(write(SETS)) == SETS
    rows = list(itertools.product(SETS, repeat=2))
    a, b = write([x for x, _ in rows]), write([y for _, y in rows])

    @jax.jit
    def operations(a: Supported, b: Supported) -> tuple[Supported, ...]:
        stacked = jax.tree.map(lambda x, y: jnp.stack([x, y]), a, b)
        return S.plus(a, b), S.times(a, b), S.sum(stacked, 0), S.star(a)

    plus, times, total, star = map(read, operations(a, b))
    assert plus == [unite(x, y) for x, y in rows]
    assert times == [None if x is None or y is None else x | y for x, y in rows]
    assert total == plus
    assert star == [x or frozenset() for x, _ in rows]


@pytest.mark.parametrize(
    "weight, feature, expected",
    [
        (-INF, 3, None),
        (-200.0, 3, {3}),
        (INF, 3, {3}),
        (0.0, None, set()),
        (0.0, -1, set()),
        (0.0, 69.0, {69}),
        (0.0, 70, set()),  # beyond the last element, though the last word has room for it
        (0.0, 96, set()),
    ],
)
def test_lift(weight: float, feature: float | None, expected: set[int] | None):
    label = None if feature is None else jnp.array([feature])
    value = S.lift(jnp.array([weight]), label)
    assert read(value) == [expected]
    assert any(word.any() for word in value.words) == bool(expected)
    np.testing.assert_array_equal(S.log_weight(value), -INF if expected is None else 0.0)
    assert [x.dtype for x in jax.tree.leaves(value)] == [bool] + [jnp.uint32] * 3


@pytest.mark.parametrize("size, words", [(1, 1), (32, 1), (33, 2), (64, 2), (65, 3)])
def test_words(size: int, words: int):
    s = Provenance(size)
    last = s.lift(jnp.float32(0.0), jnp.int32(size - 1))
    assert len(last.words) == words
    assert np.flatnonzero(s.supporters(last)).tolist() == [size - 1]


def test_a_set_needs_room():
    with pytest.raises(ValueError, match="size is 0"):
        Provenance(0)
