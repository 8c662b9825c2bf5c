"""Numbers of derivations, as integers that saturate at ``MOST``."""

# | argument              | value | read by ``log_weight`` |
# | --------------------- | ----- | ---------------------- |
# | ``lift(-inf)``        | 0     | -inf                   |
# | ``lift(x)``, x > -inf | 1     | 0, for x = +inf too    |
# | ``lift(NaN)``         | 1     | 0: it is not zero      |
# | ``plus(1, 1)``        | 2     | log 2: ties all count  |
# | ``plus(MOST, 1)``     | MOST  | log 2**31 in float32   |
# | ``times(MOST, 0)``    | 0     | -inf                   |
# | ``times(MOST, 2)``    | MOST  | log 2**31 in float32   |
# | ``sum([])``           | 0     | -inf                   |
# | ``star(0)``           | 1     | 0                      |
# | ``star(n)``, n > 0    | MOST  | log 2**31 in float32   |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Laws, Semiring
from semirings.numerics import safe_log

# The largest count, which represents all larger numbers as well.
MOST = np.int32(2**31 - 1)


@dataclass(frozen=True)
class Counting(Semiring):
    """Truncated natural numbers: ``plus`` adds, ``times`` multiplies (Goodman 1999, section 2.2).

    Every law holds exactly: identifying all numbers from ``MOST`` on is a congruence.
    """

    name: ClassVar[str] = "counting"

    @property
    def laws(self) -> Laws:
        return Laws(
            star=True,
            broken={
                "read back": "only whether there is any weight is kept",
                "NaN": "an integer cannot be NaN; such a weight counts as nonzero",
            },
        )

    def zeros(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.zeros(shape, jnp.int32)

    def ones(self, shape: tuple[int, ...]) -> jax.Array:
        return jnp.ones(shape, jnp.int32)

    def plus(self, a: jax.Array, b: jax.Array) -> jax.Array:
        return _plus(a, b)

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Multiply, saturating at ``MOST``; products that overflow are computed and discarded."""
        return jnp.where(a > MOST // jnp.maximum(b, 1), MOST, a * b)

    def sum(self, a: jax.Array, axis: int) -> jax.Array:
        return jax.lax.reduce(a, np.int32(0), _plus, (axis % a.ndim,))

    def star(self, a: jax.Array) -> jax.Array:
        return jnp.where(a == 0, 1, MOST).astype(a.dtype)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        return (log_weight != -jnp.inf).astype(jnp.int32)

    def log_weight(self, a: jax.Array) -> jax.Array:
        return safe_log(a.astype(jnp.float32))

    def count(self, a: jax.Array) -> jax.Array:
        """Return the number of derivations; ``MOST`` means at least that many."""
        return a


def _plus(a: jax.Array, b: jax.Array) -> jax.Array:
    return a + jnp.minimum(b, MOST - a)
