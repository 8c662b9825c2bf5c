"""`SignedLog` compared with signed arithmetic in numpy: cancellation, zero, and range included."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings.log import Signed, SignedLog

INF = np.inf


def signed(numbers: np.ndarray) -> Signed:
    magnitude = np.log(np.abs(numbers), where=numbers != 0, out=np.full(numbers.shape, -INF))
    return Signed(magnitude.astype(np.float32), np.sign(numbers).astype(np.float32))


def unsigned(value: Signed) -> np.ndarray:
    return np.asarray(value.sign * jnp.exp(value.magnitude))


def test_signed_logs_are_signed_numbers():
    s = SignedLog()
    generator = np.random.default_rng(5)
    x = generator.integers(-4, 5, (4, 3, 3)).astype(np.float64)
    y = generator.normal(size=(4, 3, 3))
    x[0, 0], x[1, :, 0], y[1] = 0.0, (2, -3, 1), -np.abs(y[1])

    @jax.jit
    def operations(a: Signed, b: Signed) -> tuple[Signed, ...]:
        opposite = Signed(a.magnitude, -a.sign)
        return (
            s.plus(a, b), s.times(a, b), s.sum(a, 1), s.sum(b, -1), s.prod(b, 0), s.matmul(a, b),
            s.plus(a, opposite),
        )  # fmt: skip

    expected = (x + y, x * y, x.sum(1), y.sum(-1), y.prod(0), x @ y, np.zeros_like(x))
    assert (expected[3] < -0.1).any()
    assert (expected[2] == 0).any()
    for signed_value, numbers in zip(operations(signed(x), signed(y)), expected, strict=True):
        np.testing.assert_allclose(unsigned(signed_value), numbers, rtol=1e-5, atol=2e-6)
        exact = np.abs(numbers) > 1e-5
        np.testing.assert_array_equal(np.asarray(signed_value.sign)[exact], np.sign(numbers)[exact])
    nothing = operations(signed(x), signed(y))[-1]
    np.testing.assert_array_equal(nothing.magnitude, -INF)
    np.testing.assert_array_equal(nothing.sign, 0.0)


@pytest.mark.parametrize(
    "magnitudes, signs, magnitude, sign, gradient",
    [
        ([1000.0, 1000.0], [1, -1], -INF, 0, [0, 0]),
        ([-INF, -INF], [0, 0], -INF, 0, [0, 0]),
        ([-INF, -1000.0], [0, -1], -1000.0, -1, [0, 1]),
        ([np.log(3), np.log(5)], [1, -1], np.log(2), -1, [-1.5, 2.5]),
        ([np.log(3), np.log(5)], [-1, -1], np.log(8), -1, [0.375, 0.625]),
        ([200.0, -200.0], [1, -1], 200.0, 1, [1, 0]),
    ],
)
def test_signed_sums_by_hand(
    magnitudes: list[float], signs: list[float], magnitude: float, sign: float,
    gradient: list[float],
):  # fmt: skip
    s = SignedLog()

    def read(m: jax.Array) -> tuple[jax.Array, Signed]:
        value = s.sum(Signed(m, jnp.array(signs, jnp.float32)), 0)
        return value.magnitude, value

    slope, value = jax.grad(read, has_aux=True)(jnp.array(magnitudes))
    np.testing.assert_allclose(value.magnitude, magnitude, rtol=1e-5)
    assert value.sign == sign
    np.testing.assert_allclose(slope, gradient, atol=1e-5)
    log_weight = s.log_weight(value)
    assert np.isnan(log_weight) == (sign < 0)


def test_infinity_less_infinity_is_zero():
    s = SignedLog()
    a = Signed(jnp.array([[INF, INF, 0.0], [INF, 0.0, 1.0]]), jnp.array([[1.0, -1, 1], [-1, 1, 1]]))
    total = jax.jit(lambda a: s.sum(a, 1))(a)
    assert total.magnitude.tolist() == [-INF, INF]
    assert total.sign.tolist() == [0.0, -1.0]
    first, second = (Signed(a.magnitude[:, i], a.sign[:, i]) for i in range(2))
    assert s.plus(first, second).magnitude.tolist() == [-INF, INF]
