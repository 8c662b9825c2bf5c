"""Log-space reals: the semiring of log likelihoods, and its extension to signed weights."""

# | argument              | value     | gradient                             |
# | --------------------- | --------- | ------------------------------------ |
# | ``plus(-inf, -inf)``  | -inf      | 0, 0                                 |
# | ``plus(x, x)``        | x + log 2 | 1/2, 1/2: shared in a tie            |
# | ``plus(+inf, x)``     | +inf      | 1, 0                                 |
# | ``times(-inf, +inf)`` | -inf      | 1, 1: a sum gives it no share        |
# | ``sum([])``           | -inf      | (nothing)                            |
# | ``star(0)``           | +inf      | 0                                    |
#
# A ``SignedLog`` has the same values at infinities, with gradient 0. Where terms cancel to zero the
# log magnitude is -inf and the gradient 0.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.base import Laws, Semiring
from semirings.capabilities import Divisible
from semirings.numerics import (
    log_add,
    log_balance,
    log_matmul,
    log_sum,
    log_sum_and_shares,
    log_times,
    relative,
    safe_log,
)


@dataclass(frozen=True)
class Log(Divisible):
    """Weights as natural logarithms: ``plus`` is log-add-exp, ``times`` adds."""

    name: ClassVar[str] = "log"

    @property
    def laws(self) -> Laws:
        return Laws(star=True)

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.full(shape, -jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.zeros(shape, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return log_add(a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return log_times(a, b)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        return log_sum(a, axis)

    def shares(self, a: jax.Array, axis: int) -> jax.Array:
        """Return the softmax; all zero where all weights are zero."""
        return log_sum_and_shares(a, axis)[1]

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Multiply in linear space where floats suffice, otherwise in log space."""
        return log_matmul(a, b)

    def star(self, a: jax.Array) -> jax.Array:
        """Return the log of ``1 / (1 - exp a)``; infinite for weights of one or more."""
        diverges = a >= 0
        return jnp.where(diverges, jnp.inf, -jnp.log(-jnp.expm1(jnp.where(diverges, -1.0, a))))

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        return a

    def balance(self, a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
        return log_balance(a, axes)


class Signed(NamedTuple):
    """A real number as the log of its magnitude and its sign (-1, 0 or 1)."""

    magnitude: jax.Array
    sign: jax.Array


@dataclass(frozen=True)
class SignedLog(Semiring):
    """Real numbers, including negative ones, as log magnitude and sign.

    For differences of sums that exceed the range of floats. Infinity minus infinity is zero.
    """

    name: ClassVar[str] = "signed-log"

    @property
    def laws(self) -> Laws:
        return Laws(
            features=True,
            broken=dict.fromkeys(
                (
                    "plus associative",
                    "sum folds plus",
                    "sum of extreme weights",
                    "left distributive",
                    "right distributive",
                ),
                "the logarithm of what cancellation leaves is that of rounding",
            )
            | {"balance": "negative numbers have no log weight to compare"}
            | {"infinite weights": "infinity less infinity is zero"},
        )

    def zeros(self, shape: tuple[int, ...]) -> Signed:
        return Signed(jnp.full(shape, -jnp.inf, jnp.float32), jnp.zeros(shape, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Signed:
        return Signed(jnp.zeros(shape, jnp.float32), jnp.ones(shape, jnp.float32))

    def times(self, a: Signed, b: Signed) -> Signed:
        return Signed(log_times(a.magnitude, b.magnitude), a.sign * b.sign)

    def sum(self, a: Signed, axis: int) -> Signed:
        """Sum signed exponentials relative to the largest magnitude."""
        if a.sign.shape[axis] == 0:
            return Signed(log_sum(a.magnitude, axis), jnp.sum(a.sign, axis))
        terms, shift = relative(a.magnitude, axis)
        total = jnp.sum(a.sign * terms, axis)
        sign = jax.lax.stop_gradient(jnp.sign(total))
        magnitude = safe_log(sign * total) + jnp.where(sign == 0, 0.0, jnp.squeeze(shift, axis))
        return Signed(magnitude, sign)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Signed:
        """Return a number of the given log magnitude and sign ``feature``, by default positive."""
        sign = jnp.ones_like(log_weight) if feature is None else jnp.sign(feature)
        sign = jnp.where(log_weight == -jnp.inf, 0.0, sign).astype(log_weight.dtype)
        nothing = (sign == 0) & ~jnp.isnan(log_weight)
        return Signed(jnp.where(nothing, -jnp.inf, log_weight), sign)

    def log_weight(self, a: Signed) -> jax.Array:
        """Return the log magnitude, NaN where negative."""
        return jnp.where(a.sign < 0, jnp.nan, a.magnitude)
