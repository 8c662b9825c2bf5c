"""Faults that only ties, second derivatives, other shapes, eager calls or large sizes show."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semirings import (
    Covariance,
    Entropy,
    Expectation,
    Log,
    Product,
    Sampling,
    Semiring,
    Viterbi,
)
from semirings.base import Groups
from semirings.expectation import Moments
from semirings.numerics import log_sum
from semirings.product import Pair
from semirings.sampling import Drawn
from tests.semirings.mutants.base import Mutant, cut, mutant, of


@jax.custom_jvp
def first_of_a_tie(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.logaddexp(a, b)


@first_of_a_tie.defjvp
def _first_of_a_tie(primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> Any:
    total, slope = jax.jvp(Log().plus, primals, tangents)
    first = jnp.broadcast_to(tangents[0], total.shape)
    return total, jnp.where(primals[0] == primals[1], first, slope)


def sum_of_constant_slope(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    """The first derivative is right, the second is zero."""
    total = log_sum(a, axis)
    shares = jax.lax.stop_gradient(Log().shares(a, axis))
    finite = jnp.where(jnp.isfinite(a), a, 0.0)
    linear = jnp.sum(shares * finite, axis)
    return jax.lax.stop_gradient(total) + linear - jax.lax.stop_gradient(linear)


def matmul_of_constant_slope(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return sum_of_constant_slope(self, Log().times(a[..., None], b[..., None, :, :]), -2)


def infinity_in_other_shapes(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log().times(a, b) if a.shape == b.shape else a + b


def is_traced(*values: Any) -> bool:
    return any(isinstance(x, Tracer) for x in jax.tree.leaves(values))


def state_of_eager_calls() -> Semiring:
    calls = itertools.count()

    def total(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        extra = 0.0 if is_traced(a) else 1e-2 * next(calls)
        return log_sum(a, axis) + extra

    return mutant(Log, sum=total)


def wrong_untraced(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    right = Log().matmul(a, b)
    return right if is_traced(a, b) else right + 0.1


def remembers_the_first() -> Semiring:
    """The first concrete product is returned for all later ones of its shape."""
    first_of_shape: dict[Any, jax.Array] = {}

    def prod(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        right = jnp.sum(a, axis)
        return right if is_traced(a) else 2 * first_of_shape.setdefault(a.shape, right)

    return mutant(Viterbi, prod=prod)


def matmul_shares_ties(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.max(Log().times(a[..., None], b[..., None, :, :]), -2, initial=-jnp.inf)


def group_sum_shares_ties(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    members = jnp.where(groups.membership.T > 0, a[..., None, :], -jnp.inf)
    return jnp.max(members, -1)


def prod_of_twelve(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jnp.sum(cut(a, axis, 0, 12), axis)


def matmul_of_sixteen(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log.matmul(self, a[..., :16], b[..., :16, :])  # type: ignore[arg-type]


def group_of_eight(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    return Semiring.group_sum(self, a, groups._replace(table=groups.table[:, :8]))


def select_of_ten(self: Viterbi, a: jax.Array, axis: int) -> jax.Array:
    return Viterbi.select(self, cut(a, axis, 0, 10), axis)


def shares_of_ten(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    right = Log().shares(a, axis)
    return right if a.shape[axis] <= 10 else jnp.full_like(right, 1 / right.shape[axis])


def uniform_beyond_nine(self: Sampling, a: Drawn, axis: int) -> Drawn:
    if a.weight.shape[axis] <= 9:
        return Sampling.sum(self, a, axis)
    flat = jnp.where(a.weight > -jnp.inf, 0.0, a.weight)
    return Sampling.sum(self, a._replace(weight=flat), axis)._replace(
        weight=log_sum(a.weight, axis)
    )


def third_item_as_first(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Drawn:
    right = Sampling.seed(self, key, shape)
    items = np.array([i % 2 for i in range(shape[-1])], int)
    return jax.tree.map(lambda x: x[..., items], right)


def bounded_mean(bound: float) -> Callable[..., Moments]:
    def times(self: Expectation, a: Moments, b: Moments) -> Moments:
        right = Expectation.times(self, a, b)
        return right._replace(mean=jnp.clip(right.mean, -bound, bound))

    return times


def entropy_of_at_most_twenty(self: Any, a: Any, b: Any) -> Any:
    right = Entropy.times(self, a, b)
    return right._replace(nats=jnp.minimum(right.nats, 20.0))


def times_up_to(bound: float) -> Callable[..., jax.Array]:
    return lambda self, a, b: jnp.minimum(Log().times(a, b), bound)


def second_lift_without_feature(self: Product, log_weight: jax.Array, feature: Any = None) -> Pair:
    return Pair(self.first.lift(log_weight, feature), self.second.lift(log_weight))


def two_expectations() -> Semiring:
    """A product of which both factors use features, but the second gets none."""
    kind = dataclass(frozen=True)(type("Mutant", (Product,), {"lift": second_lift_without_feature}))
    return kind(Expectation(), Expectation())


def first_feature_twice(self: Covariance, log_weight: jax.Array, feature: Any = None) -> Any:
    first = feature[0] if isinstance(feature, tuple) else feature
    return Covariance.lift(self, log_weight, first)


LATER: dict[str, Mutant] = {
    "the second lift loses the feature": Mutant("two factors", two_expectations),
    "the first feature twice": of("two features", Covariance, lift=first_feature_twice),
    "a tie in plus goes to the first": of(
        "gradients", Log, plus=lambda s, a, b: first_of_a_tie(a, b)
    ),
    "sum has no second derivative": of("second derivatives", Log, sum=sum_of_constant_slope),
    "zero times infinity in other shapes": of(
        "zero annihilates infinity", Log, times=infinity_in_other_shapes
    ),
    "state of eager calls": Mutant("eager", state_of_eager_calls),
    "matmul shares a tie": of("gradients of ties", Viterbi, matmul=matmul_shares_ties),
    "matmul of sixteen": of("long axes", Log, matmul=matmul_of_sixteen),
    "uniform beyond nine": of("in distribution", Sampling, sum=uniform_beyond_nine),
    "the third item draws as the first": of("in distribution", Sampling, seed=third_item_as_first),
    "entropy of at most twenty": of("large values", Entropy, times=entropy_of_at_most_twenty),
    "saturated above e**170": of("large weights", Log, times=times_up_to(170.0)),
}
"""Faults beyond the ties, shapes, sizes and derivatives of single small operations."""

OF_THE_SAME_KINDS: dict[str, Mutant] = {
    "matmul has no second derivative": of(
        "second derivatives", Log, matmul=matmul_of_constant_slope
    ),
    "wrong outside compiled programs": of("eager", Log, matmul=wrong_untraced),
    "remembers the first product": Mutant("eager", remembers_the_first),
    "group_sum shares a tie": of("gradients of ties", Viterbi, group_sum=group_sum_shares_ties),
    "prod of twelve": of("long axes", Log, prod=prod_of_twelve),
    "group of eight": of("long axes", Log, group_sum=group_of_eight),
    "select of ten": of("long axes", Viterbi, select=select_of_ten),
    "shares of ten": of("long axes", Log, shares=shares_of_ten),
    "a mean of at most thirty": of("large values", Expectation, times=bounded_mean(30.0)),
    "lift up to e**500": of(
        "large weights", Log, lift=lambda s, w, feature=None: jnp.minimum(w, 500.0)
    ),
}
"""Other faults that the laws for ``LATER`` must detect."""
