"""Monotone alignments of two sequences: paths through a lattice of cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.extending import PartWise, Recursion, Total, lift_weights
from semirings import Semiring


class Steps(NamedTuple):
    """An entry for each step, by the cell (i, j) where it begins."""

    match: Any  # to (i + 1, j + 1): [batch, rows, columns]
    delete: Any  # to (i + 1, j): [batch, rows, columns + 1]
    insert: Any  # to (i, j + 1): [batch, rows + 1, columns]


@partial(jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=[])
@dataclass(frozen=True)
class Alignments(PartWise[Steps]):
    """Paths from cell (0, 0) to the cell of an item's two lengths, ``[batch, 2]``."""

    length_axes = 1

    def total(
        self, semiring: Semiring, feature: Steps | None = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Proceed by diagonals, keeping ``[batch, 2, rows + 1]`` values of the last one.

        The first row has the values of its cells, the second the contribution of matches that left
        the diagonal before to the next one.
        """
        s, (batch, rows, columns) = semiring, self.weights.match.shape
        row, diagonal = jnp.arange(rows + 1), jnp.arange(rows + columns)
        column = diagonal[:, None] - row

        def by_diagonal(fill: float, x: jax.Array) -> jax.Array:
            """Sort to ``[batch, diagonals, rows + 1]``; ``fill`` where an item has no such step."""
            ends = self.lengths + jnp.array(x.shape[1:]) - jnp.array([rows, columns])
            end_row, end_column = ends.T[:, :, None, None]
            there = (row < end_row) & (column >= 0) & (column < end_column)
            return jnp.where(there, x[:, row, column], fill)

        def below(value: Any) -> Any:
            above = jax.tree.map(lambda x: x[:, :, :-1], value)
            return s.concatenate([jax.tree.map(lambda x: x[:, :, :1], zero), above], axis=2)

        def step(state: Any, slices: Any) -> Any:
            (cells, log_scale), (diagonal, *parts) = state, slices
            here, begun = (jax.tree.map(lambda x, i=i: x[:, i : i + 1], cells) for i in (0, 1))
            match, delete, insert = (
                s.times(here, jax.tree.map(lambda x: x[:, None], lift_weights(s, *each)))
                for each in zip(*parts, strict=True)
            )
            after = s.plus(begun, s.plus(insert, below(delete)))
            after, factor = s.balance(s.concatenate([after, below(match)], axis=1), (1, 2))
            active = diagonal < jnp.sum(self.lengths, 1)
            log_scale = log_scale + jnp.where(active, factor, 0.0)
            return s.where(active[:, None, None], after, cells), log_scale

        weights = jax.tree.map(partial(by_diagonal, -jnp.inf), self.weights)
        features = jax.tree.map(partial(by_diagonal, 0.0), feature or Steps(None, None, None))
        shape, dtype = (batch, 1, rows + 1), weights.match.dtype
        like = s.lift(jnp.zeros(shape, dtype))
        zero, first = s.zeros_like(like), s.ones_like(like)
        cells = s.concatenate([s.where(row == 0, first, zero), zero], axis=1)
        slices = jnp.broadcast_to(diagonal, (batch, len(diagonal))), weights, features
        state = cells, jnp.zeros(batch, dtype)
        cells, log_scale = recursion.scan(step, state, slices, len(diagonal))
        last = jnp.arange(batch), 0, self.lengths[:, 0]
        return Total(jax.tree.map(lambda x: x[last], cells), log_scale)
