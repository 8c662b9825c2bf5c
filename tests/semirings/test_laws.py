"""Properties that the conformance kit does not check: scales, declarations, ties, and features."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirings import Expectation, Groups, Real, Semiring
from tests.semirings.cases import features, log_weights, same


def test_groups():
    groups = Groups.of([2, 0, 2, 0], 4)
    np.testing.assert_array_equal(groups.table, [[1, 3], [4, 4], [0, 2], [4, 4]])
    np.testing.assert_array_equal(groups.group, [2, 0, 2, 0])
    np.testing.assert_array_equal(groups.membership.argmax(1), [2, 0, 2, 0])
    np.testing.assert_array_equal(groups.membership.sum(1), 1.0)
    nothing = Groups.of([], 3)
    assert nothing.table.shape == (3, 1)
    assert nothing.membership.shape == (0, 3)


@pytest.mark.parametrize("axes", [(), (0,), (1, 2), (0, 1, 2)])
@settings(max_examples=5)
@given(weights=log_weights(), feature=features(), shift=st.sampled_from([-60.0, 0.0, 60.0]))
def test_the_largest_of_what_is_balanced_is_one(
    axes: tuple[int, ...], weights: np.ndarray, feature: np.ndarray, shift: float
):
    s = Expectation(Real())
    value = s.lift(jnp.asarray(weights) + np.float32(shift), jnp.asarray(feature))
    balanced, log_factor = s.balance(value, axes)
    assert np.isfinite(log_factor).all()
    put_back = s.log_weight(balanced) + np.expand_dims(log_factor, axes)
    np.testing.assert_allclose(put_back, s.log_weight(value), rtol=1e-5, atol=1e-4)
    largest = np.max(balanced.weight, axes)
    assert np.all(np.isclose(largest, 1.0) | (largest == 0.0))
    same(s.expected_value(balanced), s.expected_value(value))


@pytest.mark.parametrize("semiring", [Real(), Expectation(Real())], ids=repr)
def test_balance_of_what_is_almost_zero_is_finite(semiring: Semiring):
    value = semiring.lift(jnp.array([-103.0, -92.0, -np.inf]))
    balanced, log_factor = semiring.balance(value, (0,))
    assert np.isfinite(log_factor)
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(balanced))


@partial(jax.jit, static_argnums=0)
def averages(
    s: Expectation, log_weight: jax.Array, feature: jax.Array
) -> list[tuple[jax.Array, jax.Array]]:
    """Return the weights and averages of a matrix product and of sums of groups."""
    value = s.lift(log_weight, feature)
    product = s.matmul(value, jax.tree.map(lambda x: jnp.swapaxes(x, 1, 2), value))
    values = [product, s.group_sum(value, Groups.of([2, 0, 2, 0], 4))]
    return [(s.log_weight(x), s.expected_value(x)) for x in values]


@partial(jax.jit, static_argnums=0)
@partial(jax.grad, argnums=1)
def slope_of_averages(s: Expectation, log_weight: jax.Array, feature: jax.Array) -> jax.Array:
    pairs = averages(s, log_weight, feature)
    return sum((jnp.sum(average**2) for _, average in pairs), jnp.zeros(()))


@settings(max_examples=10)
@given(weights=log_weights(), feature=features())
def test_averages_of_products_and_groups_over_reals_are_those_over_logs(
    weights: np.ndarray, feature: np.ndarray
):
    """In ``Real`` they are computed from sums of weight times feature, with fewer operations."""
    over_reals, over_logs = Expectation(Real()), Expectation()
    same(averages(over_reals, weights, feature), averages(over_logs, weights, feature))
    near = np.maximum(weights, np.float32(-5.0))
    slopes = (slope_of_averages(s, near, feature) for s in (over_reals, over_logs))
    same(*slopes, 1e-3)
