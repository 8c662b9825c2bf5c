"""The table of `semirings.boolean`, and its operations compared with Python's."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from semirings.boolean import Boolean

INF = np.inf
S = Boolean()


@pytest.mark.parametrize(
    "weight, possible, read", [(-INF, False, -INF), (-200.0, True, 0.0), (INF, True, 0.0)]
)
def test_lift_and_read(weight: float, possible: bool, read: float):
    value = S.lift(jnp.float32(weight))
    assert value.dtype == bool
    assert bool(value) == possible
    assert S.log_weight(value) == read


def test_operations_are_pythons():
    rows = [(x, y, z) for x in (False, True) for y in (False, True) for z in (False, True)]
    a = jnp.array(rows)
    np.testing.assert_array_equal(S.sum(a, 1), [any(row) for row in rows])
    np.testing.assert_array_equal(S.prod(a, 1), [all(row) for row in rows])
    np.testing.assert_array_equal(S.plus(a[:, 0], a[:, 1]), [x or y for x, y, _ in rows])
    np.testing.assert_array_equal(S.times(a[:, 0], a[:, 1]), [x and y for x, y, _ in rows])
    np.testing.assert_array_equal(S.star(a), True)
    first = [row.index(True) if any(row) else 0 for row in rows]
    np.testing.assert_array_equal(S.select(a, 1), first)


def test_matmul_of_a_long_axis():
    """Only the last of 5,000 terms is true, or all of them."""
    a = jnp.zeros((2, 5000), bool).at[0, -1].set(True)
    b = jnp.ones((5000, 1), bool)
    np.testing.assert_array_equal(S.matmul(a, b), [[True], [False]])
    np.testing.assert_array_equal(S.matmul(b.T, b), [[True]])
