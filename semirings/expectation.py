"""Expectation semirings of first and second order (Eisner 2002; Li and Eisner 2009).

Li and Eisner store sums of weight times feature, ``(p, r)``; here a value is a weight of the base
with the *average* ``r / p``, to avoid products of small weights and large features, and differences
of large numbers (docs/decisions/semirings.md).
"""

# | argument                              | value                   | gradient                     |
# | ------------------------------------- | ----------------------- | ---------------------------- |
# | ``lift(-inf, +inf)``                  | weight zero, mean 0     | 0                            |
# | ``plus((-inf, m), (-inf, m'))``       | mean 0                  | 0, 0                         |
# | ``plus((x, m), (-inf, inf))``         | mean m                  | 1, 0 by the means            |
# | ``plus((+inf, m), (x, m'))``          | mean m                  | 1, 0 by the means            |
# | ``plus((x, m), (x, m'))``             | mean (m + m') / 2       | 1/2, 1/2; a tie is averaged  |
# | ``sum([])``                           | weight zero, mean 0     | (nothing)                    |
# | ``star`` of weight one                | mean +inf, 0 if m is 0  | 0                            |

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semirings.augmented import Augmented
from semirings.base import Groups, Laws, Semiring, Value
from semirings.capabilities import Divisible, require_divisible
from semirings.log import Log
from semirings.numerics import matmul, quotient, weigh
from semirings.real import Real

# The law that averaging by shares violates.
INFINITE_BROKEN = {"infinite weights": "times infinity all weights are alike, and so are shares"}


class Moments(NamedTuple):
    """A weight of the base and the average of the feature."""

    weight: Any
    mean: jax.Array


class Averaging(Augmented):
    """The operations of averages, shared by ``Expectation`` and ``Risk``."""

    base: Divisible

    def augment(self, weight: Value) -> Moments:
        return Moments(weight, jnp.zeros(jax.tree.leaves(weight)[0].shape, jnp.float32))

    def times(self, a: Moments, b: Moments) -> Moments:
        return Moments(self.base.times(a.weight, b.weight), a.mean + b.mean)

    def sum(self, a: Moments, axis: int) -> Moments:
        shares = self.base.shares(a.weight, axis)
        return Moments(self.base.sum(a.weight, axis), jnp.sum(weigh(shares, a.mean), axis))

    def matmul(self, a: Moments, b: Moments) -> Moments:
        """Multiply matrices; over ``Real`` with finite features, without storing all products."""
        if not isinstance(self.base, Real):
            return super().matmul(a, b)
        total = matmul(_total(a), b.weight) + matmul(a.weight, _total(b))
        return _averaging(self.base.matmul(a.weight, b.weight), total)

    def group_sum(self, a: Moments, groups: Groups) -> Moments:
        """Sum within groups; over ``Real`` without a gather, whose reverse pass is slow."""
        if not isinstance(self.base, Real):
            return super().group_sum(a, groups)
        total = matmul(_total(a), groups.membership)
        return _averaging(self.base.group_sum(a.weight, groups), total)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Moments:
        return Moments(self.base.lift(log_weight), _masked(log_weight, feature))

    def expected_value(self, a: Moments) -> jax.Array:
        """Return the expected feature; zero where the weight is zero."""
        return jnp.where(self.log_weight(a) == -jnp.inf, 0.0, a.mean)

    def observe(self, a: Moments) -> Any:
        return self.base.observe(a.weight), self.expected_value(a)

    def star(self, a: Moments) -> Moments:
        """Average over the number of repetitions, which is geometric with the mean p / (1 - p)."""
        # Since star(a) = 1 + a star(a), the mean satisfies x = s (m + x), with the share s of the
        # second term.
        base, weight = self.base, self.base.star(a.weight)
        ends = base.log_weight(weight) != jnp.inf
        # Masked before the multiplication: the gradient of infinity times zero is NaN.
        unit = base.ones_like(weight)
        more = base.times(a.weight, base.where(ends, weight, unit))
        stop, go_on = base.shares(jax.tree.map(lambda x, y: jnp.stack([x, y]), unit, more), 0)
        rounds = jnp.where(ends, go_on / jnp.where(ends, stop, 1.0), 0.0)
        endless = jnp.where(a.mean == 0, 0.0, jnp.where(a.mean > 0, jnp.inf, -jnp.inf))
        return Moments(weight, jnp.where(ends, weigh(rounds, a.mean), endless))


@dataclass(frozen=True)
class Expectation(Averaging):
    """Weights with the average of an additive quantity over all derivations.

    ``(p, m)(p', m') = (p p', m + m')``; ``(p, m) + (p', m') = (p + p', (p m + p' m') / (p + p'))``.
    With a selective base, the average is the feature of the best derivation.
    """

    base: Divisible = Log()

    name: ClassVar[str] = "expectation"

    @property
    def laws(self) -> Laws:
        return averaged_laws(self.base, star=self.base.laws.star)

    def __post_init__(self) -> None:
        require_divisible(self.base)


def _total(a: Moments) -> jax.Array:
    """Return weight times average, Li and Eisner's r; zero where the weight is zero."""
    return weigh(a.weight, a.mean)


def _averaging(weight: jax.Array, total: jax.Array) -> Moments:
    return Moments(weight, quotient(total, jnp.where(weight == 0, 1.0, weight)))


class Covariances(NamedTuple):
    """A weight, the averages of two quantities, and their covariance.

    Covariances are differences of averages and may be much smaller, so averages have rounding
    errors, ``_rest``.
    """

    weight: Any
    first: jax.Array
    second: jax.Array
    covariance: jax.Array
    first_rest: jax.Array
    second_rest: jax.Array


@dataclass(frozen=True)
class Covariance(Augmented):
    """The second-order expectation semiring, centred: covariance instead of E[r s].

    Covariances of independent parts add. ``lift`` takes a pair ``feature = (r, s)``, or one array
    for the variance. Li and Eisner (2009), section 3.2: ``t / p = covariance + first * second``.
    """

    base: Divisible = Log()

    name: ClassVar[str] = "covariance"

    @property
    def laws(self) -> Laws:
        return averaged_laws(self.base)

    def __post_init__(self) -> None:
        require_divisible(self.base)

    def augment(self, weight: Value) -> Covariances:
        nothing = jnp.zeros(jax.tree.leaves(weight)[0].shape, jnp.float32)
        return Covariances(weight, nothing, nothing, nothing, nothing, nothing)

    def times(self, a: Covariances, b: Covariances) -> Covariances:
        weight = self.base.times(a.weight, b.weight)
        first, first_error = _two_sum(a.first, b.first)
        second, second_error = _two_sum(a.second, b.second)
        return Covariances(
            weight,
            first,
            second,
            a.covariance + b.covariance,
            a.first_rest + b.first_rest + first_error,
            a.second_rest + b.second_rest + second_error,
        )

    def sum(self, a: Covariances, axis: int) -> Covariances:
        """Sum along one axis by the law of total covariance."""
        shares = self.base.shares(a.weight, axis)

        def average(x: jax.Array) -> jax.Array:
            return jnp.sum(weigh(shares, x), axis)

        def centred(x: jax.Array, remainder: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
            """Return the average, its rounding error, and the deviations of the summands."""
            # Any number close to the average suffices, so it is constant under differentiation.
            near = jax.lax.stop_gradient(average(x))
            aside = x - jnp.expand_dims(near, axis) + remainder
            lacking = average(aside)
            return near, lacking, aside - jnp.expand_dims(lacking, axis)

        first, first_rest, first_aside = centred(a.first, a.first_rest)
        second, second_rest, second_aside = centred(a.second, a.second_rest)
        covariance = average(a.covariance + first_aside * second_aside)
        weight = self.base.sum(a.weight, axis)
        return Covariances(weight, first, second, covariance, first_rest, second_rest)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Covariances:
        """Attach the features, with covariance zero."""
        pair: tuple[Any, Any] = feature if isinstance(feature, tuple) else (feature, feature)
        r, s = (_masked(log_weight, each) for each in pair)
        nothing = jnp.zeros_like(r)
        return Covariances(self.base.lift(log_weight), r, s, nothing, nothing, nothing)

    def observe(self, a: Covariances) -> Any:
        impossible = self.log_weight(a) == -jnp.inf
        parts = a.first + a.first_rest, a.second + a.second_rest, a.covariance
        seen = tuple(jnp.where(impossible, 0.0, x) for x in parts)
        return self.base.observe(a.weight), seen


def _two_sum(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return a sum and its rounding error (Knuth 1969, section 4.2.2, theorem B)."""
    total = a + b
    of_b = total - a
    error = (a - (total - of_b)) + (b - of_b)
    # The error of an infinite sum is taken as zero.
    return total, jax.lax.stop_gradient(jnp.where(jnp.isfinite(total), error, 0.0))


def averaged_laws(base: Semiring, *, star: bool = False) -> Laws:
    """Return the laws of averages of weights of the base."""
    broken = INFINITE_BROKEN | base.laws.broken
    if base.laws.selective:
        broken |= {"plus commutative": "of equal weights the first wins, with its feature"}
    return Laws(commutative=base.laws.commutative, star=star, features=True, broken=broken)


def _masked(log_weight: jax.Array, feature: jax.Array | None) -> jax.Array:
    """Return the feature, or 0 where the weight is zero: zero times infinity is zero."""
    if feature is None:
        return jnp.zeros_like(log_weight)
    return jnp.where(log_weight == -jnp.inf, 0.0, feature).astype(log_weight.dtype)
