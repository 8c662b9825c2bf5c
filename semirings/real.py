"""Nonnegative reals with addition and multiplication, rescaled so that float32 suffices.

Used only where an enclosure proves that no weight left the range of floats
(docs/decisions/semirings.md).
"""

# | argument            | value                | gradient                         |
# | ------------------- | -------------------- | -------------------------------- |
# | ``plus(0, 0)``      | 0                    | 1, 1                             |
# | ``times(0, 3)``     | 0                    | 3, 0                             |
# | ``times(0, inf)``   | NaN, as declared     | (weights are finite)             |
# | ``sum([])``         | 0                    | (nothing)                        |
# | ``log_weight(0)``   | -inf                 | 0                                |
# | ``star(1)``         | inf                  | 0                                |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Groups, Laws
from semirings.capabilities import Divisible
from semirings.numerics import matmul, quotient, safe_log


@dataclass(frozen=True)
class Real(Divisible):
    """Weights in linear space: ``plus`` adds, ``times`` multiplies.

    ``balance`` divides by the largest entry. The factor is constant under differentiation (the
    quotient carries the whole gradient), so no gradient divides by the square of a small number.
    """

    name: ClassVar[str] = "real"

    @property
    def laws(self) -> Laws:
        return Laws(
            star=True,
            broken={
                "zero annihilates infinity": (
                    "0 * inf is NaN in IEEE arithmetic; weights are finite"
                ),
                "infinite weights": "likewise",
                "extreme weights": "the exponentials of 90 and of -110 are outside of float32",
                "sum of extreme weights": "likewise",
                "matmul of extreme weights": "likewise; Log has them",
            },
        )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.zeros(shape, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.ones(shape, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return a + b

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return a * b

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        return jnp.sum(a, axis)

    def shares(self, a: jax.Array, axis: int) -> jax.Array:
        """Divide by the sum; all zero where the sum is zero."""
        total = jnp.sum(a, axis, keepdims=True)
        return quotient(a, jnp.where(total == 0, 1.0, total))

    def star(self, a: jax.Array) -> jax.Array:
        """Sum the geometric series; infinite for weights of one or more."""
        return jnp.where(a >= 1, jnp.inf, 1 / (1 - jnp.where(a >= 1, 0.0, a)))

    def prod(self, a: jax.Array, axis: int) -> jax.Array:
        return jnp.prod(a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return matmul(a, b)

    def group_sum(self, a: jax.Array, groups: Groups) -> jax.Array:
        """Multiply by the membership matrix, which avoids scatters in both passes."""
        return matmul(a, groups.membership)

    def group_spread(self, a: jax.Array, groups: Groups) -> jax.Array:
        return matmul(a, groups.membership.T)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return jnp.exp(log_weight)

    def log_weight(self, a: jax.Array) -> jax.Array:
        return safe_log(a)

    def balance(self, a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
        largest = jax.lax.stop_gradient(jnp.max(a, axes, keepdims=True) if axes else a)
        largest = jnp.where((largest > 0) & jnp.isfinite(largest), largest, 1.0)
        return a / largest, jnp.log(jnp.squeeze(largest, axes))
