"""The table of `semirings.counting`, and its arithmetic compared with Python's integers."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirings.counting import MOST, Counting

INF = np.inf
S = Counting()
numbers = st.one_of(
    st.integers(0, 5), st.integers(0, 2**31 - 1), st.sampled_from([46340, 46341, 2**31 - 1])
)


@pytest.mark.parametrize(
    "weight, value, read", [(-INF, 0, -INF), (-200.0, 1, 0.0), (0.0, 1, 0.0), (INF, 1, 0.0)]
)
def test_lift_and_read(weight: float, value: int, read: float):
    lifted = S.lift(jnp.float32(weight))
    assert lifted.dtype == jnp.int32
    assert lifted == value
    assert S.log_weight(lifted) == read


def test_the_table():
    most, unit, two = (jnp.int32(x) for x in (MOST, 1, 2))
    assert S.log_weight(S.plus(unit, unit)) == pytest.approx(math.log(2))
    assert S.log_weight(most) == pytest.approx(31 * math.log(2))
    np.testing.assert_array_equal(S.star(jnp.array([0, 1, 7, MOST])), [1, MOST, MOST, MOST])
    assert S.count(two) == 2


@jax.jit
def results(a: jax.Array) -> tuple[jax.Array, ...]:
    square = a.reshape(2, 3)
    table = S.plus(a[:, None], a[None]), S.times(a[:, None], a[None])
    return (*table, S.sum(a, 0), S.prod(a, 0), S.matmul(square, square.T))


@given(st.lists(numbers, min_size=6, max_size=6))
def test_arithmetic_is_that_of_python(values: list[int]):
    plus, times, total, product, square = results(np.array(values, np.int32))
    np.testing.assert_array_equal(plus, [[min(x + y, MOST) for y in values] for x in values])
    np.testing.assert_array_equal(times, [[min(x * y, MOST) for y in values] for x in values])
    assert total == min(sum(values), MOST)
    assert product == min(math.prod(values), MOST)
    rows = [values[:3], values[3:]]
    expected = [
        [min(sum(x * y for x, y in zip(r, c, strict=True)), MOST) for c in rows] for r in rows
    ]
    np.testing.assert_array_equal(square, expected)


def test_long_sums():
    """The sums have more and larger terms than half words can hold."""
    ones = jnp.ones((3, 100_000), jnp.int32)
    np.testing.assert_array_equal(S.sum(ones, 1), 100_000)
    np.testing.assert_array_equal(S.sum(ones * 2**16, -1), MOST)
    exact = jnp.full((2**15,), 2**16, jnp.int32).at[0].add(-1)
    assert S.sum(exact, 0) == 2**31 - 1
    assert S.sum(exact.at[0].add(-1), 0) == 2**31 - 2


def test_walks_are_counted():
    """Walks of four steps in a graph, enumerated."""
    arcs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    a = S.lift(jnp.where(jnp.asarray(arcs) > 0, -3.5, -INF))
    walks = S.matmul(S.matmul(a, a), S.matmul(a, a))
    expected = np.zeros((3, 3), int)
    for i, j, k, m, n in itertools.product(range(3), repeat=5):
        expected[i, n] += arcs[i, j] * arcs[j, k] * arcs[k, m] * arcs[m, n]
    np.testing.assert_array_equal(S.count(walks), expected)
