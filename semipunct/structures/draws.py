"""Derivations drawn, kept as the places of the parts that they use.

Of the parts of a structure a derivation uses few: of a chain of 128 positions and 32 states one
transition in a thousand. Arrays with an entry for each part would cost more to write than the
derivations cost to draw, so they are written only where they are asked for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp

from semipunct.structures.base import Parts
from semipunct.structures.recursion import Recursion
from semirings.numerics import cumulative, relative

P = TypeVar("P")


@partial(jax.tree_util.register_dataclass, data_fields=["index"], meta_fields=["shape", "dtype"])
@dataclass(frozen=True)
class Places:
    """The places of the parts that derivations use, in one array of parts.

    Attributes:
        index: ``[..., batch, most]`` places in the item's entries, counted as if these were flat;
            -1 stands for none, a place that comes twice is used twice.
        shape: of the item's entries.
        dtype: of the log weights.
    """

    index: jax.Array
    shape: tuple[int, ...]
    dtype: Any

    def marks(self) -> jax.Array:
        """Count the uses of each part: ``[..., batch, *shape]``."""
        *leading, most = self.index.shape
        size = math.prod(self.shape)
        flat = self.index.reshape(-1, most)
        rows = jnp.arange(flat.shape[0])[:, None]
        # A negative index would count from the end.
        there = jnp.where(flat < 0, size, flat)
        counts = jnp.zeros((flat.shape[0], size), self.dtype).at[rows, there].add(1, mode="drop")
        return counts.reshape(*leading, *self.shape)


@partial(jax.tree_util.register_dataclass, data_fields=["uses", "log_weight"], meta_fields=[])
@dataclass(frozen=True)
class Draws(Generic[P]):
    """Independent draws from a distribution.

    Attributes:
        uses: what each draw consists of: for each array of parts its ``Places``, where the
            structure is ``Traceable``; otherwise the array of ``parts``.
        log_weight: ``[count, batch]``; minus infinity where an item has no derivation, whose
            parts are then all zero.
    """

    uses: P
    log_weight: jax.Array

    @property
    def parts(self) -> P:
        """The number of uses of each part: arrays ``[count, batch, ...]`` for all parts."""
        return jax.tree.map(
            lambda x: x.marks() if isinstance(x, Places) else x,
            self.uses,
            is_leaf=lambda x: isinstance(x, Places),
        )


class Traceable(ABC):
    """A structure that can trace derivations back through what its forward pass has kept.

    Other structures are sampled from by the reverse pass in ``Sampling``, which looks at every
    part for every draw.
    """

    @abstractmethod
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> tuple[Parts, jax.Array]:
        """Draw derivations in proportion to their weights.

        Args:
            key: a random key; the same key draws the same.
            count: how many.
            recursion: memory budget of the forward pass.

        Returns:
            For each array of the expanded log weights the places of the parts used, ``[count,
            batch, most]`` as in ``Places.index``; and ``[batch]`` whether an item has a
            derivation at all. If it has none its places may be anything.
        """


def traced(log_weights: Parts, places: Parts, possible: jax.Array) -> Draws[Any]:
    """Return draws by the places of their parts.

    Args:
        log_weights: expanded, arrays ``[batch, ...]``.
        places: ``[count, batch, most]`` for each of them.
        possible: ``[batch]`` whether an item has a derivation.
    """

    def kept(index: jax.Array, weights: jax.Array) -> Places:
        there = jnp.where(possible[:, None], index, -1)
        return Places(there.astype(jnp.int32), weights.shape[1:], weights.dtype)

    def weight(index: jax.Array, weights: jax.Array) -> jax.Array:
        flat = weights.reshape(weights.shape[0], -1)
        if not flat.shape[1]:
            return jnp.zeros(index.shape[:-1], weights.dtype)
        entries = flat[jnp.arange(len(flat))[:, None], jnp.maximum(index, 0)]
        return jnp.sum(jnp.where(index < 0, 0.0, entries), -1)

    each = jax.tree.leaves(jax.tree.map(weight, places, log_weights))
    log_weight = jnp.where(possible, sum(each[1:], each[0]), -jnp.inf)
    return Draws(jax.tree.map(kept, places, log_weights), log_weight)


def choose(uniform: jax.Array, log_weight: jax.Array) -> jax.Array:
    """Choose along the last axis in proportion to weights.

    Args:
        uniform: ``[...]`` random numbers of [0, 1).
        log_weight: ``[..., n]``.

    Returns:
        ``[...]`` indices of entries that have weight, if any has.
    """
    terms, _ = relative(log_weight, -1)
    reached = cumulative(terms, -1)
    beyond = reached > (uniform * reached[..., -1])[..., None]
    index = jnp.arange(log_weight.shape[-1])
    # The first beyond the threshold that has weight; where rounding leaves none, the last one.
    chosen = jnp.min(jnp.where(beyond & (terms > 0), index, len(index)), -1)
    last = jnp.max(jnp.where(terms > 0, index, 0), -1)
    return jnp.minimum(chosen, last).astype(jnp.int32)


def descend(
    split: Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]],
    first: jax.Array,
    key: jax.Array,
    steps: int,
    depth: int,
    randoms: int,
) -> jax.Array:
    """Take derivations apart from the top, one item of each at a time.

    Args:
        split: from items ``[draws, fields]`` and random numbers ``[draws, randoms]`` to the items
            below, ``[draws, below, fields]``, and what is reported, ``[draws, ...]``. Items whose
            first field is negative are none, and so is what is reported of them.
        first: ``[draws, fields]`` the items at the top.
        key: a random key.
        steps: the most items of a derivation.
        depth: the most items that wait at a time.
        randoms: how many random numbers a split takes.

    Returns:
        ``[draws, steps, ...]`` what was reported.
    """
    draws, fields = first.shape
    row = jnp.arange(draws)
    stack = jnp.full((draws, depth, fields), -1, first.dtype).at[:, 0].set(first)
    size = (first[:, 0] >= 0).astype(jnp.int32)

    def step(state: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        stack, size = state
        item = jnp.where((size > 0)[:, None], stack[row, jnp.maximum(size - 1, 0)], -1)
        size = jnp.maximum(size - 1, 0)
        below, report = split(item, jax.random.uniform(key, (draws, randoms)))
        for i in range(below.shape[1]):
            there = (item[:, 0] >= 0) & (below[:, i, 0] >= 0)
            stack = stack.at[row, jnp.where(there, size, depth)].set(below[:, i], mode="drop")
            size = size + there
        return (stack, size), report

    _, reports = jax.lax.scan(step, (stack, size), jax.random.split(key, steps))
    return jnp.moveaxis(reports, 0, 1)
