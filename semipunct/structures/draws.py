"""Samples of derivations, as the places of the parts that they use.

A derivation uses few parts: in a chain of 128 positions and 32 states, one transition in a
thousand. Arrays with an entry for each part take longer to write than derivations take to draw.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures.base import Parts
from semipunct.structures.recursion import Recursion
from semirings.devices import scan
from semirings.numerics import cumulative, relative

_NONE, _UNKNOWN = -1, -2
"""Indices that mean no place: of a part that is not used, and of any part among NaN weights."""


@partial(jax.tree_util.register_dataclass, data_fields=["index"], meta_fields=["shape", "dtype"])
@dataclass(frozen=True)
class Places:
    """The places of the used parts in one array of parts.

    Attributes:
        index: ``[..., batch, most]`` flat indices into the entries of the item, -1 for none; a
            part is used as often as its index occurs. -2 where the item has NaN weights.
        shape: of the entries of an item.
        dtype: of the log weights.
    """

    index: jax.Array
    shape: tuple[int, ...]
    dtype: Any

    def marks(self) -> jax.Array:
        """Count the uses of each part: ``[..., batch, *shape]``; NaN if a weight is NaN."""
        *leading, most = self.index.shape
        size = math.prod(self.shape)
        flat = self.index.reshape(math.prod(leading), most)
        rows = jnp.arange(flat.shape[0])[:, None]
        # JAX would count a negative index from the end.
        place = jnp.where(flat < 0, size, flat)
        nothing = jnp.where(jnp.any(flat == _UNKNOWN, 1, keepdims=True), jnp.nan, 0.0)
        nothing = jnp.broadcast_to(nothing.astype(self.dtype), (flat.shape[0], size))
        counts = nothing.at[rows, place].add(1, mode="drop")
        return counts.reshape(*leading, *self.shape)


class Traceable(ABC):
    """A structure that samples derivations by a backward trace through stored forward values.

    The reverse pass in ``Sampling``, for all others, visits every part for every draw.
    """

    @abstractmethod
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> tuple[Parts, jax.Array]:
        """Draw ``count`` derivations in proportion to their weights.

        Returns:
            For each array of the expanded log weights the places of the parts used, ``[count,
            batch, most]`` as in ``Places.index``; and ``[batch]`` minus infinity where the item has
            no derivation, NaN where it has NaN weights, otherwise any number.
        """


def as_places(log_weights: Parts, places: Parts, total: jax.Array) -> Parts:
    """Return the results of ``Traceable.trace`` as ``Places``, none where there is no derivation.

    Args:
        log_weights: expanded, arrays ``[batch, ...]``.
        places: ``[count, batch, most]`` for each of them.
        total: ``[batch]`` a log weight for each item.
    """

    def possible_places(index: jax.Array, weights: jax.Array) -> Places:
        no_place = jnp.where(jnp.isnan(total), _UNKNOWN, _NONE)[:, None]
        place = jnp.where((total > -jnp.inf)[:, None], index, no_place)
        return Places(place.astype(jnp.int32), weights.shape[1:], weights.dtype)

    return jax.tree.map(possible_places, places, log_weights)


def choose(uniform: jax.Array, log_weight: jax.Array) -> jax.Array:
    """Choose along the last axis in proportion to weights.

    Args:
        uniform: ``[...]`` random numbers in [0, 1), multiples of the machine epsilon.
        log_weight: ``[..., n]``.

    Returns:
        ``[...]`` indices of entries of nonzero weight, if there are any. The first is never one of
        a probability below the machine epsilon of the random numbers.
    """
    return _first_beyond(uniform, _reached(log_weight))


def choose_in_row(
    uniform: jax.Array, log_weight: jax.Array, item: jax.Array, row: jax.Array
) -> jax.Array:
    """Choose within rows of tables, like ``choose``.

    Running sums are computed for the rows of the tables or for the rows of the draws, whichever are
    fewer.

    Args:
        uniform: ``[draws, batch]`` random numbers in [0, 1).
        log_weight: ``[batch, rows, n]``.
        item: ``[batch]`` the table of each item.
        row: ``[draws, batch]`` the row.
    """
    if uniform.size > log_weight.shape[0] * log_weight.shape[1]:
        return _first_beyond(uniform, _reached(log_weight)[item, row])
    return _first_beyond(uniform, _reached(log_weight[item, row]))


def _reached(log_weight: jax.Array) -> jax.Array:
    """Return running sums of weights along the last axis, -1 where the weight is zero."""
    # Materialised once: otherwise the compiler would gather the weights again for every use.
    terms, _ = relative(jax.lax.optimization_barrier(log_weight), -1)
    return jnp.where(terms > 0, cumulative(terms, -1), -1.0)


def _first_beyond(uniform: jax.Array, reached: jax.Array) -> jax.Array:
    """Return the first index whose running sum exceeds the random fraction of the total."""
    reached = jax.lax.optimization_barrier(reached)
    # A fraction of zero would choose the first entry, however small its probability.
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
    """Sample derivations top down, expanding one item of each at a time.

    Args:
        split: maps items ``[draws, fields]`` and random numbers ``[draws, randoms]`` to the child
            items, ``[draws, below, fields]``, and outputs, ``[draws, ...]``. Items with a negative
            first field are absent, and so are their outputs.
        first: ``[draws, tops, fields]`` the items at the top.

    Returns:
        ``[draws, steps, ...]`` the outputs.
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
