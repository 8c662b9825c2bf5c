"""Samples of derivations, stored as the indices of the few parts used.

Writing dense arrays would take longer than sampling.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures.base import Parts
from semipunct.structures.recursion import Recursion
from semirings.devices import scan
from semirings.numerics import cumulative, relative

# Indices for no part, and for items with NaN weights.
_NONE, _UNKNOWN = -1, -2


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Places:
    """The indices of the used parts in one array of parts.

    Attributes:
        index: ``[..., batch, most]`` flat indices into the item's entries, one per use; -1 for
            none, -2 if the item has NaN weights.
        shape: of the item's entries.
    """

    index: jax.Array
    shape: tuple[int, ...] = field(metadata={"static": True})
    dtype: Any = field(metadata={"static": True})

    def marks(self) -> jax.Array:
        """Count the uses of each part: ``[..., batch, *shape]``, NaN if a weight is NaN."""
        *leading, most = self.index.shape
        size = math.prod(self.shape)
        flat = self.index.reshape(math.prod(leading), most)
        rows = jnp.arange(flat.shape[0])[:, None]
        # JAX counts negative indices from the end.
        place = jnp.where(flat < 0, size, flat)
        nothing = jnp.where(jnp.any(flat == _UNKNOWN, 1, keepdims=True), jnp.nan, 0.0)
        nothing = jnp.broadcast_to(nothing.astype(self.dtype), (flat.shape[0], size))
        counts = nothing.at[rows, place].add(1, mode="drop")
        return counts.reshape(*leading, *self.shape)


class Traceable(ABC):
    """A structure that samples by a backward trace through stored forward values."""

    @abstractmethod
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> tuple[Parts, jax.Array]:
        """Draw ``count`` derivations in proportion to their weights.

        Returns:
            For each array of the expanded log weights, indices ``[count, batch, most]`` as in
            ``Places.index``; and ``[batch]`` minus infinity without a derivation, NaN with NaN
            weights, else any number.
        """


def as_places(log_weights: Parts, places: Parts, total: jax.Array) -> Parts:
    """Convert the results of ``Traceable.trace`` to ``Places``."""

    def possible_places(index: jax.Array, weights: jax.Array) -> Places:
        no_place = jnp.where(jnp.isnan(total), _UNKNOWN, _NONE)[:, None]
        place = jnp.where((total > -jnp.inf)[:, None], index, no_place)
        return Places(place.astype(jnp.int32), weights.shape[1:], weights.dtype)

    return jax.tree.map(possible_places, places, log_weights)


def choose(uniform: jax.Array, log_weight: jax.Array) -> jax.Array:
    """Choose along the last axis in proportion to weights, none of weight zero if any is positive.

    Args:
        uniform: random numbers in [0, 1), multiples of the machine epsilon.
    """
    return _first_beyond(uniform, _reached(log_weight))


def choose_in_row(
    uniform: jax.Array, log_weight: jax.Array, item: jax.Array, row: jax.Array
) -> jax.Array:
    """Choose like ``choose`` in rows ``[draws, batch]`` of tables ``[batch, rows, n]``.

    Args:
        item: ``[batch]`` the table of each item.
    """
    if uniform.size > log_weight.shape[0] * log_weight.shape[1]:
        return _first_beyond(uniform, _reached(log_weight)[item, row])
    return _first_beyond(uniform, _reached(log_weight[item, row]))


def _reached(log_weight: jax.Array) -> jax.Array:
    """Return cumulative sums of weights, -1 for zero weights."""
    # Without the barrier, the compiler would gather the weights again for every use.
    terms, _ = relative(jax.lax.optimization_barrier(log_weight), -1)
    return jnp.where(terms > 0, cumulative(terms, -1), -1.0)


def _first_beyond(uniform: jax.Array, reached: jax.Array) -> jax.Array:
    # The first index whose cumulative sum exceeds a fraction of the total.
    reached = jax.lax.optimization_barrier(reached)
    # A fraction of zero would choose the first entry, however improbable.
    uniform = jnp.maximum(uniform, jnp.finfo(uniform.dtype).eps)
    threshold = uniform * jnp.max(reached, -1)
    index = jnp.arange(reached.shape[-1], dtype=jnp.int32)
    beyond = jnp.where(reached > threshold[..., None], index, len(index) - 1)
    return jnp.min(beyond, -1)


def descend(
    split: Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]],
    first: jax.Array,
    key: jax.Array,
    steps: int,
    depth: int,
    randoms: int,
) -> jax.Array:
    """Sample derivations top down, expanding one item of each per step.

    Args:
        split: maps items ``[draws, fields]`` and random numbers ``[draws, randoms]`` to child items
            ``[draws, below, fields]`` and outputs ``[draws, ...]``. A negative first field means no
            item.
        first: ``[draws, tops, fields]``.
        depth: the size of the stack of items.

    Returns:
        Outputs ``[draws, steps, ...]``.
    """
    draws, _, fields = first.shape
    row = jnp.arange(draws)

    def with_items(stack: jax.Array, size: jax.Array, items: jax.Array) -> Any:
        for i in range(items.shape[1]):
            is_pending = items[:, i, 0] >= 0
            stack = stack.at[row, jnp.where(is_pending, size, depth)].set(items[:, i], mode="drop")
            size = size + is_pending
        return stack, size

    def step(state: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        stack, size = state
        item = jnp.where((size > 0)[:, None], stack[row, jnp.maximum(size - 1, 0)], -1)
        size = jnp.maximum(size - 1, 0)
        below, report = split(item, jax.random.uniform(key, (draws, randoms)))
        below = jnp.where((item[:, 0] >= 0)[:, None, None], below, -1)
        return with_items(stack, size, below), report

    nothing = jnp.full((draws, depth, fields), -1, first.dtype), jnp.zeros((draws,), jnp.int32)
    state = with_items(*nothing, first)
    _, reports = scan(step, state, jax.random.split(key, steps))
    return jnp.moveaxis(reports, 0, 1)
