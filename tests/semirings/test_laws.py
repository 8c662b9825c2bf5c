"""Semiring laws, and the equality of fast operations with the defaults they override."""

from __future__ import annotations

from functools import cache, reduce

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirings import Derivation, Expectation, Groups, Log, Sampling, Semiring, Value, Viterbi
from semirings.laws_declared import Laws
from tests.semirings.cases import SEMIRINGS, SHAPE, counts, lift, log_weights, same

every_semiring = pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda s: s.name)
three_values = given(
    weights=st.tuples(log_weights(), log_weights(), log_weights()),
    counted=st.tuples(counts(), counts(), counts()),
)
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
GROUPS = Groups.of([2, 0, 2, 0], 4)
"""Four items in four groups, two of them empty."""


@cache
def jitted(semiring: Semiring, operation: str):
    static = "axis" if operation in ("sum", "prod") else None
    return jax.jit(getattr(semiring, operation), static_argnames=static)


def values(semiring: Semiring, weights: Arrays, counted: Arrays) -> tuple[Value, Value, Value]:
    a, b, c = (lift(semiring, w, n) for w, n in zip(weights, counted, strict=True))
    return a, b, c


def visible(semiring: Semiring, value: Value) -> Value:
    """What of a value the laws speak about.

    What is counted about a thing of weight zero is nobody's business, and neither is which of
    two equally good things won.
    """
    if isinstance(semiring, Derivation | Sampling):
        return semiring.log_weight(value)
    return value


@every_semiring
@settings(max_examples=15)
@three_values
def test_laws(semiring: Semiring, weights: Arrays, counted: Arrays):
    a, b, c = values(semiring, weights, counted)
    plus, times = jitted(semiring, "plus"), jitted(semiring, "times")
    zero, one = semiring.zeros(SHAPE), semiring.ones(SHAPE)

    def equal(x: Value, y: Value) -> None:
        same(visible(semiring, x), visible(semiring, y), 2e-4)

    broken = semiring.laws.broken
    equal(plus(plus(a, b), c), plus(a, plus(b, c)))
    equal(plus(a, b), plus(b, a))
    equal(plus(a, zero), a)
    equal(times(times(a, b), c), times(a, times(b, c)))
    equal(times(a, one), a)
    equal(times(one, a), a)
    equal(times(a, zero), zero)
    equal(times(zero, a), zero)
    if "distributive" not in broken:
        equal(times(a, plus(b, c)), plus(times(a, b), times(a, c)))
        equal(times(plus(a, b), c), plus(times(a, c), times(b, c)))
    if semiring.laws.commutative:
        equal(times(a, b), times(b, a))
    if semiring.laws.idempotent:
        equal(plus(a, a), a)
    if semiring.laws.selective:
        total, x, y = (semiring.log_weight(v) for v in (plus(a, b), a, b))
        assert np.all((total == x) | (total == y))


@every_semiring
def test_declarations_are_as_strong_as_they_can_be(semiring: Semiring):
    """A law that is not declared must fail somewhere: nobody is modest by mistake."""
    a = semiring.lift(jnp.zeros(()), jnp.ones(()))
    doubled = semiring.log_weight(semiring.plus(a, a))
    assert (doubled == 0) == semiring.laws.idempotent
    b = semiring.lift(jnp.float32(0.5), jnp.ones(()))
    total = semiring.log_weight(semiring.plus(a, b))
    assert (total == semiring.log_weight(b)) == semiring.laws.selective
    assert all(semiring.laws.broken.values())
    assert isinstance(semiring.laws, Laws)
    hash(semiring)  # usable as a static argument


@every_semiring
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@settings(max_examples=5)
@given(weights=log_weights(), counted=counts())
def test_sum_and_prod_are_folds(
    semiring: Semiring, axis: int, weights: np.ndarray, counted: np.ndarray
):
    a = lift(semiring, weights, counted)
    parts = [jax.tree.map(lambda x, i=i: jnp.take(x, i, axis), a) for i in range(SHAPE[axis])]
    summed = jitted(semiring, "sum")(a, axis=axis)
    same(visible(semiring, summed), visible(semiring, reduce(semiring.plus, parts)))
    product = jitted(semiring, "prod")(a, axis=axis)
    same(visible(semiring, product), visible(semiring, reduce(semiring.times, parts)), 1e-3)


@every_semiring
@pytest.mark.parametrize("shape, axis", [((0,), 0), ((2, 0, 3), 1), ((2, 0), -1)])
def test_empty_axes(semiring: Semiring, shape: tuple[int, ...], axis: int):
    empty = semiring.zeros(shape)
    rest = tuple(np.delete(shape, axis).tolist())
    same(semiring.sum(empty, axis), semiring.zeros(rest))
    same(semiring.prod(empty, axis), semiring.ones(rest))


@every_semiring
@settings(max_examples=10)
@given(weights=log_weights(), others=log_weights((3, 4, 2)), counted=counts())
def test_matmul_is_the_default(
    semiring: Semiring, weights: np.ndarray, others: np.ndarray, counted: np.ndarray
):
    a, b = lift(semiring, weights, counted), lift(semiring, others)
    got = jitted(semiring, "matmul")(a, b)
    expected = jax.jit(lambda x, y: Semiring.matmul(semiring, x, y))(a, b)
    same(visible(semiring, got), visible(semiring, expected), 1e-3)


@every_semiring
def test_matmul_over_an_empty_axis_is_zero(semiring: Semiring):
    product = semiring.matmul(semiring.ones((2, 0)), semiring.ones((0, 3)))
    same(product, semiring.zeros((2, 3)))


@every_semiring
@settings(max_examples=10)
@given(weights=log_weights(), counted=counts())
def test_groups_are_the_default(semiring: Semiring, weights: np.ndarray, counted: np.ndarray):
    a = lift(semiring, weights, counted)
    summed = semiring.group_sum(a, GROUPS)
    same(visible(semiring, summed), visible(semiring, Semiring.group_sum(semiring, a, GROUPS)))

    def item(i: int) -> Value:
        return jax.tree.map(lambda x: x[..., i], a)

    zero = semiring.zeros(SHAPE[:-1])
    expected = [semiring.plus(item(1), item(3)), zero, semiring.plus(item(0), item(2)), zero]
    for group, value in enumerate(expected):
        entry = jax.tree.map(lambda x, g=group: x[..., g], summed)
        same(visible(semiring, entry), visible(semiring, value))
    same(semiring.group_spread(a, GROUPS), Semiring.group_spread(semiring, a, GROUPS))


def test_groups():
    np.testing.assert_array_equal(GROUPS.table, [[1, 3], [4, 4], [0, 2], [4, 4]])
    np.testing.assert_array_equal(GROUPS.group, [2, 0, 2, 0])
    np.testing.assert_array_equal(GROUPS.membership.argmax(1), [2, 0, 2, 0])
    np.testing.assert_array_equal(GROUPS.membership.sum(1), 1.0)
    nothing = Groups.of([], 3)
    assert nothing.table.shape == (3, 1)
    assert nothing.membership.shape == (0, 3)


@every_semiring
@pytest.mark.parametrize("axes", [(), (0,), (1, 2), (0, 1, 2)])
@settings(max_examples=5)
@given(weights=log_weights(), counted=counts(), shift=st.sampled_from([-60.0, 0.0, 60.0]))
def test_balance_takes_out_what_it_says(
    semiring: Semiring, axes: tuple[int, ...], weights: np.ndarray, counted: np.ndarray,
    shift: float,
):  # fmt: skip
    value = lift(semiring, weights + np.float32(shift), counted)
    balanced, log_factor = semiring.balance(value, axes)
    assert np.isfinite(log_factor).all()
    assert log_factor.shape == tuple(np.delete(SHAPE, axes).tolist())
    put_back = semiring.log_weight(balanced) + np.expand_dims(log_factor, axes)
    np.testing.assert_allclose(put_back, semiring.log_weight(value), rtol=1e-5, atol=1e-4)
    if isinstance(semiring, Expectation):
        same(semiring.expected(balanced), semiring.expected(value))
    if not isinstance(semiring, Log | Viterbi | Derivation | Sampling):
        largest = np.max(np.exp(semiring.log_weight(balanced)), axes)
        assert np.all(np.isclose(largest, 1.0) | (largest == 0.0))


@every_semiring
def test_balance_of_what_is_almost_zero_or_too_large_is_finite(semiring: Semiring):
    value = semiring.lift(jnp.array([-103.0, -92.0, -np.inf]))
    balanced, log_factor = semiring.balance(value, (0,))
    assert np.isfinite(log_factor)
    assert not any(np.isnan(x).any() for x in jax.tree.leaves(balanced))
    assert not any((x == np.inf).any() for x in jax.tree.leaves(balanced))


@every_semiring
@settings(max_examples=5)
@given(weights=log_weights(), others=log_weights())
def test_concatenate_where_and_reading_back(
    semiring: Semiring, weights: np.ndarray, others: np.ndarray
):
    a, b = lift(semiring, weights), lift(semiring, others)
    np.testing.assert_allclose(semiring.log_weight(a), weights, rtol=1e-5, atol=1e-6)
    joined = semiring.log_weight(semiring.concatenate([a, b], axis=1))
    np.testing.assert_allclose(joined, np.concatenate([weights, others], 1), rtol=1e-5, atol=1e-6)
    condition = jnp.asarray(weights > others)
    chosen = semiring.log_weight(semiring.where(condition, a, b))
    np.testing.assert_allclose(chosen, np.where(condition, weights, others), rtol=1e-5, atol=1e-6)


@every_semiring
def test_zero_and_one_read_back(semiring: Semiring):
    np.testing.assert_array_equal(semiring.log_weight(semiring.zeros((2,))), -np.inf)
    np.testing.assert_array_equal(semiring.log_weight(semiring.ones((2,))), 0.0)
    same(semiring.lift(jnp.zeros((2,))), semiring.ones((2,)))


def test_expectations_count_linearly():
    s = Expectation()
    heads = s.lift(jnp.log(jnp.float32(0.3)), jnp.float32(1.0))
    tails = s.lift(jnp.log(jnp.float32(0.7)), jnp.float32(0.0))
    toss = s.plus(heads, tails)
    four = s.prod(jax.tree.map(lambda x: jnp.stack([x] * 4), toss), 0)
    assert s.expected(four) == pytest.approx(1.2, rel=1e-5)
    assert s.expected(s.zeros(())) == 0.0
    weight = jax.grad(lambda w: s.expected(type(four)(w, w * 0.0)))(jnp.float32(0.0))
    assert weight == 0.0


def test_a_derivation_needs_a_selective_base():
    with pytest.raises(TypeError, match=r"Log\(\) is not selective"):
        Derivation(Log())
    assert Derivation() == Derivation(Viterbi())


def test_the_gradient_of_a_tag_is_the_derivation():
    """(a + b) * c + d * e, where the second product wins."""
    s = Derivation()

    def tag(counted: jax.Array) -> jax.Array:
        a, b, c, d, e = (s.lift(jnp.float32(w), n) for w, n in zip([0, 1, 1, 3, 0], counted,
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
