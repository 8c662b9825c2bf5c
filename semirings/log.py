"""Log-space reals: the semiring of log likelihoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.laws_declared import Laws
from semirings.numerics import log_add, log_matmul, log_sum


@dataclass(frozen=True)
class Log(Semiring):
    """Weights as natural logarithms: ``plus`` is log-add-exp, ``times`` adds."""

    name: ClassVar[str] = "log"
    laws: ClassVar[Laws] = Laws()

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        """Minus infinities."""
        return jnp.full(shape, -jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        """Zeros, the logarithm of one."""
        return jnp.zeros(shape, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Log of the sum of exponentials."""
        return log_add(a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Add logarithms; minus infinity annihilates even plus infinity."""
        product = a + b
        return jnp.where((a == -jnp.inf) | (b == -jnp.inf), -jnp.inf, product)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        """Log of the sum of exponentials along one axis."""
        return log_sum(a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Shift by the largest entries, multiply in the reals, take the log."""
        return log_matmul(a, b)

    def lift(self, log_weight: jax.Array, counted: jax.Array | None = None) -> jax.Array:
        """The log weight itself."""
        return log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        """The value itself."""
        return a
