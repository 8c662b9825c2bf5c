"""Label matrices at narrow slots, stored as a diagonal and a few columns.

A narrow slot writes only the last pending symbol. Reading a symbol b keeps the pending symbol or
replaces it with b, so its matrix is a diagonal plus one column,

    M(b) v = r_b * v + l_b v[b]

with weights ``l_b`` (absorb left) and ``r_b`` (absorb right). A label of n symbols has n columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semirings.base import Groups, Semiring, Value, take


class Columns(NamedTuple):
    """Indices of the columns of all label matrices, grouped by label and by symbol read.

    Attributes:
        number: ``[columns]`` indices among the columns of all trie nodes.
    """

    number: npt.NDArray[np.int64]
    label: Groups
    symbol: Groups

    @classmethod
    def of(cls, suffixes: Trie, symbols: int) -> Columns:
        at = np.zeros((1, 0), np.int32)
        node, symbol = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        first = 1
        for level in suffixes.levels:
            at = np.concatenate([at[level.parent], level.symbol[:, None]], 1)
            node.append((first + np.arange(len(at))).repeat(at.shape[1]))
            symbol.append(at.ravel())
            first += len(at)
        # Inner nodes that are no labels have columns, too, which are dropped.
        label_of_node = np.full(first, -1)
        label_of_node[suffixes.label] = np.arange(len(suffixes.label))
        label = label_of_node[np.concatenate(node)]
        labelled = np.flatnonzero(label >= 0)
        return cls(
            labelled,
            Groups.of(label[labelled], len(suffixes.label)),
            Groups.of(np.concatenate(symbol)[labelled], symbols),
        )


class LabelMatrices(NamedTuple):
    """The matrices of all labels: ``diagonal [labels, symbols]``, ``column [columns, symbols]``."""

    diagonal: Value
    column: Value
    columns: Columns


def label_matrices(
    semiring: Semiring, suffixes: Trie, columns: Columns, absorbing: Sequence[tuple[Value, Value]]
) -> LabelMatrices:
    """Multiply the matrices of each label's symbols, given (``l``, ``r``) per level of the trie."""
    s, symbols = semiring, len(columns.symbol.table)
    diagonal, column = s.ones((1, symbols)), s.zeros((1, 0, symbols))
    diagonals, columns_of_lengths = [diagonal], [s.zeros((0, symbols))]

    for level, (to_left, to_right) in zip(suffixes.levels, absorbing, strict=True):
        node, symbol = np.arange(len(level.symbol)), level.symbol
        diagonal = take[level.parent](diagonal)
        column = take[level.parent](column)
        read = jax.tree.map(lambda x, n=node, b=symbol: x[n, b][:, None], diagonal)
        read_columns = jax.tree.map(lambda x, n=node, b=symbol: x[n, :, b][..., None], column)
        moved = s.times(take[:, None](to_left), read_columns)
        stayed = s.times(take[:, None](to_right), column)
        appended = take[:, None](s.times(to_left, read))
        column = s.concatenate([s.plus(stayed, moved), appended], axis=1)
        diagonal = s.times(to_right, diagonal)
        diagonals.append(diagonal)
        columns_of_lengths.append(jax.tree.map(lambda x: x.reshape(-1, symbols), column))
    return LabelMatrices(
        take[suffixes.label](s.concatenate(diagonals, axis=0)),
        take[columns.number](s.concatenate(columns_of_lengths, axis=0)),
        columns,
    )


class NarrowProducts(NamedTuple):
    """``Products`` at narrow slots, without a vector for each label."""

    semiring: Semiring
    labels: LabelMatrices
    a: Value
    b: Value

    def inner(self, from_left: npt.NDArray[np.bool_], g: Value) -> Value:
        s, (diagonal, column, columns) = self.semiring, self.labels
        side = from_left[:, None]
        row, read = s.where(side, self.b, g), s.where(side, g, self.a)
        stays = s.matmul(s.times(row, read), _transposed(diagonal))
        moves = s.times(s.matmul(row, _transposed(column)), s.group_spread(read, columns.symbol))
        return s.plus(stays, s.group_sum(moves, columns.label))

    def outer(self, from_left: npt.NDArray[np.bool_], weight: Value) -> tuple[Value, jax.Array]:
        s, (diagonal, column, columns) = self.semiring, self.labels
        side = from_left[:, None]
        stays = s.times(s.matmul(weight, diagonal), s.where(side, self.a, self.b))
        weights = s.group_spread(weight, columns.label)
        a = s.times(weights, s.group_spread(self.a, columns.symbol))
        b = s.times(weights, s.matmul(self.b, _transposed(column)))
        moves = s.where(side, s.matmul(a, column), s.group_sum(b, columns.symbol))
        return s.plus(stays, moves), jnp.zeros(from_left.shape[0])


def _transposed(value: Value) -> Value:
    return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), value)


class Level(NamedTuple):
    """The trie nodes at one depth: last symbols, and parents in the level above."""

    symbol: np.ndarray
    parent: np.ndarray


class Trie(NamedTuple):
    """A trie of labels.

    Nodes are numbered level by level; node 0 is the root, the empty label.

    Attributes:
        label: ``[labels]`` nodes.
    """

    levels: tuple[Level, ...]
    label: np.ndarray

    @classmethod
    def of(cls, labels: Sequence[tuple[int, ...]]) -> Trie:
        number: dict[tuple[int, ...], int] = {(): 0}
        levels: list[Level] = []
        above = 0
        for depth in range(1, max((len(label) for label in labels), default=0) + 1):
            nodes = sorted({label[:depth] for label in labels if len(label) >= depth})
            parents = [number[node[:-1]] - above for node in nodes]
            above = len(number)
            number.update((node, above + i) for i, node in enumerate(nodes))
            symbols = np.array([node[-1] for node in nodes], np.int32)
            levels.append(Level(symbols, np.array(parents, np.int32)))
        return cls(tuple(levels), np.array([number[label] for label in labels], np.int32))
