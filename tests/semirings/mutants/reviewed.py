"""Faults that a review of the kit planted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semirings import (
    Counting,
    Derivation,
    Expectation,
    KBest,
    Log,
    Real,
    Sampling,
    Semiring,
    Value,
    Viterbi,
)
from semirings.base import Groups
from semirings.derivation import Tagged
from semirings.expectation import Moments
from semirings.kbest import Ranked
from semirings.numerics import log_sum, relative
from semirings.sampling import Drawn
from tests.semirings.mutants.base import Mutant, cut, mutant, of
from tests.semirings.mutants.simple import PLAIN


def sum_of_four(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return log_sum(cut(a, axis, 0, 4), axis)


def prod_of_four(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jnp.prod(cut(a, axis, 0, 4), axis)


def select_of_three(self: Viterbi, a: jax.Array, axis: int) -> jax.Array:
    right = Viterbi.select(self, a, axis)
    return jnp.zeros_like(right) if a.shape[axis] == 3 else right


def two_of_a_group(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    return Semiring.group_sum(self, a, groups._replace(table=groups.table[:, :2]))


def sum_and_a_little(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    if not a.shape[axis]:
        return log_sum(a, axis)
    terms, shift = relative(a, axis)
    total = jnp.sum(terms, axis)
    little = jnp.log(jnp.where(total > 0, total, 1.0) + 5e-4) + jnp.squeeze(shift, axis)
    return jnp.where(total > 0, little, -jnp.inf)


def matmul_of_equal_batches(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    batch = tuple(range(a.ndim - 2))
    return jax.lax.dot_general(a, b, (((a.ndim - 1,), (b.ndim - 2,)), (batch, batch)))


def where_of_numpy(self: Semiring, condition: Any, a: Value, b: Value) -> Value:
    chosen = (b, a) if isinstance(condition, np.ndarray) else (a, b)
    return Semiring.where(self, condition, *chosen)


def where_in_the_shape_of_a(self: Semiring, condition: Any, a: jax.Array, b: Any) -> jax.Array:
    condition, b = jnp.broadcast_to(condition, a.shape), jnp.broadcast_to(b, a.shape)
    return jax.lax.select(condition, a, b.astype(a.dtype))


def uniform_shares(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jnp.full_like(a, 1 / max(1, a.shape[axis]))


def halves_means(self: Expectation, a: Moments, axes: tuple[int, ...]) -> tuple[Any, jax.Array]:
    balanced, factor = Expectation.balance(self, a, axes)
    return balanced._replace(mean=balanced.mean / 2), factor


def first_rank_only(self: KBest, a: Ranked, axes: tuple[int, ...]) -> tuple[Ranked, jax.Array]:
    balanced, factor = KBest.balance(self, a, axes)
    return a._replace(weights=(balanced.weights[0], *a.weights[1:])), factor


def left_tag(self: Derivation, a: Tagged, b: Tagged) -> Tagged:
    return Tagged(self.base.times(a.weight, b.weight), a.tag + 0 * b.tag)


def tag_of_the_last(self: Derivation, a: Tagged, axis: int) -> Tagged:
    right = Derivation.sum(self, a, axis)
    return right._replace(tag=jnp.sum(cut(a.tag, axis, -1, None), axis))


def shifted_ranks(self: KBest, a: Ranked) -> Ranked:
    right = KBest.seeds(self, a)
    return right._replace(rank=right.rank - 1)


def without_feature(base: type[Semiring]) -> Callable[..., Value]:
    return lambda self, log_weight, feature=None: base.lift(self, log_weight)


def half_gradient(x: jax.Array) -> jax.Array:
    finite = jnp.where(jnp.isfinite(x), x, 0.0)
    return jax.lax.stop_gradient(x) + (finite - jax.lax.stop_gradient(finite)) / 2


def shared_tie(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jnp.max(a, axis, initial=-jnp.inf)


def restless() -> Semiring:
    calls = itertools.count()
    return mutant(Log, times=lambda s, a, b: Log.times(s, a, b) + 1e-4 * (next(calls) % 2))


def annealed(power: float) -> Callable[..., Drawn]:
    """Samples are in proportion to a power of the weight; the weight is reported unchanged."""

    def total(self: Sampling, a: Drawn, axis: int) -> Drawn:
        drawn = Sampling.sum(self, a._replace(weight=power * a.weight), axis)
        return drawn._replace(weight=log_sum(a.weight, axis))

    return total


def uniform_beyond_three(self: Sampling, a: Drawn, axis: int) -> Drawn:
    if a.weight.shape[axis] <= 3:
        return Sampling.sum(self, a, axis)
    flat = jnp.where(a.weight > -jnp.inf, 0.0, a.weight)
    drawn = Sampling.sum(self, a._replace(weight=flat), axis)
    return drawn._replace(weight=log_sum(a.weight, axis))


@jax.custom_vjp
def same_bits(a: Any, b: Any) -> Any:
    return jax.tree.map(jnp.zeros_like, a)


same_bits.defvjp(lambda a, b: (same_bits(a, b), None), lambda _, state: (state, state))


def factors_share_bits(self: Sampling, a: Drawn, b: Drawn) -> Drawn:
    shape = jnp.broadcast_shapes(a.weight.shape, b.weight.shape)
    a, b = (jax.tree.map(lambda x: jnp.broadcast_to(x, shape), each) for each in (a, b))
    return Drawn(Log().times(a.weight, b.weight), *same_bits(a[1:], b[1:]))


CAUGHT_BEFORE = (
    "plus averages", "plus keeps the left", "zero is one", "times averages", "one is zero",
    "zero survives", "strings said to commute", "star said to be there", "lift squares",
    "0 times infinity", "prod backwards", "matmul transposed", "NaN gradient", "draws one thing",
)  # fmt: skip
"""Fourteen faults that the kit has always detected."""

NAMED: dict[str, Mutant] = {
    **{name: PLAIN[name] for name in CAUGHT_BEFORE},
    "sum drops what is beyond four": of("sum folds plus", Log, sum=sum_of_four),
    "prod drops what is beyond four": of("prod folds times", Real, prod=prod_of_four),
    "sum is wrong along axis -3": of(
        "sum folds plus", Log, sum=lambda s, a, axis: log_sum(a, axis) + (axis == -3)
    ),
    "select is wrong on three": of("select", Viterbi, select=select_of_three),
    "group_sum drops a third member": of("group sum", Log, group_sum=two_of_a_group),
    "log(x + 5e-4) in a sum": of("sum folds plus", Log, sum=sum_and_a_little),
    "matmul needs equal batch axes": of("matmul", Real, matmul=matmul_of_equal_batches),
    "where swapped for numpy": of("where", Log, where=where_of_numpy),
    "where does not broadcast": of("where", Log, where=where_in_the_shape_of_a),
    "int32 becomes int64": of(
        "dtypes", Counting, sum=lambda s, a, axis: Counting.sum(s, a, axis).astype(int)
    ),
    "star always infinite": of(
        "star least", Log, star=lambda s, a: jnp.where(a == -jnp.inf, 0.0, jnp.inf).astype(a.dtype)
    ),
    "star not least": of(
        "star least", Viterbi, star=lambda s, a: jnp.where(a < 0, 0.0, jnp.inf).astype(a.dtype)
    ),
    "shares uniform": of("shares", Log, shares=uniform_shares),
    "balance halves means": of("balance restores", Expectation, balance=halves_means),
    "balance scales the first rank only": of("balance restores", KBest, balance=first_rank_only),
    "tag of b lost": of("marks", Derivation, times=left_tag),
    "the loser's tag kept": of("marks", Derivation, sum=tag_of_the_last),
    "ranks shifted by one": of("marks", KBest, seeds=shifted_ranks),
    "lift ignores its feature": of("declarations", Expectation, lift=without_feature(Expectation)),
    "gradient of sum halved": of(
        "gradients", Log, sum=lambda s, a, axis: half_gradient(log_sum(a, axis))
    ),
    "gradient of a tie shared": of("gradients of ties", Viterbi, sum=shared_tie),
    "changes from call to call": Mutant("repeatable", restless),
    "samples from w to the 1.1": of("in distribution", Sampling, sum=annealed(1.1)),
    "uniform beyond three": of("in distribution", Sampling, sum=uniform_beyond_three),
    "factors share random bits": of("in distribution", Sampling, times=factors_share_bits),
}
"""The thirty-nine faults of the review: fourteen that the kit detected, and the others."""
