"""First-order expectation semiring (Eisner 2002; Li and Eisner 2009, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.base import Groups, Semiring
from semirings.laws_declared import Laws
from semirings.real import Real


class Moments(NamedTuple):
    """A weight and the weighted sum of what is counted, of equal shape."""

    weight: jax.Array
    first: jax.Array


@dataclass(frozen=True)
class Expectation(Semiring):
    """Pairs ``(p, r)``: total weight and total of weight times an additive count.

    ``(p, r) + (p', r') = (p + p', r + r')`` and ``(p, r)(p', r') = (p p', p r' + r p')``. The
    expected count over all derivations is ``r / p`` of the total.
    """

    name: ClassVar[str] = "expectation"
    laws: ClassVar[Laws] = Laws()

    def zeros(self, shape: tuple[int, ...]) -> Moments:
        """No weight, nothing counted."""
        return Moments(jnp.zeros(shape, jnp.float32), jnp.zeros(shape, jnp.float32))

    def ones(self, shape: tuple[int, ...]) -> Moments:
        """Weight one, nothing counted."""
        return Moments(jnp.ones(shape, jnp.float32), jnp.zeros(shape, jnp.float32))

    def plus(self, a: Moments, b: Moments) -> Moments:
        """Add both parts."""
        return Moments(a.weight + b.weight, a.first + b.first)

    def times(self, a: Moments, b: Moments) -> Moments:
        """The product rule."""
        return Moments(a.weight * b.weight, a.weight * b.first + a.first * b.weight)

    def sum(self, a: Moments, axis: int) -> Moments:
        """Add up both parts along one axis."""
        return Moments(jnp.sum(a.weight, axis), jnp.sum(a.first, axis))

    def matmul(self, a: Moments, b: Moments) -> Moments:
        """Three real matrix products."""
        return Moments(a.weight @ b.weight, a.weight @ b.first + a.first @ b.weight)

    def group_sum(self, a: Moments, groups: Groups) -> Moments:
        """Matrix products with the membership matrix."""
        return Moments(a.weight @ groups.membership, a.first @ groups.membership)

    def group_spread(self, a: Moments, groups: Groups) -> Moments:
        """Matrix products with the transposed membership matrix."""
        return Moments(a.weight @ groups.membership.T, a.first @ groups.membership.T)

    def lift(self, log_weight: jax.Array, counted: jax.Array | None = None) -> Moments:
        """Weight, and weight times count."""
        weight = jnp.exp(log_weight)
        return Moments(weight, jnp.zeros_like(weight) if counted is None else weight * counted)

    def log_weight(self, a: Moments) -> jax.Array:
        """The logarithm of the weight."""
        return Real().log_weight(a.weight)

    def expected(self, a: Moments) -> jax.Array:
        """The expected count; zero, with gradient zero, where the weight is zero."""
        positive = a.weight > 0
        return jnp.where(positive, a.first / jnp.where(positive, a.weight, 1.0), 0.0)

    def balance(self, a: Moments, axes: tuple[int, ...]) -> tuple[Moments, jax.Array]:
        """Scale both parts by the largest weight along ``axes``, held constant."""
        weight, log_factor = Real().balance(a.weight, axes)
        factor = jnp.exp(jnp.expand_dims(log_factor, axes))
        return Moments(weight, a.first / factor), log_factor
