"""Slot automata for tests of given trees: a plain matrix for each label."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.given_tree import VectorsByLabel
from semirings import Semiring, Value


class Dense(NamedTuple):
    """Automata of log weights `[slots, labels, states, states]`, `[slots, states]` at the ends."""

    matrix: jax.Array
    start: jax.Array
    end: jax.Array

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.start.shape[1],)

    def lift(self, semiring: Semiring) -> LiftedDense:
        start, end = semiring.lift(self.start), semiring.lift(self.end)
        return LiftedDense(semiring, semiring.lift(self.matrix), start, end)


class LiftedDense(NamedTuple):
    """Products with those matrices."""

    semiring: Semiring
    matrix: Value
    initial: Value
    final: Value

    def products(self, left: jax.Array, a: Value, right: jax.Array, b: Value) -> VectorsByLabel:
        return VectorsByLabel(self.semiring, self.columns(left, a), self.rows(right, b))

    def columns(self, slots: jax.Array, vectors: Value) -> Value:
        matrix = jax.tree.map(lambda x: x[slots], self.matrix)
        column = jax.tree.map(lambda x: x[:, None, :, None], vectors)
        read = self.semiring.matmul(matrix, column)
        return jax.tree.map(lambda x: jnp.moveaxis(x[..., 0], 1, 0), read)

    def rows(self, slots: jax.Array, vectors: Value) -> Value:
        matrix = jax.tree.map(lambda x: x[slots], self.matrix)
        row = jax.tree.map(lambda x: x[:, None, None, :], vectors)
        read = self.semiring.matmul(row, matrix)
        return jax.tree.map(lambda x: jnp.moveaxis(x[..., 0, :], 1, 0), read)
