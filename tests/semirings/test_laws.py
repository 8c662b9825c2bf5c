"""Properties that the conformance kit does not check: scales, declarations, ties, and features."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirings import Derivation, Expectation, Groups, Real, Semiring, Viterbi
from semirings.laws import check
from tests.semirings.cases import EVERY, features, log_weights, same


def with_laws(semiring: Semiring, **declared: bool) -> Semiring:
    """Return the same semiring with additional declared laws."""
    bold = type("Bold", (type(semiring),), {"laws": replace(semiring.laws, **declared)})
    return bold(**{field.name: getattr(semiring, field.name) for field in fields(semiring)})


@pytest.mark.parametrize("semiring", EVERY, ids=repr)
def test_declarations_are_as_strong_as_they_can_be(semiring: Semiring):
    """An undeclared law must fail somewhere: no semiring declares too little by mistake."""
    for law in ("commutative", "idempotent", "selective"):
        if not getattr(semiring.laws, law):
            assert not check(with_laws(semiring, **{law: True}), draws=100, only=[law]).ok, law


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


def test_expectations_count_linearly():
    s = Expectation()
    heads = s.lift(jnp.log(jnp.float32(0.3)), jnp.float32(1.0))
    tails = s.lift(jnp.log(jnp.float32(0.7)), jnp.float32(0.0))
    toss = s.plus(heads, tails)
    four = s.prod(jax.tree.map(lambda x: jnp.stack([x] * 4), toss), 0)
    assert s.expected_value(four) == pytest.approx(1.2, rel=1e-5)
    assert s.expected_value(s.zeros(())) == 0.0
    weight = jax.grad(lambda w: s.expected_value(type(four)(jnp.log(w), w * 0.0)))(jnp.float32(0.0))
    assert weight == 0.0


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


def test_the_gradient_of_a_tag_is_the_derivation():
    """(a + b) * c + d * e, where the second product is larger."""
    s = Derivation()

    def tag(feature: jax.Array) -> jax.Array:
        a, b, c, d, e = (s.lift(jnp.float32(w), n) for w, n in zip([0, 1, 1, 3, 0], feature,
                                                                     strict=True))  # fmt: skip
        return s.plus(s.times(s.plus(a, b), c), s.times(d, e)).tag

    np.testing.assert_array_equal(jax.grad(tag)(jnp.zeros(5)), [0, 0, 0, 1, 1])


@pytest.mark.parametrize("semiring", [Viterbi(), Derivation()], ids=lambda s: s.name)
def test_ties_have_one_winner_the_first(semiring: Semiring):
    def total(weights: jax.Array) -> jax.Array:
        return semiring.log_weight(semiring.sum(semiring.lift(weights), 0))

    np.testing.assert_array_equal(jax.grad(total)(jnp.array([1.0, 2.0, 2.0])), [0, 1, 0])

    def pair(a: jax.Array, b: jax.Array) -> jax.Array:
        return semiring.log_weight(semiring.plus(semiring.lift(a), semiring.lift(b)))

    assert jax.grad(pair, (0, 1))(1.0, 1.0) == (1.0, 0.0)
