"""The bottleneck semiring: the score of a derivation is the score of its weakest part."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings import Laws, Selective


@dataclass(frozen=True)
class Bottleneck(Selective):
    """``plus`` is the maximum of log weights, ``times`` the minimum."""

    name: ClassVar[str] = "bottleneck"

    @property
    def laws(self) -> Laws:
        return Laws(
            idempotent=True,
            selective=True,
            star=True,
            broken={"weight one": "no parts have no weakest: one is plus infinity, not 0.0"},
        )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.full(shape, -jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.full(shape, jnp.inf, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where((a >= b) | jnp.isnan(a), a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.minimum(a, b)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        if a.shape[axis] == 0:
            return jnp.max(a, axis, initial=-jnp.inf)
        index = jnp.expand_dims(self.select(a, axis), axis)
        return jnp.squeeze(jnp.take_along_axis(a, index, axis), axis)

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        return jnp.argmax(a, axis)

    def star(self, a: jax.Array) -> jax.Array:
        """Return one: skipping a loop is never weaker than entering it."""
        return jnp.where(jnp.isnan(a), a, jnp.inf).astype(a.dtype)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        return a
