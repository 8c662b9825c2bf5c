"""Sums over the paths that lead to each state, in one sweep over arcs in the order of their levels.

Levels may have any number of arcs. They are cut into rows of equal width, at most as many as levels
plus arcs divided by the width, so that arrays stay linear in the number of arcs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.recursion import Recursion
from semipunct.structures.sparse_automata.values import suffix_sums
from semirings.base import Semiring, Value


class Rows(NamedTuple):
    """Arcs in the order of a sweep.

    Attributes:
        arcs: ``[rows, width]`` the index of each arc, 0 in the padding.
        sources: ``[rows, width]`` the state that each comes from.
        targets: ``[rows, width]`` the state that each leads to; those of the same target are
            neighbours; the number of states in the padding.
        ends: ``[rows, width]`` the target of the first of neighbours; the number of states
            elsewhere.
    """

    arcs: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    ends: np.ndarray


def arrange(
    arcs: np.ndarray, sources: np.ndarray, targets: np.ndarray, levels: np.ndarray, states: int
) -> Rows:
    """Arrange arcs for a sweep.

    Args:
        arcs: ``[n]`` the index of each arc.
        sources: ``[n]`` the state that each comes from.
        targets: ``[n]`` the state that each leads to.
        levels: ``[n]`` the level of each arc; arcs of a level come after those of lower ones.
        states: the number of states.
    """
    order = np.lexsort((targets, levels))
    level = levels[order]
    counts = np.bincount(level) if len(level) else np.zeros(0, int)
    counts = counts[counts > 0]
    # The power of two that is nearest to the mean number of arcs of a level.
    width = 1 << max(0, round(np.log2(max(1.0, len(order) / max(1, len(counts))))))
    rows_of_levels = -(-counts // width)
    rows = int(rows_of_levels.sum())
    begin = np.repeat(np.cumsum(rows_of_levels) - rows_of_levels, counts) * width
    within = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = begin + within

    def laid_out(values: np.ndarray, padding: int) -> np.ndarray:
        table = np.full(rows * width, padding, np.int32)
        table[place] = values
        return table.reshape(rows, width)

    ends = laid_out(targets[order], states)
    is_first = np.ones(ends.shape, bool)
    is_first[:, 1:] = ends[:, 1:] != ends[:, :-1]
    return Rows(
        laid_out(arcs[order], 0),
        laid_out(sources[order], 0),
        ends,
        np.where(is_first, ends, states).astype(np.int32),
    )


def sweep(
    semiring: Semiring,
    table: Value,
    value_of: Callable[[Any], Value],
    slices: Any,
    rows: Any,
    recursion: Recursion = Recursion(),
    *,
    backward: bool = False,
) -> Value:
    """Add the products of values of sources and of arcs to those of targets, row by row.

    Args:
        semiring: of the values.
        table: ``[batch, states]`` what each state has without arcs.
        value_of: maps a slice to values ``[batch, width]`` of arcs.
        slices: a pytree of arrays ``[batch, rows, ...]``.
        rows: the rows, as arrays ``[rows, width]``.
        recursion: memory budget of the steps.
        backward: whether arcs are walked from their ends, so that they are left factors.
    """
    s = semiring
    count, width = rows.ends.shape
    batch = jax.tree.leaves(table)[0].shape[0]
    rounds = (width - 1).bit_length()
    item = jnp.arange(batch)[:, None]

    def step(table: Value, at: Any) -> Value:
        (sources, targets, ends), sliced = at
        before = jax.tree.map(lambda x: x[item, sources], table)
        value = value_of(sliced)
        added = s.times(value, before) if backward else s.times(before, value)
        added = suffix_sums(s, rounds, added, targets)
        place = jnp.minimum(ends, jax.tree.leaves(table)[0].shape[1] - 1)
        sums = s.plus(jax.tree.map(lambda x: x[item, place], table), added)
        return jax.tree.map(
            lambda x, y: x.at[item, ends].set(y.astype(x.dtype), mode="drop"), table, sums
        )

    indices = tuple(
        jnp.broadcast_to(x, (batch, *x.shape)) for x in (rows.sources, rows.targets, rows.ends)
    )
    return recursion.scan(step, table, (indices, slices), count)
