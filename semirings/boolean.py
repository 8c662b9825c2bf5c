"""Booleans with disjunction and conjunction: true where a derivation exists."""

# | argument              | value | read by ``log_weight`` |
# | --------------------- | ----- | ---------------------- |
# | ``lift(-inf)``        | False | -inf                   |
# | ``lift(x)``, x > -inf | True  | 0, for x = +inf too    |
# | ``lift(NaN)``         | True  | 0: it is not zero      |
# | ``plus(True, True)``  | True  | 0: the first is chosen |
# | ``sum([])``           | False | -inf                   |
# | ``prod([])``          | True  | 0                      |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Laws
from semirings.capabilities import Selective
from semirings.numerics import first_largest, matmul


@dataclass(frozen=True)
class Boolean(Selective):
    """``plus`` is or, ``times`` is and: the recognition semiring (Goodman 1999, section 2.2).

    No log weight has a gradient.
    """

    name: ClassVar[str] = "boolean"

    @property
    def laws(self) -> Laws:
        return Laws(
            idempotent=True,
            selective=True,
            star=True,
            broken={
                "read back": "only whether there is any weight is kept",
                "NaN": "a boolean cannot be NaN; such a weight counts as nonzero",
            },
        )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.zeros(shape, bool)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.ones(shape, bool)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return a | b

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return a & b

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        return jnp.any(a, axis)

    def prod(self, a: jax.Array, axis: int) -> jax.Array:
        return jnp.all(a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return matmul(a.astype(jnp.float32), b.astype(jnp.float32)) > 0

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        return first_largest(a, axis)

    def star(self, a: jax.Array) -> jax.Array:
        return jnp.ones_like(a)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return log_weight != -jnp.inf

    def log_weight(self, a: jax.Array) -> jax.Array:
        return jnp.where(a, 0.0, -jnp.inf).astype(jnp.float32)
