"""Logarithms and log-sum-exp with exact infinities and finite gradients.

NaN is never mistaken for zero, and zero times NaN is NaN (docs/decisions/semirings.md). Derivatives
are JVP rules; a sum stores only the shares of its terms.
"""

# | argument                 | value | gradient                              |
# | ------------------------ | ----- | ------------------------------------- |
# | ``safe_log(0)``          | -inf  | 0                                     |
# | ``log_times(-inf, x)``   | -inf  | 1, 1, for x = +inf as well            |
# | ``log_add(-inf, -inf)``  | -inf  | 0, 0                                  |
# | ``log_sum([-inf, x])``   | x     | 0, 1                                  |
# | ``log_sum([])``          | -inf  | (nothing)                             |
# | ``log_sum([+inf, x])``   | +inf  | 1, 0 shared equally by all +inf terms |
# | any of them, of NaN      | NaN   | NaN                                   |

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

# The longest axis whose running sums are computed by a matrix product.
_SHORT = 256

# By default, GPUs and TPUs round the factors of matrix products to 11 bits or fewer.
_PRECISION = jax.lax.Precision.HIGHEST


def safe_log(a: jax.Array) -> jax.Array:
    """Return the logarithm, with value minus infinity and gradient zero at zero."""
    # The reciprocal of a subnormal float, which the gradient needs, is infinite.
    nothing: jax.Array = a < jnp.finfo(a.dtype).tiny
    return jnp.where(nothing, -jnp.inf, jnp.log(jnp.where(nothing, 1.0, a)))


@jax.custom_jvp
def log_times(a: jax.Array, b: jax.Array) -> jax.Array:
    """Add logs, except that minus infinity annihilates even plus infinity (but not NaN)."""
    # The minimum is minus infinity, unless the other factor is NaN.
    return jnp.where((a == -jnp.inf) | (b == -jnp.inf), jnp.minimum(a, b), a + b)


@log_times.defjvp
def _log_times_jvp(
    primals: tuple[jax.Array, jax.Array], tangents: tuple[jax.Array, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    # No mask is needed: in a sum, a zero weight has a share of zero, hence a zero gradient.
    return log_times(*primals), tangents[0] + tangents[1]


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def log_sum(a: jax.Array, axis: int) -> jax.Array:
    """Return the log of the sum of exponentials along one axis."""
    return log_sum_and_shares(a, axis)[0]


@log_sum.defjvp
def _log_sum_jvp(
    axis: int, primals: tuple[jax.Array], tangents: tuple[jax.Array]
) -> tuple[jax.Array, jax.Array]:
    total, shares = log_sum_and_shares(primals[0], axis)
    return total, jnp.sum(shares * tangents[0], axis)


def log_sum_and_shares(a: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    """Return ``log_sum`` and the shares of its terms: all zero if it is zero, equal if infinite.

    Shares are quotients of exponentials, not exponentials of differences from the total: float32
    represents a total of 100,000 only to two decimals.
    """
    if a.shape[axis] == 0:
        return jnp.max(a, axis, initial=-jnp.inf), a
    terms, shift = relative(a, axis)
    # More than 65,504 equal terms exceed the range of float16.
    wide = jnp.promote_types(a.dtype, jnp.float32)
    total = jnp.sum(terms, axis, keepdims=True, dtype=wide)
    nothing = total == 0
    total = jnp.where(nothing, 1.0, total)
    log_total = jnp.where(nothing, -jnp.inf, jnp.log(total))
    log_total = jnp.squeeze(log_total + shift.astype(wide), axis)
    return log_total.astype(a.dtype), (terms.astype(wide) / total).astype(a.dtype)


def log_shares(a: jax.Array, axis: int) -> jax.Array:
    """Return the logs of the shares in a sum, including shares that underflow."""
    if a.shape[axis] == 0:
        return a
    shifted, _ = _shifted(a, axis)
    total = jnp.expand_dims(log_sum(shifted, axis), axis)
    return shifted - jnp.where(total == -jnp.inf, 0.0, total)


def relative(a: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    """Return exponentials relative to the largest along an axis, and the log factor.

    Relative to plus infinity, infinite terms are one. The log factor is constant under
    differentiation.
    """
    shifted, shift = _shifted(a, axis)
    return jnp.exp(shifted), shift


def _shifted(a: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    most = jax.lax.stop_gradient(jnp.max(a, axis, keepdims=True, initial=-jnp.inf))
    infinite = most == jnp.inf
    shift = jnp.where(jnp.isfinite(most), most, 0.0)
    shifted = jnp.where(infinite, jnp.where(a == jnp.inf, 0.0, -jnp.inf), a - shift)
    return shifted, jnp.where(infinite, jnp.inf, shift)


def cumulative(terms: jax.Array, axis: int) -> jax.Array:
    """Return running sums, over short axes by a matrix product, which is many times faster."""
    size = terms.shape[axis]
    if size > _SHORT:
        return jax.lax.cumsum(terms, axis % terms.ndim)
    lower = jnp.tril(jnp.ones((size, size), terms.dtype))
    sums = jnp.tensordot(lower, terms, (1, axis), precision=_PRECISION)
    return jnp.moveaxis(sums, 0, axis)


def log_balance(a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
    """Subtract the largest along ``axes`` from logarithms, and return it."""
    # Floats are densest near zero: after 100,000 steps, float32 would have only two decimals.
    most = jax.lax.stop_gradient(jnp.max(a, axes, keepdims=True, initial=-jnp.inf) if axes else a)
    shift = jnp.where(jnp.isfinite(most), most, 0.0)
    return a - shift, jnp.squeeze(shift, axes)


@jax.custom_jvp
def quotient(a: jax.Array, b: jax.Array) -> jax.Array:
    """Divide, with a derivative that stays finite where the square of the divisor underflows."""
    return a / b


@quotient.defjvp
def _quotient_jvp(
    primals: tuple[jax.Array, jax.Array], tangents: tuple[jax.Array, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    ratio = quotient(*primals)
    return ratio, quotient(tangents[0] - ratio * tangents[1], primals[1])


def weigh(shares: jax.Array, a: jax.Array) -> jax.Array:
    """Multiply by shares, where zero times infinity or NaN is zero."""
    nothing = shares == 0
    return jnp.where(nothing, 0.0, shares * jnp.where(nothing, 0.0, a))


def log_add(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the log of the sum of two exponentials."""
    a, b = jnp.broadcast_arrays(a, b)
    return log_sum(jnp.stack([a, b]), 0)


def matmul(a: jax.Array, b: jax.Array | np.ndarray) -> jax.Array:
    """Multiply matrices in the precision of their dtype, on every device."""
    return jnp.matmul(a, b, precision=_PRECISION)


def log_matmul(a: jax.Array, b: jax.Array) -> jax.Array:
    """Multiply matrices in log space.

    Where terms that matter may have underflowed, the product is summed over ``[..., i, k, j]``
    terms.
    """
    product, unsure = log_matmul_of_numbers(a, b)
    # The reverse pass stores no terms, which would take memory even if not summed.
    again = jax.checkpoint(log_matmul_of_terms, prevent_cse=False)
    log_product: jax.Array = jax.lax.cond(anywhere(unsure), again, lambda a, b: product, a, b)
    return log_product


def log_matmul_of_numbers(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Multiply exponentials relative to the largest entries of rows and columns, in log space.

    Returns:
        The product; and booleans, true for entries that may be wrong because small terms
        underflowed.
    """
    rows, most_of_rows = relative(a, -1)
    columns, most_of_columns = relative(b, -2)
    total = matmul(rows, columns)
    # Zero stays zero, even where infinity was subtracted.
    product = log_times(log_times(safe_log(total), most_of_rows), most_of_columns)
    # All lost terms together are below an eighth of a unit in the last place of such a sum.
    limits = jnp.finfo(total.dtype)
    least = 8 * a.shape[-1] * float(limits.tiny) / float(limits.eps)
    # Factors above the root of the smallest float do not underflow: a sum of zero is then zero.
    root = float(limits.tiny) ** 0.5
    low = jnp.any((a > -jnp.inf) & (rows < root), -1)[..., :, None]
    low = low | jnp.any((b > -jnp.inf) & (columns < root), -2)[..., None, :]
    return product, (jax.lax.stop_gradient(total) < least) & low


def log_matmul_of_terms(a: jax.Array, b: jax.Array) -> jax.Array:
    """Multiply matrices in log space, term by term."""
    return log_sum(log_times(a[..., :, :, None], b[..., None, :, :]), -2)


@jax.custom_batching.custom_vmap
def anywhere(flags: jax.Array) -> jax.Array:
    """Return whether any flag is true; under ``vmap``, for all mapped values together.

    A ``cond`` on the result stays one, where a mapped predicate would evaluate both branches.
    """
    return jnp.any(flags)


@anywhere.def_vmap
def _anywhere_mapped(size: int, mapped: list[bool], flags: jax.Array) -> tuple[jax.Array, bool]:
    return anywhere(flags), False


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def pick(a: jax.Array, winner: jax.Array, axis: int) -> jax.Array:
    """Select one entry along one axis with a mask.

    Unlike a gather, its gradient needs no scatter; both are slow on most devices.
    """
    mask = one_hot(winner, a.shape, axis)
    return jnp.sum(jnp.where(mask, a, jnp.zeros((), a.dtype)), axis, dtype=a.dtype)


@pick.defjvp
def _pick_jvp(
    axis: int, primals: tuple[jax.Array, jax.Array], tangents: tuple[jax.Array, Any]
) -> tuple[jax.Array, jax.Array]:
    # The reverse pass recomputes the mask, and stores only an index for each sum.
    again: Callable[[jax.Array, jax.Array], jax.Array] = jax.checkpoint(
        lambda x, winner: pick(x, winner, axis), prevent_cse=False
    )
    winner = primals[1].astype(np.min_scalar_type(max(primals[0].shape[axis] - 1, 0)))
    return pick(*primals, axis), again(tangents[0], winner)


def maximum(a: jax.Array, axis: int, *, keepdims: bool = False) -> jax.Array:
    """Return the largest entry along one axis, NaN if one is NaN.

    XLA's reductions on CPUs drop NaN from arrays of thousands of entries.
    """
    most = jnp.max(a, axis, keepdims=keepdims)
    if not _floating(a):
        return most
    return jnp.where(jnp.any(jnp.isnan(a), axis, keepdims=keepdims), jnp.nan, most)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def largest(a: jax.Array, axis: int) -> jax.Array:
    """Return the largest entry along one axis; only the first such entry has a gradient."""
    return maximum(a, axis)


@largest.defjvp
def _largest_jvp(
    axis: int, primals: tuple[jax.Array], tangents: tuple[jax.Array]
) -> tuple[jax.Array, jax.Array]:
    (a,) = primals
    return maximum(a, axis), pick(tangents[0], first_largest(a, axis), axis)


def first_largest(a: jax.Array, axis: int) -> jax.Array:
    """Return the index of the first largest entry along one axis, or of the first NaN.

    Two plain reductions are faster than ``argmax``.
    """
    most = maximum(a, axis, keepdims=True)
    return first_true((a == most) | jnp.isnan(a) if _floating(a) else a == most, axis)


def first_true(a: jax.Array, axis: int) -> jax.Array:
    """Return the index of the first true entry along one axis, or of the last entry."""
    size = a.shape[axis]
    return jnp.min(jnp.where(a, _along(axis, size, a.ndim), size - 1), axis)


def one_hot(winner: jax.Array, shape: tuple[int, ...], axis: int) -> jax.Array:
    """Return a mask that is true at the given index along one axis."""
    index = _along(axis, shape[axis], len(shape)).astype(winner.dtype)
    return jnp.broadcast_to(index == jnp.expand_dims(winner, axis), shape)


def unbroadcast(x: jax.Array, like: jax.Array) -> jax.Array:
    """Sum over the axes along which an array was broadcast, to the shape of ``like``."""
    extra = x.ndim - like.ndim
    repeated = [i for i, n in enumerate(like.shape, extra) if n == 1 and x.shape[i] != 1]
    return jnp.sum(x, (*range(extra), *repeated)).reshape(like.shape)


def _along(axis: int, size: int, ndim: int) -> jax.Array:
    """Return ``0..size-1`` along one of ``ndim`` axes."""
    axis %= ndim
    return jnp.arange(size, dtype=jnp.int32).reshape([-1 if i == axis else 1 for i in range(ndim)])


def _floating(a: jax.Array) -> bool:
    return bool(jnp.issubdtype(a.dtype, jnp.floating))
