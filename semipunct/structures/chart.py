"""Charts of spans in which adjacent spans are combined without gather or scatter.

A span from place i to i + w combines a span starting at i with one ending at i + w. Spans are
stored by start, where row d has the span of width d from place i, and by end, newest first, where
row d has the span of width w - 1 - d that ends at i + w. Rows thus correspond to splits, and a sum
over splits is one product and one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take

# Values [batch, rows, places, ...] of spans, by start or by end.
Chart = tuple[Value, ...]

Step = Callable[[Chart, jax.Array, Any], tuple[Chart, Any]]

_BLOCKS = 3

# Each block takes a second to compile; a third block barely speeds up trees of 40 words.
_UNDIVIDED = 24


def diagonals(semiring: Semiring, square: Value) -> Value:
    """Arrange spans by width: entry ``[b, w - 1, i]`` is ``square[b, i, i + w]``, or zero."""
    places = jax.tree.leaves(square)[0].shape[1]

    def skewed(x: jax.Array) -> jax.Array:
        # After reshaping to rows longer by one, each row is shifted right by one more entry.
        flat = x.reshape(x.shape[0], places * places, *x.shape[3:])
        longer = jnp.concatenate([flat, flat[:, :places]], 1)
        rows = longer.reshape(x.shape[0], places, places + 1, *x.shape[3:])
        return jnp.swapaxes(rows[:, :, 1:places], 1, 2)

    moved = jax.tree.map(skewed, square)
    rank = jax.tree.leaves(moved)[0].ndim
    inside = jnp.arange(1, places)[:, None] + jnp.arange(places)[None] < places
    inside = inside.reshape(1, *inside.shape, *(1,) * (rank - 3))
    return semiring.where(inside, moved, semiring.zeros_like(moved))


def by_width(
    semiring: Semiring,
    step: Step,
    chart: Chart,
    slices: Any,
    recursion: Recursion,
    *,
    undivided: int = _UNDIVIDED,
) -> Chart:
    """Run ``rows_by_width`` for the last chart only."""

    def step_alone(chart: Chart, width: jax.Array, at: Any) -> tuple[Chart, None]:
        return step(chart, width, at)[0], None

    return rows_by_width(semiring, step_alone, chart, slices, recursion, undivided=undivided)[0]


def rows_by_width(
    semiring: Semiring,
    step: Step,
    chart: Chart,
    slices: Any,
    recursion: Recursion,
    *,
    undivided: int = _UNDIVIDED,
) -> tuple[Chart, Any]:
    """Run a step for each width from 1 to ``steps``.

    Args:
        step: maps a chart, the width and slices ``[batch, steps + 1, ...]`` to the next chart, and
            log weights ``[batch, places, ...]`` or None.
        chart: the first row, ``[batch, 1, steps + 1, ...]``.
        slices: ``[batch, steps, steps + 1, ...]``.
        undivided: the most steps in one block.

    Returns:
        The last chart and the log weights ``[batch, steps, steps + 1, ...]``, by start, minus
        infinity for spans that do not exist.
    """
    batch, _, places = jax.tree.leaves(chart)[0].shape[:3]
    steps = places - 1
    if not steps:
        return chart, None
    # Narrow spans have few splits and wide spans few places, so steps are grouped into blocks, each
    # with as many rows as its widest span and places as its narrowest span needs.
    widths = jnp.broadcast_to(jnp.arange(1, steps + 1)[None, :, None], (batch, steps, 1))
    sliced = (widths, slices)
    blocks: list[Any] = []
    for first, last in _blocks(steps, undivided):
        places = steps - first + 1
        chart = tuple(_resized(semiring, value, last + 1, places) for value in chart)
        block = take[:, first:last, :places](sliced)
        # All items have the width of the step; without items, the width is arbitrary.
        chart, rows = recursion.scan_outputs(
            lambda c, x: step(c, jnp.max(x[0], initial=1), x[1]), chart, block, last - first
        )
        blocks.append(jax.tree.map(lambda x: _padded(x, steps + 1), rows))
    return chart, jax.tree.map(lambda *xs: jnp.concatenate(xs, 1), *blocks)


def square(rows: jax.Array) -> jax.Array:
    """Arrange ``[batch, widths, places, ...]`` by start and end, with minus infinity elsewhere."""
    size = rows.shape[1] + 1
    start, end = np.triu_indices(size, 1)
    whole = jnp.full((rows.shape[0], size, size, *rows.shape[3:]), -jnp.inf, rows.dtype)
    return whole.at[:, start, end].set(rows[:, end - start - 1, start])


def next_ends(semiring: Semiring, ends: Value) -> Value:
    """Shift ends ``[batch, rows, places, ...]`` by one place for the next step."""
    none = semiring.zeros_like(take[:, :, :1](ends))
    return semiring.concatenate([take[:, :, 1:](ends), none], axis=2)


def with_newest(semiring: Semiring, ends: Value, newest: Value) -> Value:
    """Prepend a row ``[batch, places, ...]`` to ends, and drop the last row."""
    return semiring.concatenate([take[:, None](newest), take[:, :-1](ends)], axis=1)


def with_row(starts: Value, row: jax.Array, newest: Value) -> Value:
    """Replace one row of starts by ``[batch, places, ...]``."""
    return jax.tree.map(
        lambda x, y: jax.lax.dynamic_update_index_in_dim(x, y, row, 1), starts, newest
    )


def spanning(semiring: Semiring, starts: Value, lengths: jax.Array) -> Value:
    """Select the span of all words of each item; zero for length zero."""
    first = take[:, :, 0](starts)
    shape = jax.tree.leaves(first)[0].shape
    chosen = jnp.arange(shape[1])[None] == lengths[:, None] - 1
    chosen = chosen.reshape(*chosen.shape, *(1,) * (len(shape) - 2))
    return semiring.sum(semiring.where(chosen, first, semiring.zeros_like(first)), axis=1)


def _blocks(steps: int, undivided: int) -> Iterator[tuple[int, int]]:
    size = -(-steps // min(_BLOCKS, -(-steps // undivided)))
    for first in range(0, steps, size):
        yield first, min(first + size, steps)


def _resized(semiring: Semiring, value: Value, rows: int, places: int) -> Value:
    cut = take[:, :rows, :places](value)
    shape = jax.tree.leaves(cut)[0].shape
    missing = semiring.zeros((shape[0], rows - shape[1], *shape[2:]))
    missing = jax.tree.map(lambda x, y: x.astype(y.dtype), missing, cut)
    return semiring.concatenate([cut, missing], axis=1)


def _padded(rows: jax.Array, places: int) -> jax.Array:
    missing = [(0, 0), (0, 0), (0, places - rows.shape[2]), *[(0, 0)] * (rows.ndim - 3)]
    return jnp.pad(rows, missing, constant_values=-jnp.inf)
