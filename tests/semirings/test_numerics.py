"""The table of `semirings.numerics`, row by row, and gradients near the limits of floats."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semirings import Expectation, Real, Semiring, Value
from semirings.base import Groups
from semirings.numerics import (
    log_add,
    log_balance,
    log_matmul,
    log_shares,
    log_sum,
    pick,
    safe_log,
)
from tests.semirings.cases import EVERY, SEMIRINGS

INF = np.inf
every_semiring = pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda s: s.name)


def test_accelerators_multiply_in_full_precision():
    """By default, they would round the factors of matrix products and of their gradients."""
    by_products = set()
    groups = Groups.of([2, 0, 2, 0], 4)
    for semiring in (*EVERY, Expectation(Real())):

        def pull(weights: jax.Array, s: Semiring = semiring) -> jax.Array:
            a = s.lift(weights)
            values = [s.matmul(a, a), s.group_sum(a, groups), s.group_spread(a, groups)]
            total = sum(jnp.sum(s.log_weight(x).astype(jnp.float32)) for x in values)
            return jnp.asarray(total)

        program = jax.jit(jax.value_and_grad(pull)).lower(jnp.zeros((4, 4))).as_text()
        products = [line for line in program.splitlines() if "dot_general" in line]
        assert all("[HIGHEST, HIGHEST]" in line for line in products), semiring
        if products:
            by_products.add(semiring.name)
    assert by_products >= {"boolean", "expectation", "log", "real"}


@pytest.mark.parametrize(
    "argument, value, gradient",
    [(0.0, -INF, 0.0), (1.0, 0.0, 1.0), (4.0, np.log(4.0), 0.25), (1e-45, -INF, 0.0)],
)
def test_safe_log(argument: float, value: float, gradient: float):
    log, slope = jax.value_and_grad(safe_log)(jnp.float32(argument))
    assert log == pytest.approx(value, rel=1e-6)
    assert slope == pytest.approx(gradient)


@pytest.mark.parametrize(
    "terms, value, gradient",
    [
        ([-INF, -INF], -INF, [0, 0]),
        ([-INF, 2.5], 2.5, [0, 1]),
        ([0.0, 0.0], np.log(2), [0.5, 0.5]),
        ([INF, 1.0], INF, [1, 0]),
        ([INF, INF], INF, [0.5, 0.5]),
        ([INF, -INF], INF, [1, 0]),
        ([1000.0, 1000.0], 1000 + np.log(2), [0.5, 0.5]),
        ([-1000.0, -1000.0], -1000 + np.log(2), [0.5, 0.5]),
        ([0.0, -200.0], 0.0, [1, 0]),
    ],
)
def test_log_sum_and_log_add(terms: list[float], value: float, gradient: list[float]):
    a = jnp.array(terms, jnp.float32)
    log_total, slope = jax.value_and_grad(lambda x: log_sum(x, 0))(a)
    np.testing.assert_allclose(log_total, value, rtol=1e-6)
    np.testing.assert_allclose(slope, gradient, rtol=1e-6)
    log_total, slope = jax.value_and_grad(lambda x: log_add(x[0], x[1]))(a)
    np.testing.assert_allclose(log_total, value, rtol=1e-6)
    np.testing.assert_allclose(slope, gradient, rtol=1e-6)


def test_shares_of_tiny_weights_have_true_derivatives():
    """This includes weights whose squared sum underflows, such as 1e-25."""

    def share(a: jax.Array) -> jax.Array:
        return Real().shares(a, 0)[0]

    a, b = 1e-25, 3e-25
    gradient = [b / (a + b) ** 2, -a / (a + b) ** 2]
    for derivative in (jax.grad, jax.jacfwd):
        slope = jax.jit(derivative(share))(jnp.array([a, b]))
        np.testing.assert_allclose(slope, gradient, rtol=1e-5)
    a, b = 1e-12, 3e-12
    curvature = jax.jit(jax.hessian(share))(jnp.array([a, b]))
    np.testing.assert_allclose(curvature[0, 0], -2 * b / (a + b) ** 3, rtol=1e-5)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_a_log_sum_of_more_terms_than_half_precision_has_numbers(dtype: Any):
    terms = jnp.broadcast_to(jnp.array([[0.0], [-8.0]], dtype), (2, 1 << 17))
    log_total, pull = jax.vjp(lambda a: log_sum(a, 1), terms)
    np.testing.assert_allclose(log_total, np.log(1 << 17) + np.array([0, -8]), rtol=4e-3)
    (slope,) = pull(jnp.array([1, 2], dtype))
    assert log_total.dtype == slope.dtype == dtype
    np.testing.assert_allclose(np.float32(slope[:, 0]) * (1 << 17), [1, 2], rtol=1e-2)


def test_log_matmul_of_what_is_almost_infinite():
    """Sums of float32 are correct up to the largest float, infinite beyond it, and never NaN."""
    for scale, twice in ((1e30, 2e30), (1e37, 2e37), (-1e37, -2e37), (3e38, INF), (-3e38, -INF)):
        a = jnp.full((1, 1), scale, jnp.float32)
        np.testing.assert_allclose(log_matmul(a, a), [[np.float32(twice)]], rtol=1e-6)
    some = np.array([INF, 3e38, 1e37, 1.0, -1e37, -3e38, -INF], np.float32)
    a = jnp.asarray(np.random.default_rng(0).choice(some, (200, 3, 3)))
    for value in (log_matmul(a, a[::-1]), log_sum(a, 1), log_shares(a, 1), log_balance(a, (1,))[0]):
        assert not np.isnan(value).any()

    @jax.jit
    @jax.grad
    def gradient(a: jax.Array) -> jax.Array:
        product = log_matmul(a, a[::-1])
        return jnp.sum(jnp.where(jnp.isfinite(product), product, 0.0))

    assert not np.isnan(gradient(a)).any()


def test_a_chain_of_weights_that_are_almost_infinite():
    """Forty weights of 1e37 exceed the range of floats: the total is infinite, not NaN."""

    @jax.jit
    def log_partition(*weights: jax.Array) -> jax.Array:
        return Distribution(linear_chain(*weights)).log_partition()

    for weight, total in ((1e36, 8e37 - 1e36), (1e37, INF), (-1e37, -INF)):
        weights = jnp.full((1, 40, 2), weight, jnp.float32), jnp.full((39, 2, 2), weight)
        log_total = log_partition(*weights)
        np.testing.assert_allclose(log_total, np.float32(total), rtol=1e-4)
    forbidden = jnp.full((1, 40, 2), 1e37).at[0, -1].set(-INF)
    log_total = log_partition(forbidden, jnp.full((39, 2, 2), 1e37))
    assert log_total == -INF


@every_semiring
def test_operations_do_not_mix_dtypes(semiring: Semiring, strict_numerics: None):
    def operations(w: jax.Array) -> list[Value]:
        a = semiring.lift(w, jnp.ones_like(w))
        plain = semiring.plus(a, a), semiring.times(a, a), semiring.sum(a, 0), semiring.prod(a, 0)
        return [*plain, semiring.matmul(a, a), semiring.balance(a, (0,))[0]]

    # Promotion is rejected while tracing: no compilation is needed.
    shapes = jax.eval_shape(operations, jnp.zeros((2, 2), jnp.float32))
    assert all(x.dtype == jnp.float32 for x in jax.tree.leaves(shapes))


@pytest.mark.parametrize(("summands", "dtype"), [(200, np.uint8), (300, np.uint16)])
def test_the_reverse_pass_of_a_choice_keeps_one_small_number_for_each_sum(
    summands: int, dtype: type
):
    a = jnp.zeros((5, summands))
    winner = jnp.array([0, 1, summands - 1, 3, 7], jnp.int32)
    chosen, pull = jax.vjp(lambda x: pick(x, winner, 1), a)
    assert chosen.shape == (5,)
    assert [(x.shape, x.dtype) for x in jax.tree.leaves(pull)] == [((5,), np.dtype(dtype))]
    (gradient,) = pull(jnp.ones(5))
    assert np.argmax(gradient, 1).tolist() == winner.tolist()
    assert gradient.sum() == 5
