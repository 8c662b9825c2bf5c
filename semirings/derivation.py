"""Derivations by reverse-mode differentiation (Goodman 1999's derivation semiring).

Each lifted weight contributes its feature to a value's *tag*. ``times`` adds tags, ``plus`` keeps
the tag of the selected summand, the first in a tie. The total's tag is linear in the features, and
its gradient marks the parts of the best derivation (docs/decisions/semirings.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.augmented import Augmented
from semirings.base import Laws, Value
from semirings.capabilities import Marking, Selective, require_selective
from semirings.numerics import pick
from semirings.viterbi import Viterbi


class Tagged(NamedTuple):
    """A weight in the base semiring and a tag, of equal shape."""

    weight: Any
    tag: jax.Array


@dataclass(frozen=True)
class Derivation(Augmented, Selective, Marking):
    """The best derivation in a selective base semiring, as a weight and the parts it uses.

    Raises:
        TypeError: if the base is not selective.
    """

    base: Selective = Viterbi()

    name: ClassVar[str] = "derivation"

    @property
    def laws(self) -> Laws:
        base = self.base.laws
        return Laws(
            commutative=base.commutative,
            selective=True,
            idempotent=True,
            features=True,
            broken=base.broken,
        )

    def __post_init__(self) -> None:
        require_selective(self.base)

    def augment(self, weight: Value) -> Tagged:
        return Tagged(weight, jnp.zeros(jax.tree.leaves(weight)[0].shape, jnp.float32))

    def times(self, a: Tagged, b: Tagged) -> Tagged:
        return Tagged(self.base.times(a.weight, b.weight), a.tag + b.tag)

    def select(self, a: Tagged, axis: int) -> jax.Array:
        return self.base.select(a.weight, axis)

    def sum(self, a: Tagged, axis: int) -> Tagged:
        if a.tag.shape[axis] == 0:
            return self.zeros(tuple(np.delete(a.tag.shape, axis).tolist()))
        winner = self.base.select(a.weight, axis)
        return jax.tree.map(lambda x: pick(x, winner, axis), a)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Tagged:
        """Attach the feature as the tag."""
        tag = jnp.zeros_like(log_weight) if feature is None else feature
        return Tagged(self.base.lift(log_weight), jnp.broadcast_to(tag, log_weight.shape))

    def seeds(self, a: Tagged) -> Tagged:
        """Return the cotangents of totals that mark their derivations."""
        return Tagged(jax.tree.map(jnp.zeros_like, a.weight), jnp.ones_like(a.tag))
