"""Which-provenance: the supporters that occur in any derivation of nonzero weight."""

# | argument                     | possible | supporters                |
# | ---------------------------- | -------- | ------------------------- |
# | ``lift(-inf, i)``            | False    | none                      |
# | ``lift(x, i)``, x > -inf     | True     | i, for x = +inf, NaN too  |
# | ``lift(x)``, ``lift(x, -1)`` | True     | none                      |
# | ``plus`` of two ties         | True     | the union                 |
# | ``times(a, zero)``           | False    | none                      |
# | ``sum([])``                  | False    | none                      |
# | ``star(a)``                  | True     | as in a                   |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.base import Laws, Semiring
from semirings.boolean import Boolean

_WORD = 32


class Supported(NamedTuple):
    """Whether a derivation exists, and its supporters: bit j of word i is supporter 32 i + j."""

    possible: jax.Array
    words: tuple[jax.Array, ...]


@dataclass(frozen=True)
class Provenance(Semiring):
    """Sets of supporters, labels of weights such as parts, nodes or rules.

    ``plus`` and ``times`` are both union. A supporter missing from a total affects no derivation.
    Green, Karvounarakis and Tannen (2007); the lineage of Cui, Widom and Wiener (2000), with a
    zero.
    """

    size: int = _WORD

    name: ClassVar[str] = "provenance"

    @property
    def laws(self) -> Laws:
        return Laws(
            idempotent=True,
            star=True,
            features=True,
            broken={
                "read back": "only whether there is any weight is kept",
                "NaN": "a set cannot be NaN; such a weight counts as nonzero",
            },
        )

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size is {self.size}; give 1 or more")

    def zeros(self, shape: tuple[int, ...]) -> Supported:
        return self._unsupported(jnp.zeros(shape, bool))

    def ones(self, shape: tuple[int, ...]) -> Supported:
        return self._unsupported(jnp.ones(shape, bool))

    def _unsupported(self, possible: jax.Array) -> Supported:
        words = -(-self.size // _WORD)
        return Supported(possible, (jnp.zeros(possible.shape, jnp.uint32),) * words)

    def plus(self, a: Supported, b: Supported) -> Supported:
        return jax.tree.map(jnp.bitwise_or, a, b)

    def times(self, a: Supported, b: Supported) -> Supported:
        possible = a.possible & b.possible
        united = zip(a.words, b.words, strict=True)
        return Supported(possible, tuple(jnp.where(possible, x | y, 0) for x, y in united))

    def sum(self, a: Supported, axis: int) -> Supported:
        return jax.tree.map(lambda x: jax.lax.reduce_or(x, (axis % x.ndim,)), a)

    def star(self, a: Supported) -> Supported:
        return Supported(jnp.ones_like(a.possible), a.words)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Supported:
        """Return a set of one supporter, the feature; numbers outside ``0..size-1`` mean none."""
        possible = log_weight != -jnp.inf
        if feature is None:
            return self._unsupported(possible)
        index = jnp.broadcast_to(feature, log_weight.shape).astype(jnp.int32)
        labelled = possible & (index >= 0) & (index < self.size)
        bit = jnp.left_shift(jnp.uint32(1), (index % _WORD).astype(jnp.uint32))
        words = len(self.zeros(()).words)
        return Supported(
            possible,
            tuple(jnp.where(labelled & (index // _WORD == i), bit, 0) for i in range(words)),
        )

    def log_weight(self, a: Supported) -> jax.Array:
        return Boolean().log_weight(a.possible)

    def supporters(self, a: Supported) -> jax.Array:
        """Return ``[..., size]``: true for each supporter in any derivation."""
        words = jnp.stack(a.words, -1)[..., None]
        bits = jax.lax.broadcasted_iota(jnp.uint32, (*words.shape[:-1], _WORD), words.ndim - 1)
        return ((words >> bits) & 1 == 1).reshape(*a.possible.shape, -1)[..., : self.size]
