"""Derivations by reverse-mode differentiation (Goodman 1999's derivation semiring).

A derivation is the multiset of lifted weights that the winner was made of. Written out it would
be a growing tree in every array element. Here it stays implicit: beside its weight a value
carries a *tag*, a number to which each lifted weight contributes what is counted about it.
``times`` adds tags, ``plus`` keeps the winner's. The tag of the total is therefore linear in
the counted quantities, and its gradient with respect to them is the derivation: one for what
the winner used, zero elsewhere. Back-pointers are the recorded winners; following them is the
reverse pass.

Weights behave as the base's do. Of equal ones the first wins, with its tag. The tag of an empty sum
is 0; whatever else has weight zero may have any tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from semirings.base import Semiring, Value
from semirings.laws_declared import Laws
from semirings.numerics import pick
from semirings.viterbi import Viterbi


class Selective(Protocol):
    """What a base must offer: a semiring whose ``sum`` returns one of its summands."""

    laws: ClassVar[Laws]

    def zeros(self, shape: tuple[int, ...]) -> Value: ...
    def ones(self, shape: tuple[int, ...]) -> Value: ...
    def times(self, a: Value, b: Value) -> Value: ...
    def sum(self, a: Value, axis: int) -> Value: ...
    def lift(self, log_weight: jax.Array, counted: Any = None) -> Value: ...
    def log_weight(self, a: Value) -> jax.Array: ...
    def observe(self, a: Value) -> Any: ...
    def select(self, a: Value, axis: int) -> jax.Array: ...
    def balance(self, a: Value, axes: tuple[int, ...]) -> tuple[Value, jax.Array]: ...


def require_selective(base: Selective) -> None:
    """Raise ``TypeError`` unless sums of a semiring have a single winner that it can name."""
    if not base.laws.selective or not callable(getattr(base, "select", None)):
        raise TypeError(
            f"{base!r} is not selective: its sums have no single winner; viterbi has, and so has "
            "every semiring that 'semipunct semirings list' calls selective"
        )


class Tagged(NamedTuple):
    """A value of ``Derivation``: the base's weight and the tag, of equal shape."""

    weight: Any
    tag: jax.Array


@dataclass(frozen=True)
class Derivation(Semiring):
    """The winner of a selective base semiring, with what it was made of.

    Raises:
        TypeError: if the base is not selective, so that no single derivation wins.
    """

    base: Selective = Viterbi()

    name: ClassVar[str] = "derivation"
    laws: ClassVar[Laws] = Laws(selective=True, idempotent=True)

    def __post_init__(self) -> None:
        """Refuse a base without the path property."""
        require_selective(self.base)
        self.declare(commutative=self.base.laws.commutative)

    def zeros(self, shape: tuple[int, ...]) -> Tagged:
        """The base's zero with nothing counted."""
        return Tagged(self.base.zeros(shape), jnp.zeros(shape, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Tagged:
        """The base's one with nothing counted."""
        return Tagged(self.base.ones(shape), jnp.zeros(shape, jnp.float32))

    def plus(self, a: Tagged, b: Tagged) -> Tagged:
        """Whichever the base prefers; the first in a tie."""
        both = jax.tree.map(lambda x, y: jnp.stack(jnp.broadcast_arrays(x, y)), a, b)
        return self.sum(both, 0)

    def times(self, a: Tagged, b: Tagged) -> Tagged:
        """The base's product; tags add."""
        return Tagged(self.base.times(a.weight, b.weight), a.tag + b.tag)

    def select(self, a: Tagged, axis: int) -> jax.Array:
        """Index of the summand that the base prefers along one axis."""
        return self.base.select(a.weight, axis)

    def sum(self, a: Tagged, axis: int) -> Tagged:
        """The winner along one axis."""
        if a.tag.shape[axis] == 0:
            shape = list(a.tag.shape)
            del shape[axis]
            return self.zeros(tuple(shape))
        winner = self.base.select(a.weight, axis)
        return jax.tree.map(lambda x: pick(x, winner, axis), a)

    def lift(self, log_weight: jax.Array, counted: Any = None) -> Tagged:
        """Attach what is counted as the tag."""
        tag = jnp.zeros_like(log_weight) if counted is None else counted
        return Tagged(self.base.lift(log_weight), jnp.broadcast_to(tag, log_weight.shape))

    def log_weight(self, a: Tagged) -> jax.Array:
        """The weight of the winner."""
        return self.base.log_weight(a.weight)

    def balance(self, a: Tagged, axes: tuple[int, ...]) -> tuple[Tagged, jax.Array]:
        """Balance the weight."""
        weight, log_factor = self.base.balance(a.weight, axes)
        return a._replace(weight=weight), log_factor

    def observe(self, a: Tagged) -> Any:
        return self.base.observe(a.weight)

    def seeds(self, a: Tagged) -> Tagged:
        """The cotangent of totals that marks their derivations: pull it back to ``counted``."""
        return Tagged(jax.tree.map(jnp.zeros_like, a.weight), jnp.ones_like(a.tag))
