"""Sparse access to tables: the few rows that a batch uses, and products of sparse feature vectors.

A batch reads about ten thousand rows of a table, with weights in few of their cells. A dense array
of these rows would be the largest of a training step, and memory traffic would take longer than the
computation. For products the table is therefore divided into blocks of rows that fit into the cache
of a core: each is filled with its weights, multiplied and discarded.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

RowNumbers = jax.Array | npt.NDArray[np.int32]
"""``[rows]`` numbers of rows of a table, each at most once; padding points past the last row."""


class Rows(NamedTuple):
    """Some rows of a table, or their gradients or updates.

    Attributes:
        number: ``[rows]``, see ``RowNumbers``.
        value: ``[rows, columns]``.
    """

    number: RowNumbers
    value: jax.Array


def take_rows(table: Any, number: RowNumbers) -> Any:
    """Return rows of a table, zero in the padding: ``[rows, columns]``.

    Args:
        table: ``[size, columns]``, a JAX or NumPy array; the result is of the same kind.
        number: ``[rows]`` the rows to read.
    """
    if isinstance(table, jax.Array):
        return table.at[number].get(mode="fill", fill_value=0)
    table, number = np.asarray(table), np.asarray(number)
    taken_rows = np.zeros((len(number), *table.shape[1:]), table.dtype)
    inside = number < len(table)
    taken_rows[inside] = table[number[inside]]
    return taken_rows


def put_rows(table: jax.Array, rows: Rows) -> jax.Array:
    """Return a table with some rows replaced, in place if its buffer is donated.

    Args:
        table: ``[size, ...]``.
        rows: the numbers and new values of the rows.
    """
    return table.at[rows.number].set(rows.value, mode="drop", unique_indices=True)


def add_rows(table: jax.Array, rows: Rows) -> jax.Array:
    """Return a table with values added to some rows; in place like ``put_rows``.

    Args:
        table: ``[size, ...]``.
        rows: the numbers of the rows and the values to add.
    """
    return table.at[rows.number].add(rows.value, mode="drop", unique_indices=True)


_CELLS = 1 << 17
"""The maximal number of cells of a block: half a MiB, which fits into the cache of a core."""

_PIECE = 1 << 14
"""The number of weights of a block that are processed at a time."""

Numbers = jax.Array | npt.NDArray[np.int32]


class SparseRows(NamedTuple):
    """Padded sparse feature vectors of the nodes of a batch, and the weights of these features.

    The weights that the batch reads are cells of a table with a row for each feature that occurs
    and a column for each outcome. ``block_rows`` of these rows are a block; weights and entries
    are sorted by block.

    Attributes:
        weight: ``[weights]`` the indices of the weights read, ascending; padding points past the
            last.
        cell: ``[weights]`` the index of each weight in its block, in row-major order.
        node: ``[entries]`` the node of each entry of a feature vector.
        row: ``[entries]`` the row of its feature within its block.
        value: ``[entries]``.
        start: ``[2, blocks + 1]`` the starts of the weights and of the entries of each block.
    """

    weight: RowNumbers
    cell: Numbers
    node: Numbers
    row: Numbers
    value: jax.Array | npt.NDArray[np.float32]
    start: Numbers


def block_rows(outcomes: int) -> int:
    """Return the number of rows of a block of a table with the given number of columns."""
    return max(1, _CELLS // outcomes)


def product(weights: jax.Array, rows: SparseRows, nodes: int, outcomes: int) -> jax.Array:
    """Multiply feature vectors by the table of their weights, ``[nodes, outcomes]``.

    Args:
        weights: ``[weights]`` the weights that are read.
        rows: feature vectors, and the cells of the weights.
        nodes: the number of nodes, padding included.
        outcomes: the number of columns of the table.
    """
    scores: jax.Array = _product(weights, rows, nodes, outcomes)
    return scores


# The reverse pass is explicit, since that of a loop would store every block.
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
    """Some consecutive items of an array; ``in_block`` marks those that belong to the block."""

    start: jax.Array
    size: int
    in_block: jax.Array

    def of(self, array: Any) -> jax.Array:
        return jax.lax.dynamic_slice_in_dim(jnp.asarray(array), self.start, self.size)

    def where(self, values: jax.Array, otherwise: Any) -> jax.Array:
        return jnp.where(self.in_block, values, otherwise)


def _blocks(rows: SparseRows, block: Any, state: jax.Array) -> jax.Array:
    """Fold a function over the numbers of the blocks that have weights or entries."""
    start = jnp.asarray(rows.start)
    used = jnp.sum(jnp.any(start[:, 1:] > start[:, :-1], 0))
    return jax.lax.fori_loop(0, used, block, state)


def _pieces(
    items: Any, starts: Any, block: jax.Array, size: int, function: Any, state: jax.Array
) -> jax.Array:
    """Fold a function over the items of a block, one piece at a time."""
    size = min(size, len(items))
    starts = jnp.asarray(starts)
    first, end = starts[block], starts[block + 1]

    def fold_piece(number: jax.Array, state: jax.Array) -> jax.Array:
        begin = first + number * size
        # The last piece starts earlier if it would exceed the array.
        start = jnp.minimum(begin, len(items) - size)
        index = start + jnp.arange(size)
        return function(_Piece(start, size, (index >= begin) & (index < end)), state)

    return jax.lax.fori_loop(0, (end - first + size - 1) // size, fold_piece, state)
