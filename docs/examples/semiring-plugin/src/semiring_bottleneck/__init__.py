"""The bottleneck semiring: a derivation is as good as its weakest part."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings import Laws, Semiring


@dataclass(frozen=True)
class Bottleneck(Semiring):
    """``plus`` is the maximum of log weights, ``times`` the minimum."""

    name: ClassVar[str] = "bottleneck"
    laws: ClassVar[Laws] = Laws(
        idempotent=True,
        selective=True,
        star=True,
        broken={"weight one": "without parts there is no weakest: one is plus infinity, not 0.0"},
    )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        """Minus infinities."""
        return jnp.full(shape, -jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        """Plus infinities: stronger than any part."""
        return jnp.full(shape, jnp.inf, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """The stronger one."""
        return jnp.maximum(a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """The weaker one."""
        return jnp.minimum(a, b)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        """The strongest along one axis."""
        return jnp.max(a, axis, initial=-jnp.inf)

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        """Index of the summand that ``sum`` returns, the first of equals."""
        return jnp.argmax(a, axis)

    def star(self, a: jax.Array) -> jax.Array:
        """Not to enter a loop is never weaker than to do so."""
        return jnp.full_like(a, jnp.inf)

    def lift(self, log_weight: jax.Array, counted: Any = None) -> jax.Array:
        """The log weight itself."""
        return log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        """The value itself."""
        return a
