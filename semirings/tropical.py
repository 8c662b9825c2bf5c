"""Min-plus over costs: the cost of the cheapest derivation. Max-plus is ``Viterbi``."""

# | argument               | value | gradient                     |
# | ---------------------- | ----- | ---------------------------- |
# | ``plus(x, x)``         | x     | 1, 0: the first is chosen    |
# | ``plus(+inf, +inf)``   | +inf  | 1, 0                         |
# | ``times(+inf, x)``     | +inf  | 1, 1, for x = -inf as well   |
# | ``sum([+inf, x, x])``  | x     | 0, 1, 0                      |
# | ``sum([x, -inf])``     | -inf  | 0, 1                         |
# | ``sum([])``            | +inf  | (nothing)                    |
# | ``star(x)``, x >= 0    | 0     | 0                            |
# | ``star(x)``, x < 0     | -inf  | 0                            |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from semirings.base import Laws
from semirings.capabilities import Divisible, Selective
from semirings.numerics import first_largest, log_balance, log_times, one_hot, pick


@dataclass(frozen=True)
class Tropical(Selective, Divisible):
    """``plus`` is the minimum, ``times`` adds costs: negative log weights.

    In a tie the first summand is selected, and only it receives the gradient. Mohri (2002),
    Semiring frameworks and algorithms for shortest-distance problems, section 2.
    """

    name: ClassVar[str] = "tropical"

    @property
    def laws(self) -> Laws:
        return Laws(idempotent=True, selective=True, star=True)

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.full(shape, jnp.inf, jnp.float32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.zeros(shape, jnp.float32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where((a <= b) | jnp.isnan(a), a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return -log_times(-a, -b)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        if a.shape[axis] == 0:
            return jnp.min(a, axis, initial=jnp.inf)
        return pick(a, self.select(a, axis), axis)

    def select(self, a: jax.Array, axis: int) -> jax.Array:
        return first_largest(-a, axis)

    def shares(self, a: jax.Array, axis: int) -> jax.Array:
        """Return one for the selected summand, zero for the others."""
        if a.shape[axis] == 0:
            return a
        chosen = one_hot(self.select(a, axis), a.shape, axis)
        return jnp.where(a < jnp.inf, chosen.astype(a.dtype), jnp.minimum(a, 0.0))

    def star(self, a: jax.Array) -> jax.Array:
        """Return zero where the cost is not negative; otherwise minus infinity."""
        return jnp.where(a < 0, -jnp.inf, jax.lax.stop_gradient(jnp.minimum(a, 0.0)))

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return -log_weight

    def log_weight(self, a: jax.Array) -> jax.Array:
        return -a

    def balance(self, a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
        negated, log_factor = log_balance(-a, axes)
        return -negated, log_factor
