"""Simple faults, at least one for each law."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semirings import Laws, Log, Real, Sampling, Semiring, Viterbi
from semirings.base import Groups
from semirings.numerics import log_sum
from tests.semirings.mutants.base import Mutant, cut, flipped, of
from tests.semirings.strings import Coded, Strings


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
    "division the other way round": of("division", Log, divide=lambda s, a, b: b - a),
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
