"""Faults of other kinds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semirings import (
    Derivation,
    Expectation,
    KBest,
    Log,
    Provenance,
    Real,
    Sampling,
    Semiring,
    Viterbi,
)
from semirings.base import Groups
from semirings.derivation import Tagged
from semirings.expectation import Moments
from semirings.kbest import Ranked
from semirings.numerics import log_sum
from semirings.sampling import Drawn
from tests.semirings.mutants.base import Mutant, cut, flipped, length, mutant, of
from tests.semirings.mutants.reviewed import without_feature
from tests.semirings.strings import Coded, Strings


def reversed_beyond_four(self: Strings, a: Coded, axis: int) -> Coded:
    return Strings.prod(self, flipped(a, axis) if length(a, axis) > 4 else a, axis)


def drops_the_odd_one(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    size = a.shape[axis]
    return jnp.prod(cut(a, axis, 0, size - (size == 7)), axis)


def unshifted_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    total = jnp.sum(jnp.exp(a), axis)
    return jnp.where(total > 0, jnp.log(jnp.where(total > 0, total, 1.0)), -jnp.inf)


def half_precision_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jnp.sum(a, axis).astype(jnp.bfloat16).astype(a.dtype)


def sum_of_a_block(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return log_sum(cut(a, axis, 0, 256), axis)


def first_two_joined(self: Semiring, values: Sequence[jax.Array], axis: int) -> jax.Array:
    return jnp.concatenate(values[:2], axis)


def from_the_right(self: Semiring, values: Sequence[jax.Array], axis: int) -> jax.Array:
    return jnp.concatenate(values, -1 if axis < -1 else axis)


def in_order_of_items(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    """Treats groups as runs of adjacent items."""
    return Semiring.group_sum(self, a, groups._replace(table=np.sort(groups.group)[groups.table]))


def to_the_first_member(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    _, first = np.unique(groups.group, return_index=True)
    is_first = np.isin(np.arange(len(groups.group)), first)
    return jnp.where(is_first, Semiring.group_spread(self, a, groups), -jnp.inf)


def matmul_of_four(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log.matmul(self, a[..., :4], b[..., :4, :])  # type: ignore[arg-type]


def squared_shares(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return Log().shares(2 * a, axis)


def shares_of_nothing(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return jax.nn.softmax(jnp.maximum(a, -1e4), axis)


def largest_takes_all(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return Viterbi().shares(a, axis)


def last_of_three(self: Viterbi, a: jax.Array, axis: int) -> jax.Array:
    size = a.shape[axis]
    if size < 3:
        return Viterbi.select(self, a, axis)
    return size - 1 - Viterbi.select(self, jnp.flip(a, axis), axis)


def select_ignores_the_sign_of_the_axis(self: Viterbi, a: jax.Array, axis: int) -> jax.Array:
    return Viterbi.select(self, -a if axis < 0 else a, axis)


def negative_beyond_one(self: Semiring, a: jax.Array) -> jax.Array:
    return 1 / (1 - a)


def one_round(self: Expectation, a: Moments) -> Moments:
    right = Expectation.star(self, a)
    return right._replace(mean=a.mean * jnp.exp(self.base.log_weight(a.weight)))


def every_supporter(self: Provenance, a: Any) -> Any:
    right = Provenance.star(self, a)
    return right._replace(words=tuple(jnp.full_like(x, 7) for x in right.words))


def same_for_both_items(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Drawn:
    right = Sampling.seed(self, key, shape)
    return jax.tree.map(lambda x: jnp.broadcast_to(x[..., :1], x.shape), right)


def every_draw_twice(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Drawn:
    right = Sampling.seed(self, key, shape)
    return jax.tree.map(lambda x: jnp.repeat(x[::2], 2, 0)[: len(x)], right)


def one_key(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Drawn:
    return Sampling.seed(self, jax.random.key(7), shape)


def restless_seed() -> Semiring:
    calls = itertools.count()

    def seed(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Drawn:
        return Sampling.seed(self, jax.random.fold_in(key, next(calls)), shape)

    return mutant(Sampling, seed=seed)


def draws_with_a_floor(self: Sampling, a: Drawn, axis: int) -> Drawn:
    """No weight is zero."""
    drawn = Sampling.sum(self, a._replace(weight=jnp.maximum(a.weight, -61.0)), axis)
    return drawn._replace(weight=log_sum(a.weight, axis))


def draws_unshifted(self: Sampling, a: Drawn, axis: int) -> Drawn:
    drawn = Sampling.sum(self, a._replace(weight=jnp.clip(a.weight, -50.0, 50.0)), axis)
    return drawn._replace(weight=log_sum(a.weight, axis))


def tag_twice(self: Derivation, a: Tagged, b: Tagged) -> Tagged:
    return Tagged(self.base.times(a.weight, b.weight), a.tag + 2 * b.tag)


def no_marks(self: Derivation, a: Tagged) -> Tagged:
    return jax.tree.map(jnp.zeros_like, a)


def best_k_times(self: KBest, a: Ranked) -> Ranked:
    right = KBest.seeds(self, a)
    return right._replace(rank=jnp.ones_like(right.rank))


def best_of_pairs_of_equal_rank(self: KBest, a: Ranked, b: Ranked) -> Ranked:
    """Only products of equal rank are kept: the second best may be another pair."""
    right = KBest.times(self, a, b)
    if len(a.weights) < 2 or len(b.weights) < 2:
        return right
    pairs = zip(a.weights, b.weights, strict=False)
    return right._replace(weights=tuple(self.base.times(x, y) for x, y in pairs))


def constant_factor(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log.times(self, a, jax.lax.stop_gradient(b))  # type: ignore[arg-type]


def constant_matrix(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log.matmul(self, a, jax.lax.stop_gradient(b))  # type: ignore[arg-type]


def balance_cuts_the_gradient(
    self: Semiring, a: jax.Array, axes: tuple[int, ...]
) -> tuple[jax.Array, jax.Array]:
    balanced, factor = Log.balance(self, a, axes)  # type: ignore[arg-type]
    return jax.lax.stop_gradient(balanced), factor


def plus_shares_a_tie(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.maximum(a, b)


@jax.custom_jvp
def other_tangent(x: jax.Array) -> jax.Array:
    return x


@other_tangent.defjvp
def _other_tangent(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> Any:
    return primals[0], 0.9 * tangents[0]


def noisy() -> Semiring:
    generator = np.random.default_rng(0)
    return mutant(Real, sum=lambda s, a, axis: jnp.sum(a, axis) * (1 + 1e-6 * generator.normal()))


def remembers() -> Semiring:
    """Caches results by shape."""
    result_of_shape: dict[Any, jax.Array] = {}

    def total(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        return result_of_shape.setdefault((a.shape, axis), log_sum(a, axis))

    return mutant(Log, sum=total)


FURTHER: dict[str, Mutant] = {
    "a sum with NaN is zero": of(
        "NaN",
        Log,
        sum=lambda s, a, axis: jnp.where(
            (total := log_sum(a, axis)) > -jnp.inf, total, jnp.asarray(-jnp.inf, total.dtype)
        ),
    ),
    "zero annihilates NaN": of(
        "NaN",
        Log,
        times=lambda s, a, b: jnp.where((a == -jnp.inf) | (b == -jnp.inf), -jnp.inf, a + b),
    ),
    "prod turned round beyond four": of("prod folds times", Strings, prod=reversed_beyond_four),
    "prod of seven drops one": of("prod folds times", Real, prod=drops_the_odd_one),
    "sum overflows": of("sum of extreme weights", Log, sum=unshifted_sum),
    "sum in half precision": of("sum folds plus", Real, sum=half_precision_sum),
    "sum of one block": of("sum folds plus", Log, sum=sum_of_a_block),
    "third value is not joined": of("concatenate", Log, concatenate=first_two_joined),
    "joined along the last axis": of("concatenate", Log, concatenate=from_the_right),
    "groups are runs": of("group sum", Log, group_sum=in_order_of_items),
    "spread to one member": of("group spread", Log, group_spread=to_the_first_member),
    "matmul of four": of("matmul", Log, matmul=matmul_of_four),
    "plus of equal ranks only": of(
        "broadcasting",
        Real,
        plus=lambda s, a, b: jax.lax.add(*jnp.broadcast_arrays(a, b)) if a.ndim == b.ndim else a,
    ),
    "shares of squares": of("shares", Log, shares=squared_shares),
    "nothing has shares": of("shares", Log, shares=shares_of_nothing),
    "the largest has it all": of("shares", Real, shares=largest_takes_all),
    "the last of three equals": of("select", Viterbi, select=last_of_three),
    "select along a negative axis": of(
        "select", Viterbi, select=select_ignores_the_sign_of_the_axis
    ),
    "star negative beyond one": of("star least", Real, star=negative_beyond_one),
    "star has every supporter": of("star least", Provenance, star=every_supporter),
    "mean of one round": of("star", Expectation, star=one_round),
    "items draw the same": of("in distribution", Sampling, seed=same_for_both_items),
    "every draw twice": of("in distribution", Sampling, seed=every_draw_twice),
    "the key ignored": of("in distribution", Sampling, seed=one_key),
    "seed from a counter": Mutant("in distribution", restless_seed),
    "the impossible drawn": of("in distribution", Sampling, sum=draws_with_a_floor),
    "draws of extremes": of("in distribution", Sampling, sum=draws_unshifted),
    "tag of b twice": of("marks", Derivation, times=tag_twice),
    "nothing marked": of("marks", Derivation, seeds=no_marks),
    "features lost on the way": of("marks", KBest, lift=without_feature(KBest)),
    "the best marked by every rank": of("marks", KBest, seeds=best_k_times),
    "pairs of equal rank": of("left distributive", KBest, times=best_of_pairs_of_equal_rank),
    "a factor is constant": of("gradients", Log, times=constant_factor),
    "a matrix is constant": of("gradients", Log, matmul=constant_matrix),
    "balance cuts the gradient": of("gradients", Log, balance=balance_cuts_the_gradient),
    "the tangent of lift": of("gradients", Log, lift=lambda s, w, feature=None: other_tangent(w)),
    "plus shares a tie": of("gradients of ties", Viterbi, plus=plus_shares_a_tie),
    "noise in the sixth place": Mutant("repeatable", noisy),
    "remembers by shape": Mutant("checkpoint", remembers),
    "feature used in secret": of(
        "declarations",
        Log,
        lift=lambda s, w, feature=None: w if feature is None else w + feature,
    ),
    "where in 32 bits": of(
        "dtypes", Log, where=lambda s, c, a, b: jnp.where(c, a, b).astype(jnp.float32)
    ),
    "zeros_like of 32 bits": of(
        "dtypes", Log, zeros_like=lambda s, a: jnp.full(a.shape, -jnp.inf, jnp.float32)
    ),
    "nothing observed": of("observed", Log, observe=lambda s, a: jnp.zeros_like(a)),
    "infinity is one of many": of(
        "infinite weights",
        Log,
        plus=lambda s, a, b: Log.plus(s, *(jnp.minimum(x, 1e4) for x in (a, b))),
    ),
}
"""Other faults, of separate kinds."""
