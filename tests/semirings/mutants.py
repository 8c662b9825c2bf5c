"""Incorrect semirings: each is a correct one with a single planted fault, and a law it breaks.

``NAMED`` are those created in a review of the conformance kit, ``FURTHER`` are of other kinds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semirings import (
    Counting,
    Covariance,
    Derivation,
    Entropy,
    Expectation,
    KBest,
    Laws,
    Log,
    Product,
    Provenance,
    Real,
    Sampling,
    Semiring,
    Strings,
    Value,
    Viterbi,
)
from semirings.base import Groups
from semirings.derivation import Tagged
from semirings.expectation import Moments
from semirings.kbest import Ranked
from semirings.numerics import log_sum, relative
from semirings.product import Pair
from semirings.sampling import Drawn
from semirings.strings import Coded


class Mutant(NamedTuple):
    """The law that must detect the fault, and the function that creates the semiring."""

    law: str
    make: Callable[[], Semiring]


def mutant(base: type[Semiring], laws: Laws | None = None, **methods: Any) -> Semiring:
    """Create an object of a class with some methods of its base replaced."""
    body = {**methods, **({"laws": laws} if laws else {})}
    return dataclass(frozen=True)(type("Mutant", (base,), body))()


def of(law: str, base: type[Semiring], laws: Laws | None = None, **methods: Any) -> Mutant:
    return Mutant(law, lambda: mutant(base, laws, **methods))


def cut(a: Value, axis: int, start: int | None, stop: int | None) -> Value:
    """Take some entries along one axis."""
    size = jax.tree.leaves(a)[0].shape[axis]
    start, stop, _ = slice(start, stop).indices(size)
    return jax.tree.map(lambda x: jax.lax.slice_in_dim(x, start, max(start, stop), axis=axis), a)


def flipped(a: Value, axis: int) -> Value:
    return jax.tree.map(lambda x: jnp.flip(x, axis), a)


def length(a: Value, axis: int) -> int:
    return jax.tree.leaves(a)[0].shape[axis]


# --- Simple faults, at least one for each law


def average(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return (a + b) / 2


def loses_the_last(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return log_sum(cut(a, axis, 0, -1 if a.shape[axis] > 1 else None), axis)


def naive_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    """Correct values; the gradient is NaN where all weights are zero."""
    return jnp.log(jnp.sum(jnp.exp(a), axis))


def backwards(self: Semiring, a: Coded, axis: int) -> Coded:
    return Strings.prod(self, flipped(a, axis), axis)  # type: ignore[arg-type]


def unwritten(self: Semiring, *_: Any) -> Any:
    raise NotImplementedError("later")


def half_balance(self: Semiring, a: jax.Array, axes: tuple[int, ...]) -> tuple[Any, Any]:
    balanced, factor = Real.balance(Real(), a, axes)
    return balanced, factor / 2


def first_group_only(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    return a @ (groups.membership * (np.arange(groups.membership.shape[1]) == 0))


def one_draw(self: Sampling, key: jax.Array, shape: tuple[int, ...], *_: Any) -> Any:
    """All draws have the same state, and hence the same result."""
    return jax.tree.map(lambda x: jnp.broadcast_to(x[:1], shape), Sampling.seed(self, key, shape))


@jax.custom_vjp
def reverse_only(x: jax.Array) -> jax.Array:
    return x * 1.0


reverse_only.defvjp(lambda x: (x, None), lambda _, t: (t,))

LEFT = Laws(commutative=True, idempotent=True, selective=True, star=True, features=True)

PLAIN: dict[str, Mutant] = {
    "plus averages": of("plus associative", Viterbi, plus=average),
    "plus keeps the left": of("plus commutative", Viterbi, plus=lambda s, a, b: a),
    "zero is one": of("zero neutral", Log, zeros=Log.ones),
    "times averages": of("times associative", Viterbi, times=average),
    "one is zero": of("one neutral", Log, ones=Log.zeros),
    "zero survives": of(
        "zero annihilates", Real, times=lambda s, a, b: jnp.where(b == 0, a, a * b)
    ),
    "times adds": of("left distributive", Real, times=lambda s, a, b: a + b),
    "times adds on the left": of("right distributive", Real, times=lambda s, a, b: a * a * b),
    "strings said to commute": of("commutative", Strings, LEFT),
    "log said to be idempotent": of("idempotent", Log, Laws(idempotent=True)),
    "log said to be selective": of("selective", Log, Laws(selective=True)),
    "selective without select": of("select", Log, Laws(selective=True)),
    "select names the last": of(
        "select",
        Viterbi,
        select=lambda s, a, axis: a.shape[axis] - 1 - jnp.argmax(jnp.flip(a, axis), axis),
    ),
    "star said to be there": of("star", Sampling, Laws(star=True)),
    "star without its zeros": of("star", Log, star=lambda s, a: -jnp.log(1 - jnp.exp(a))),
    "lift swallows small weights": of(
        "support",
        Log,
        lift=lambda s, w, feature=None: jnp.where(w < -4, -jnp.inf, w).astype(w.dtype),
    ),
    "lift squares": of("read back", Log, lift=lambda s, w, feature=None: 2 * w),
    "lift cannot be zero": of(
        "weight zero", Log, lift=lambda s, w, feature=None: jnp.maximum(w, -1e5)
    ),
    "lift has no one": of("weight one", Log, lift=lambda s, w, feature=None: w + 1),
    "0 times infinity": of("zero annihilates infinity", Log, times=lambda s, a, b: a + b),
    "small range": of("extreme weights", Real, Laws()),
    "sum loses the last": of("sum folds plus", Log, sum=loses_the_last),
    "prod backwards": of("prod folds times", Strings, prod=backwards),
    "no empty sum": of("empty axes", Viterbi, sum=lambda s, a, axis: jnp.max(a, axis)),
    "plus of equal shapes only": of(
        "broadcasting", Log, plus=lambda s, a, b: log_sum(jnp.stack([a, b]), 0)
    ),
    "matmul transposed": of(
        "matmul", Log, matmul=lambda s, a, b: jnp.swapaxes(Log.matmul(s, a, b), -1, -2)
    ),
    "matmul without a shift": of(
        "matmul of extreme weights",
        Viterbi,
        matmul=lambda s, a, b: jnp.log(jnp.exp(a) @ jnp.exp(b)),
    ),
    "one group only": of("group sum", Real, group_sum=first_group_only),
    "spread in order": of("group spread", Log, group_spread=lambda s, a, groups: a),
    "half balanced": of("balance", Real, balance=half_balance),
    "where turned round": of("where", Log, where=lambda s, c, a, b: jnp.where(c, b, a)),
    "concatenate turned round": of(
        "concatenate", Log, concatenate=lambda s, xs, axis: jnp.concatenate(xs[::-1], axis)
    ),
    "needs concrete values": of(
        "jit", Log, times=lambda s, a, b: a if not jnp.any(a > 3) else Log.times(s, a, b)
    ),
    "sums over the batch": of(
        "vmap",
        Log,
        sum=lambda s, a, axis: Log.sum(s, a, axis) + (a.ndim if axis == -1 else 0),
    ),
    "reverse mode only": of("forward mode", Log, lift=lambda s, w, feature=None: reverse_only(w)),
    "NaN gradient": of("gradients at zero", Log, sum=naive_sum),
    "always float32": of(
        "dtypes", Log, sum=lambda s, a, axis: Log.sum(s, a, axis).astype(jnp.float32)
    ),
    "zeros of the default dtype": of(
        "dtypes", Log, zeros=lambda s, shape: jnp.full(shape, -jnp.inf)
    ),
    "draws one thing": of("in distribution", Sampling, seed=one_draw),
    "nothing written": of("plus associative", Log, plus=unwritten),
    "no reason given": of("declarations", Log, Laws(broken={"matmul": " "})),
    "unhashable": of("hashable", Log, __hash__=None),
}
"""Faults for all laws."""

# --- Faults from a review of the kit


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
    kept = jnp.where(jnp.isfinite(x), x, 0.0)
    return jax.lax.stop_gradient(x) + (kept - jax.lax.stop_gradient(kept)) / 2


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


# --- Other faults


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
    given = np.isin(np.arange(len(groups.group)), first)
    return jnp.where(given, Semiring.group_spread(self, a, groups), -jnp.inf)


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
    kept: dict[Any, jax.Array] = {}

    def total(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        return kept.setdefault((a.shape, axis), log_sum(a, axis))

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


# --- Faults that only ties, second derivatives, other shapes, eager calls or large sizes show


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
    kept: dict[Any, jax.Array] = {}

    def prod(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        right = jnp.sum(a, axis)
        return right if is_traced(a) else 2 * kept.setdefault(a.shape, right)

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
