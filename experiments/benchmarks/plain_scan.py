"""The plain scan over chains to which ``structures.py`` and ``synjax_peer.py`` compare.

Needs jax only, since the latter runs in an environment of its own, without this project, and often
with another version of jax: ratios to the plain scan of the same environment leave that out.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp


def log_sum_exp(a: jax.Array, axis: int) -> jax.Array:
    """Compute log-sum-exp by hand, for finite weights only.

    Args:
        a: log weights.
        axis: axis to sum over.
    """
    largest = jax.lax.stop_gradient(jnp.max(a, axis, keepdims=True))
    return jnp.squeeze(largest, axis) + jnp.log(jnp.sum(jnp.exp(a - largest), axis))


def plain(reduce: Callable[..., jax.Array], x: jax.Array) -> jax.Array:
    """Sum over all chains and items in a hand-written scan.

    Args:
        reduce: maps an array and an axis to the sum, or to another reduction.
        x: ``[batch, length, states, states]`` log weights.
    """

    def step(state: jax.Array, matrix: jax.Array) -> tuple[jax.Array, None]:
        return reduce(state[:, :, None] + matrix, 1), None

    state, _ = jax.lax.scan(step, x[:, 0, 0], jnp.moveaxis(x[:, 1:], 1, 0))
    return jnp.sum(reduce(state, 1))
