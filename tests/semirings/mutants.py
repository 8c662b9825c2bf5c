"""Incorrect semirings, one for each law that must find its fault, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semirings import (
    Covariance,
    Derivation,
    Expectation,
    Laws,
    Log,
    Product,
    Real,
    Sampling,
    Semiring,
    Value,
    Viterbi,
)
from semirings.base import Groups
from semirings.derivation import Tagged
from semirings.expectation import Moments
from semirings.numerics import log_sum
from semirings.product import Pair
from semirings.sampling import Drawn
from tests.semirings.strings import Strings


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


def average(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return (a + b) / 2


def naive_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    """Correct values; the gradient is NaN where all weights are zero."""
    return jnp.log(jnp.sum(jnp.exp(a), axis))


def unwritten(self: Semiring, *_: Any) -> Any:
    raise NotImplementedError("later")


def half_balance(self: Semiring, a: jax.Array, axes: tuple[int, ...]) -> tuple[Any, Any]:
    balanced, factor = Real.balance(Real(), a, axes)
    return balanced, factor / 2


@jax.custom_vjp
def reverse_only(x: jax.Array) -> jax.Array:
    return x * 1.0


reverse_only.defvjp(lambda x: (x, None), lambda _, t: (t,))


LEFT = Laws(commutative=True, idempotent=True, selective=True, star=True, features=True)


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


def infinity_in_other_shapes(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log().times(a, b) if a.shape == b.shape else a + b


def is_traced(*values: Any) -> bool:
    return any(isinstance(x, Tracer) for x in jax.tree.leaves(values))


def remembers_the_first() -> Semiring:
    """The first concrete product is returned for all later ones of its shape."""
    first_of_shape: dict[Any, jax.Array] = {}

    def prod(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        right = jnp.sum(a, axis)
        return right if is_traced(a) else 2 * first_of_shape.setdefault(a.shape, right)

    return mutant(Viterbi, prod=prod)


def group_sum_shares_ties(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    members = jnp.where(groups.membership.T > 0, a[..., None, :], -jnp.inf)
    return jnp.max(members, -1)


def matmul_of_sixteen(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return Log.matmul(self, a[..., :16], b[..., :16, :])  # type: ignore[arg-type]


def bounded_mean(bound: float) -> Callable[..., Moments]:
    def times(self: Expectation, a: Moments, b: Moments) -> Moments:
        right = Expectation.times(self, a, b)
        return right._replace(mean=jnp.clip(right.mean, -bound, bound))

    return times


def second_lift_without_feature(self: Product, log_weight: jax.Array, feature: Any = None) -> Pair:
    return Pair(self.first.lift(log_weight, feature), self.second.lift(log_weight))


def two_expectations() -> Semiring:
    """A product of which both factors use features, but the second gets none."""
    kind = dataclass(frozen=True)(type("Mutant", (Product,), {"lift": second_lift_without_feature}))
    return kind(Expectation(), Expectation())


def first_feature_twice(self: Covariance, log_weight: jax.Array, feature: Any = None) -> Any:
    first = feature[0] if isinstance(feature, tuple) else feature
    return Covariance.lift(self, log_weight, first)


def where_of_numpy(self: Semiring, condition: Any, a: Value, b: Value) -> Value:
    chosen = (b, a) if isinstance(condition, np.ndarray) else (a, b)
    return Semiring.where(self, condition, *chosen)


def halves_means(self: Expectation, a: Moments, axes: tuple[int, ...]) -> tuple[Any, jax.Array]:
    balanced, factor = Expectation.balance(self, a, axes)
    return balanced._replace(mean=balanced.mean / 2), factor


@jax.custom_vjp
def same_bits(a: Any, b: Any) -> Any:
    return jax.tree.map(jnp.zeros_like, a)


same_bits.defvjp(lambda a, b: (same_bits(a, b), None), lambda _, state: (state, state))


def factors_share_bits(self: Sampling, a: Drawn, b: Drawn) -> Drawn:
    shape = jnp.broadcast_shapes(a.weight.shape, b.weight.shape)
    a, b = (jax.tree.map(lambda x: jnp.broadcast_to(x, shape), each) for each in (a, b))
    return Drawn(Log().times(a.weight, b.weight), *same_bits(a[1:], b[1:]))


def drops_the_odd_one(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    size = a.shape[axis]
    return jnp.prod(cut(a, axis, 0, size - (size == 7)), axis)


def unshifted_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    total = jnp.sum(jnp.exp(a), axis)
    return jnp.where(total > 0, jnp.log(jnp.where(total > 0, total, 1.0)), -jnp.inf)


def sum_of_a_block(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    return log_sum(cut(a, axis, 0, 256), axis)


def first_two_joined(self: Semiring, values: Sequence[jax.Array], axis: int) -> jax.Array:
    return jnp.concatenate(values[:2], axis)


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


def negative_beyond_one(self: Semiring, a: jax.Array) -> jax.Array:
    return 1 / (1 - a)


def tag_twice(self: Derivation, a: Tagged, b: Tagged) -> Tagged:
    return Tagged(self.base.times(a.weight, b.weight), a.tag + 2 * b.tag)


def noisy() -> Semiring:
    generator = np.random.default_rng(0)
    return mutant(Real, sum=lambda s, a, axis: jnp.sum(a, axis) * (1 + 1e-6 * generator.normal()))


def remembers() -> Semiring:
    """Caches results by shape."""
    result_of_shape: dict[Any, jax.Array] = {}

    def total(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
        return result_of_shape.setdefault((a.shape, axis), log_sum(a, axis))

    return mutant(Log, sum=total)


MUTANTS: dict[str, Mutant] = {
    "nothing written": of("plus associative", Log, plus=unwritten),
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
    "select names the last": of(
        "select",
        Viterbi,
        select=lambda s, a, axis: a.shape[axis] - 1 - jnp.argmax(jnp.flip(a, axis), axis),
    ),
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
    "zero times infinity in other shapes": of(
        "zero annihilates infinity", Log, times=infinity_in_other_shapes
    ),
    "small range": of("extreme weights", Real, Laws()),
    "sum of one block": of("sum folds plus", Log, sum=sum_of_a_block),
    "prod of seven drops one": of("prod folds times", Real, prod=drops_the_odd_one),
    "no empty sum": of("empty axes", Viterbi, sum=lambda s, a, axis: jnp.max(a, axis)),
    "plus of equal ranks only": of(
        "broadcasting",
        Real,
        plus=lambda s, a, b: jax.lax.add(*jnp.broadcast_arrays(a, b)) if a.ndim == b.ndim else a,
    ),
    "matmul of four": of("matmul", Log, matmul=matmul_of_four),
    "matmul without a shift": of(
        "matmul of extreme weights",
        Viterbi,
        matmul=lambda s, a, b: jnp.log(jnp.exp(a) @ jnp.exp(b)),
    ),
    "groups are runs": of("group sum", Log, group_sum=in_order_of_items),
    "spread to one member": of("group spread", Log, group_spread=to_the_first_member),
    "half balanced": of("balance", Real, balance=half_balance),
    "where swapped for numpy": of("where", Log, where=where_of_numpy),
    "third value is not joined": of("concatenate", Log, concatenate=first_two_joined),
    "sums over the batch": of(
        "vmap",
        Log,
        sum=lambda s, a, axis: Log.sum(s, a, axis) + (a.ndim if axis == -1 else 0),
    ),
    "reverse mode only": of("forward mode", Log, lift=lambda s, w, feature=None: reverse_only(w)),
    "NaN gradient": of("gradients at zero", Log, sum=naive_sum),
    "zeros_like of 32 bits": of(
        "dtypes", Log, zeros_like=lambda s, a: jnp.full(a.shape, -jnp.inf, jnp.float32)
    ),
    "factors share random bits": of("in distribution", Sampling, times=factors_share_bits),
    "feature used in secret": of(
        "declarations",
        Log,
        lift=lambda s, w, feature=None: w if feature is None else w + feature,
    ),
    "unhashable": of("hashable", Log, __hash__=None),
    "the second lift loses the feature": Mutant("two factors", two_expectations),
    "the first feature twice": of("two features", Covariance, lift=first_feature_twice),
    "a tie in plus goes to the first": of(
        "gradients", Log, plus=lambda s, a, b: first_of_a_tie(a, b)
    ),
    "sum has no second derivative": of("second derivatives", Log, sum=sum_of_constant_slope),
    "remembers the first product": Mutant("eager", remembers_the_first),
    "group_sum shares a tie": of("gradients of ties", Viterbi, group_sum=group_sum_shares_ties),
    "matmul of sixteen": of("long axes", Log, matmul=matmul_of_sixteen),
    "a mean of at most thirty": of("large values", Expectation, times=bounded_mean(30.0)),
    "lift up to e**500": of(
        "large weights", Log, lift=lambda s, w, feature=None: jnp.minimum(w, 500.0)
    ),
    "star negative beyond one": of("star least", Real, star=negative_beyond_one),
    "shares of squares": of("shares", Log, shares=squared_shares),
    "balance halves means": of("balance restores", Expectation, balance=halves_means),
    "tag of b twice": of("marks", Derivation, times=tag_twice),
    "noise in the sixth place": Mutant("repeatable", noisy),
    "a sum with NaN is zero": of(
        "NaN",
        Log,
        sum=lambda s, a, axis: jnp.where(
            (total := log_sum(a, axis)) > -jnp.inf, total, jnp.asarray(-jnp.inf, total.dtype)
        ),
    ),
    "sum overflows": of("sum of extreme weights", Log, sum=unshifted_sum),
    "remembers by shape": Mutant("checkpoint", remembers),
    "nothing observed": of("observed", Log, observe=lambda s, a: jnp.zeros_like(a)),
    "infinity is one of many": of(
        "infinite weights",
        Log,
        plus=lambda s, a, b: Log.plus(s, *(jnp.minimum(x, 1e4) for x in (a, b))),
    ),
}
"""Faults by name, one for each law."""
