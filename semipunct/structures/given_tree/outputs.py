"""Acceptors and further transducers that read the output of a window transducer."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.given_tree.schedule import Indices
from semirings.base import Semiring, Value


class OutputAcceptor(Protocol):
    """An acceptor of written symbols, as products of its matrices E(a) with vectors.

    There is one matrix E(a) for each written symbol a. There are four products, since a window
    transducer writes either the pending symbol, so that all symbols are needed (``each``), or the
    symbol that it reads (``by``). In the shapes, n is the number of trie nodes (or 1, to be
    broadcast), L of lanes, S of states, A of symbols.
    """

    @property
    def states(self) -> int:
        """The number of states."""
        ...

    def at(self, slots: Indices, states: int) -> OutputAcceptor:
        """Select acceptors.

        Args:
            slots: ``[lanes]`` the slot of each lane.
            states: the number of states in use there; these are the first ones.
        """
        ...

    def column_each(self, vectors: Value) -> Value:
        """Multiply ``E(a) v`` for every a: ``[n, L, S]`` to ``[n, L, S, A]``."""
        ...

    def column_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """Multiply ``E(b) v`` with the symbol b of each node.

        Args:
            symbol: ``[nodes]`` the symbol b of each node.
            vectors: ``[n, L, S, A]``.

        Returns:
            ``[nodes, L, S, A]``.
        """
        ...

    def row_each(self, vectors: Value) -> Value:
        """Multiply ``v_a E(a)`` for every a: ``[n, L, S, A]`` to ``[n, L, S, A]``."""
        ...

    def row_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """Multiply ``v E(b)`` with the symbol b of each node.

        Args:
            symbol: ``[nodes]`` the symbol b of each node.
            vectors: ``[n, L, S, A]``.

        Returns:
            ``[nodes, L, S, A]``.
        """
        ...


class ArcAcceptor(NamedTuple):
    """An acceptor with explicit arcs, ``[slots or lanes, states, states, symbols]``."""

    semiring: Semiring
    arcs: Value

    @property
    def states(self) -> int:
        return jax.tree.leaves(self.arcs)[0].shape[1]

    def at(self, slots: Indices, states: int) -> ArcAcceptor:
        return self._replace(arcs=jax.tree.map(lambda x: x[slots, :states, :states], self.arcs))

    def column_each(self, vectors: Value) -> Value:
        vectors = jax.tree.map(lambda x: x[:, :, None, :, None], vectors)
        return self.semiring.sum(self.semiring.times(self._all(), vectors), 3)

    def column_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        vectors = jax.tree.map(lambda x: x[:, :, None], vectors)
        return self.semiring.sum(self.semiring.times(self._of(symbol), vectors), 3)

    def row_each(self, vectors: Value) -> Value:
        vectors = jax.tree.map(lambda x: x[:, :, :, None], vectors)
        return self.semiring.sum(self.semiring.times(vectors, self._all()), 2)

    def row_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        vectors = jax.tree.map(lambda x: x[:, :, :, None], vectors)
        return self.semiring.sum(self.semiring.times(vectors, self._of(symbol)), 2)

    def _all(self) -> Value:
        return jax.tree.map(lambda x: x[None], self.arcs)

    def _of(self, symbol: np.ndarray) -> Value:
        """Return the arcs ``[nodes, lanes, states, states, 1]`` of the symbol of each node."""
        return jax.tree.map(lambda x: jnp.moveaxis(x[..., symbol], -1, 0)[..., None], self.arcs)
