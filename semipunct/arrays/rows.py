"""Sparse access to tables: reading and writing the few rows that a batch uses."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
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
