"""The plain scan over chains, the baseline of ``structures.py`` and ``synjax_peer.py``.

Needs only JAX.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp


def log_sum_exp(a: jax.Array, axis: int) -> jax.Array:
    """Compute log-sum-exp by hand, for finite weights only."""
    largest = jax.lax.stop_gradient(jnp.max(a, axis, keepdims=True))
    return jnp.squeeze(largest, axis) + jnp.log(jnp.sum(jnp.exp(a - largest), axis))


def plain(reduce: Callable[..., jax.Array], x: jax.Array) -> jax.Array:
    """Reduce all chains and items, ``[batch, length, states, states]``, in a hand-written scan."""

    def step(state: jax.Array, matrix: jax.Array) -> tuple[jax.Array, None]:
        return reduce(state[:, :, None] + matrix, 1), None

    state, _ = jax.lax.scan(step, x[:, 0, 0], jnp.moveaxis(x[:, 1:], 1, 0))
    return jnp.sum(reduce(state, 1))
