"""Truth values with or and and: whether there is any derivation.

| argument              | value | read by ``log_weight`` |
| --------------------- | ----- | ---------------------- |
| ``lift(-inf)``        | False | -inf                   |
| ``lift(x)``, x > -inf | True  | 0, for x = +inf too    |
| ``plus(True, True)``  | True  | 0: the first wins      |
| ``sum([])``           | False | -inf                   |
| ``prod([])``          | True  | 0                      |

Truth values have no tangents: every gradient with respect to a lifted log weight is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.laws_declared import Laws
from semirings.numerics import first_largest


@dataclass(frozen=True)
class Boolean(Semiring):
    """``plus`` is or, ``times`` is and.

    Source: Goodman (1999), Semiring parsing, section 2.2: the recognition semiring.
    """

    name: ClassVar[str] = "boolean"
    laws: ClassVar[Laws] = Laws(
        idempotent=True,
        selective=True,
        star=True,
        broken={"read back": "only whether there is any weight is kept"},
    )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        """False."""
        return jnp.zeros(shape, bool)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        """True."""
        return jnp.ones(shape, bool)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Or."""
        return a | b

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """And."""
        return a & b

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        """Whether any along one axis is true."""
        return jnp.any(a, axis)

    def prod(self, a: jax.Array, axis: int) -> jax.Array:
        """Whether all along one axis are true."""
        return jnp.all(a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """The ordinary matrix product of zeros and ones is positive where any term is."""
        return a.astype(jnp.float32) @ b.astype(jnp.float32) > 0

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        """Index of the first that is true along one axis; 0 where none is."""
        return first_largest(a, axis)

    def star(self, a: jax.Array) -> jax.Array:
        """True, for the empty product is."""
        return jnp.ones_like(a)

    def lift(self, log_weight: jax.Array, counted: Any = None) -> jax.Array:
        """Whether there is any weight."""
        return log_weight > -jnp.inf

    def log_weight(self, a: jax.Array) -> jax.Array:
        """Zero where true, else minus infinity."""
        return jnp.where(a, 0.0, -jnp.inf).astype(jnp.float32)
