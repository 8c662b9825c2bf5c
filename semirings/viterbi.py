"""Max-plus over log weights: the weight of the best derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.laws_declared import Laws


@dataclass(frozen=True)
class Viterbi(Semiring):
    """``plus`` is the maximum, ``times`` adds log weights.

    A tie has one winner, the earlier one, and the gradient goes to it alone: the gradient of a
    total with respect to the lifted weights marks the best derivation.
    """

    name: ClassVar[str] = "viterbi"
    laws: ClassVar[Laws] = Laws(idempotent=True, selective=True)

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        """Minus infinities."""
        return jnp.full(shape, -jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        """Zeros."""
        return jnp.zeros(shape, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """The larger one."""
        return jnp.where(a >= b, a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Add log weights; minus infinity annihilates even plus infinity."""
        product = a + b
        return jnp.where((a == -jnp.inf) | (b == -jnp.inf), -jnp.inf, product)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        """The largest along one axis."""
        if a.shape[axis] == 0:
            return jnp.max(a, axis, initial=-jnp.inf)
        winner = jnp.expand_dims(self.select(a, axis), axis)
        return jnp.squeeze(jnp.take_along_axis(a, winner, axis), axis)

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        """Index of the summand that ``sum`` returns along one axis."""
        return jnp.argmax(a, axis)

    def lift(self, log_weight: jax.Array, counted: jax.Array | None = None) -> jax.Array:
        """The log weight itself."""
        return log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        """The value itself."""
        return a
