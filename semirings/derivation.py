"""Derivations by reverse-mode differentiation (Goodman 1999's derivation semiring).

A derivation is the multiset of lifted weights whose product is the selected weight. Stored
explicitly, it would be a growing tree in every array element. Here it stays implicit: besides its
weight, a value has a *tag*, a number to which each lifted weight contributes its feature. ``times``
adds tags, ``plus`` keeps the tag of the selected summand. The tag of the total is therefore linear
in the features, and its gradient with respect to them is the derivation: one for each lifted weight
that the best derivation uses, zero elsewhere. The recorded indices of the selected summands are the
back-pointers; the reverse pass follows them.

Weights behave as in the base semiring. In a tie the first summand is selected, with its tag. The
tag of an empty sum is 0; other values of weight zero may have any tag.

docs/decisions/semirings.md compares this with equations 6 and 7 of Li, Wang
and Eisner (2019), in what is maximised and in how ties are broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.base import Laws
from semirings.capabilities import Marking, Selective, require_selective
from semirings.numerics import pick
from semirings.viterbi import Viterbi


class Tagged(NamedTuple):
    """A value of ``Derivation``: the weight in the base semiring and the tag, of equal shape."""

    weight: Any
    tag: jax.Array


@dataclass(frozen=True)
class Derivation(Selective, Marking):
    """The best derivation in a selective base semiring, as a weight and the parts it uses.

    Attributes:
        base: the semiring whose ``select`` chooses the better derivation.

    Raises:
        TypeError: if the base is not selective, so that no single derivation is best.
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
        """Check that the base semiring is selective."""
        require_selective(self.base)

    def zeros(self, shape: tuple[int, ...]) -> Tagged:
        """Return the zero of the base semiring with the tag 0."""
        return Tagged(self.base.zeros(shape), jnp.zeros(shape, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Tagged:
        """Return the one of the base semiring with the tag 0."""
        return Tagged(self.base.ones(shape), jnp.zeros(shape, jnp.float32))

    def times(self, a: Tagged, b: Tagged) -> Tagged:
        """Multiply in the base; add tags."""
        return Tagged(self.base.times(a.weight, b.weight), a.tag + b.tag)

    def select(self, a: Tagged, axis: int) -> jax.Array:
        """Return the index of the summand that the base semiring selects along one axis."""
        return self.base.select(a.weight, axis)

    def sum(self, a: Tagged, axis: int) -> Tagged:
        """Return the selected summand along one axis."""
        if a.tag.shape[axis] == 0:
            shape = list(a.tag.shape)
            del shape[axis]
            return self.zeros(tuple(shape))
        winner = self.base.select(a.weight, axis)
        return jax.tree.map(lambda x: pick(x, winner, axis), a)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Tagged:
        """Attach the feature as the tag."""
        tag = jnp.zeros_like(log_weight) if feature is None else feature
        return Tagged(self.base.lift(log_weight), jnp.broadcast_to(tag, log_weight.shape))

    def log_weight(self, a: Tagged) -> jax.Array:
        """Return the log weight of the best derivation."""
        return self.base.log_weight(a.weight)

    def balance(self, a: Tagged, axes: tuple[int, ...]) -> tuple[Tagged, jax.Array]:
        """Balance the weight."""
        weight, log_factor = self.base.balance(a.weight, axes)
        return a._replace(weight=weight), log_factor

    def observe(self, a: Tagged) -> Any:
        return self.base.observe(a.weight)

    def seeds(self, a: Tagged) -> Tagged:
        """Return the cotangent of totals for which that of ``feature`` marks their derivations."""
        return Tagged(jax.tree.map(jnp.zeros_like, a.weight), jnp.ones_like(a.tag))
