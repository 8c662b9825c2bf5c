"""Sparse access to tables: the rows that a batch uses, and products of sparse feature vectors.

A dense array of a batch's ten thousand rows would be the largest of a training step. Products fill,
multiply and discard blocks of rows that fit into a core's cache instead.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

# ``[rows]`` distinct row numbers; padding points past the last row.
RowNumbers = jax.Array | npt.NDArray[np.int32]


class Rows(NamedTuple):
    """Selected rows of a table, or their gradients or updates, ``[rows, columns]``."""

    number: RowNumbers
    value: jax.Array


def take_rows(table: Any, number: RowNumbers) -> Any:
    """Return rows of a JAX or NumPy table, zero for padding: ``[rows, columns]``."""
    if isinstance(table, jax.Array):
        return table.at[number].get(mode="fill", fill_value=0)
    table, number = np.asarray(table), np.asarray(number)
    taken_rows = np.zeros((len(number), *table.shape[1:]), table.dtype)
    inside = number < len(table)
    taken_rows[inside] = table[number[inside]]
    return taken_rows


def put_rows(table: jax.Array, rows: Rows) -> jax.Array:
    """Replace rows of a table, in place if its buffer is donated."""
    return table.at[rows.number].set(rows.value, mode="drop", unique_indices=True)


def add_rows(table: jax.Array, rows: Rows) -> jax.Array:
    """Add to rows of a table, in place if its buffer is donated."""
    return table.at[rows.number].add(rows.value, mode="drop", unique_indices=True)


# Maximal number of cells of a block: half a MiB, which fits into a core's cache.
_CELLS = 1 << 17

# Weights of a block that are processed at a time.
_PIECE = 1 << 14

Numbers = jax.Array | npt.NDArray[np.int32]


class SparseRows(NamedTuple):
    """Padded sparse feature vectors of the nodes of a batch, and the weights of these features.

    The weights are cells of a table with a row for each feature of the batch and a column for each
    outcome; weights and entries are sorted by block of ``block_rows`` rows.

    Attributes:
        weight: ``[weights]`` indices of the weights read, ascending; padding points past the last.
        cell: ``[weights]`` row-major index in the block.
        node: ``[entries]`` node of each entry.
        row: ``[entries]`` row of its feature within the block.
        value: ``[entries]``.
        start: ``[2, blocks + 1]`` first weight and first entry of each block.
    """

    weight: RowNumbers
    cell: Numbers
    node: Numbers
    row: Numbers
    value: jax.Array | npt.NDArray[np.float32]
    start: Numbers


def block_rows(outcomes: int) -> int:
    """Return the number of rows of a block, given the number of columns."""
    return max(1, _CELLS // outcomes)


def product(weights: jax.Array, rows: SparseRows, nodes: int, outcomes: int) -> jax.Array:
    """Multiply feature vectors by the table of the ``[weights]`` read: ``[nodes, outcomes]``."""
    scores: jax.Array = _product(weights, rows, nodes, outcomes)
    return scores


# An explicit reverse pass: differentiating the loop would store every block.
@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _product(weights: jax.Array, rows: SparseRows, nodes: int, outcomes: int) -> jax.Array:
    size = block_rows(outcomes)

    def block(number: jax.Array, total: jax.Array) -> jax.Array:
        def fill(piece: _Piece, table: jax.Array) -> jax.Array:
            cell = piece.where(piece.of(rows.cell), len(table))
            return table.at[cell].set(piece.of(weights), mode="drop", unique_indices=True)

        def multiply(piece: _Piece, total: jax.Array) -> jax.Array:
            read = table.at[piece.of(rows.row)].get(mode="clip", indices_are_sorted=True)
            node = piece.where(piece.of(rows.node), nodes)
            return total.at[node].add(read * piece.of(rows.value)[:, None], mode="drop")

        empty = jnp.zeros(size * outcomes, weights.dtype)
        table = _pieces(rows.cell, rows.start[0], number, _PIECE, fill, empty)
        table = table.reshape(size, outcomes)
        return _pieces(rows.node, rows.start[1], number, size, multiply, total)

    return _blocks(rows, block, jnp.zeros((nodes, outcomes), weights.dtype))


def _forward(
    weights: jax.Array, rows: SparseRows, nodes: int, outcomes: int
) -> tuple[jax.Array, tuple[jax.Array, SparseRows]]:
    return product(weights, rows, nodes, outcomes), (weights, rows)


def _reverse(
    nodes: int, outcomes: int, residuals: tuple[jax.Array, SparseRows], cotangent: jax.Array
) -> tuple[jax.Array, None]:
    weights, rows = residuals
    size = block_rows(outcomes)

    def block(number: jax.Array, gradient: jax.Array) -> jax.Array:
        def multiply(piece: _Piece, table: jax.Array) -> jax.Array:
            read = cotangent.at[piece.of(rows.node)].get(mode="clip")
            row = piece.where(piece.of(rows.row), size)
            return table.at[row].add(read * piece.of(rows.value)[:, None], mode="drop")

        def collect(piece: _Piece, gradient: jax.Array) -> jax.Array:
            read = flat.at[piece.of(rows.cell)].get(mode="clip", indices_are_sorted=True)
            # The piece may start in the previous block, whose gradients are already set.
            read = piece.where(read, piece.of(gradient))
            return jax.lax.dynamic_update_slice(gradient, read, (piece.start,))

        empty = jnp.zeros((size, outcomes), weights.dtype)
        table = _pieces(rows.node, rows.start[1], number, size, multiply, empty)
        flat = table.reshape(-1)
        return _pieces(rows.cell, rows.start[0], number, _PIECE, collect, gradient)

    return _blocks(rows, block, jnp.zeros_like(weights)), None


_product.defvjp(_forward, _reverse)


class _Piece(NamedTuple):
    """Consecutive items of an array, with a mask of the items of the block."""

    start: jax.Array
    size: int
    in_block: jax.Array

    def of(self, array: Any) -> jax.Array:
        return jax.lax.dynamic_slice_in_dim(jnp.asarray(array), self.start, self.size)

    def where(self, values: jax.Array, otherwise: Any) -> jax.Array:
        return jnp.where(self.in_block, values, otherwise)


def _blocks(rows: SparseRows, block: Any, state: jax.Array) -> jax.Array:
    """Fold a function over the numbers of the nonempty blocks."""
    start = jnp.asarray(rows.start)
    used = jnp.sum(jnp.any(start[:, 1:] > start[:, :-1], 0))
    return jax.lax.fori_loop(0, used, block, state)


def _pieces(
    items: Any, starts: Any, block: jax.Array, size: int, function: Any, state: jax.Array
) -> jax.Array:
    """Fold a function over the items of a block, piece by piece."""
    size = min(size, len(items))
    starts = jnp.asarray(starts)
    first, end = starts[block], starts[block + 1]

    def fold_piece(number: jax.Array, state: jax.Array) -> jax.Array:
        begin = first + number * size
        # The last piece starts earlier to stay within the array.
        start = jnp.minimum(begin, len(items) - size)
        index = start + jnp.arange(size)
        return function(_Piece(start, size, (index >= begin) & (index < end)), state)

    return jax.lax.fori_loop(0, (end - first + size - 1) // size, fold_piece, state)
