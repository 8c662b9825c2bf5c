"""Logarithms and their sums with true infinities and finite gradients.

| argument                 | value | gradient                              |
| ------------------------ | ----- | ------------------------------------- |
| ``safe_log(0)``          | -inf  | 0                                     |
| ``log_add(-inf, -inf)``  | -inf  | 0, 0                                  |
| ``log_sum([-inf, x])``   | x     | 0, 1                                  |
| ``log_sum([])``          | -inf  | (nothing)                             |
| ``log_sum([+inf, x])``   | +inf  | 1, 0 shared equally by all +inf terms |
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

# Below this a float32 is denormal: its reciprocal, which a gradient needs, is infinite.
_TINY = float(jnp.finfo(jnp.float32).tiny)


def safe_log(a: jax.Array) -> jax.Array:
    """Natural logarithm of nonnegative numbers; minus infinity, with gradient zero, at zero."""
    positive = a >= _TINY
    return jnp.where(positive, jnp.log(jnp.where(positive, a, 1.0)), -jnp.inf)


def log_sum(a: jax.Array, axis: int) -> jax.Array:
    """Log of the sum of exponentials along one axis, any shape, infinities allowed."""
    if a.shape[axis] == 0:
        shape = list(a.shape)
        del shape[axis]
        return jnp.full(shape, -jnp.inf, a.dtype)
    largest = jax.lax.stop_gradient(jnp.max(a, axis, keepdims=True))
    shift = jnp.where(jnp.isfinite(largest), largest, 0.0)
    # Where the largest is +inf, only the infinite terms count, each as exp(0).
    infinite = largest == jnp.inf
    shifted = jnp.where(infinite, jnp.where(a == jnp.inf, 0.0, -jnp.inf), a - shift)
    total = safe_log(jnp.sum(jnp.exp(shifted), axis))
    # The maximum itself, not a constant: its gradient is shared by the infinite terms.
    return jnp.where(
        jnp.squeeze(infinite, axis), jnp.max(a, axis), total + jnp.squeeze(shift, axis)
    )


def log_add(a: jax.Array, b: jax.Array) -> jax.Array:
    """Log of the sum of two exponentials, elementwise with broadcasting."""
    a, b = jnp.broadcast_arrays(a, b)
    return log_sum(jnp.stack([a, b]), 0)


def log_matmul(a: jax.Array, b: jax.Array) -> jax.Array:
    """Matrix product in log space: shift by the largest entries, multiply, take the log.

    Entries more than 87 below the largest of their row (of ``a``) or column (of ``b``) vanish
    in float32; ``log_sum`` of the sums keeps them.
    """
    rows = jax.lax.stop_gradient(jnp.max(a, -1, keepdims=True, initial=-jnp.inf))
    columns = jax.lax.stop_gradient(jnp.max(b, -2, keepdims=True, initial=-jnp.inf))
    rows = jnp.where(jnp.isfinite(rows), rows, 0.0)
    columns = jnp.where(jnp.isfinite(columns), columns, 0.0)
    return safe_log(jnp.exp(a - rows) @ jnp.exp(b - columns)) + rows + columns
