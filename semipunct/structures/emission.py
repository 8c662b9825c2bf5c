"""Where a window transducer writes to: an acceptor's arcs, seen as products with vectors."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.schedule import Indices
from semirings.base import Semiring, Value


class Emission(Protocol):
    """What reads the symbols that a window transducer writes.

    The four products are with its matrices E(a), one for each written symbol a. ``n`` counts trie
    nodes (or is 1, to be broadcast), L lanes, S its states, A symbols.
    """

    @property
    def states(self) -> int:
        """Number of states."""
        ...

    def at(self, slots: Indices, states: int) -> Emission:
        """The emissions of the slots of some lanes, cut to the first states."""
        ...

    def into_each(self, arriving: Value) -> Value:
        """``E(a) v`` for every a: ``[n, L, S]`` to ``[n, L, S, A]``."""
        ...

    def into_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """``E(b) v`` for each node's own b: ``[n, L, S, A]`` to ``[nodes, L, S, A]``."""
        ...

    def out_each(self, leaving: Value) -> Value:
        """``v_a E(a)`` for every a: ``[n, L, S, A]`` to ``[n, L, S, A]``."""
        ...

    def out_by(self, symbol: np.ndarray, leaving: Value) -> Value:
        """``v E(b)`` for each node's own b: ``[n, L, S, A]`` to ``[nodes, L, S, A]``."""
        ...


class Arcs(NamedTuple):
    """The emission into explicit arcs, ``[slots or lanes, states, states, symbols]``."""

    semiring: Semiring
    arcs: Value

    @property
    def states(self) -> int:
        """Number of states."""
        return jax.tree.leaves(self.arcs)[0].shape[1]

    def at(self, slots: Indices, states: int) -> Arcs:
        """See ``Emission``."""
        return self._replace(arcs=jax.tree.map(lambda x: x[slots, :states, :states], self.arcs))

    def into_each(self, arriving: Value) -> Value:
        """See ``Emission``."""
        arriving = jax.tree.map(lambda x: x[:, :, None, :, None], arriving)
        return self.semiring.sum(self.semiring.times(self._all(), arriving), 3)

    def into_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """See ``Emission``."""
        vectors = jax.tree.map(lambda x: x[:, :, None], vectors)
        return self.semiring.sum(self.semiring.times(self._of(symbol), vectors), 3)

    def out_each(self, leaving: Value) -> Value:
        """See ``Emission``."""
        leaving = jax.tree.map(lambda x: x[:, :, :, None], leaving)
        return self.semiring.sum(self.semiring.times(leaving, self._all()), 2)

    def out_by(self, symbol: np.ndarray, leaving: Value) -> Value:
        """See ``Emission``."""
        leaving = jax.tree.map(lambda x: x[:, :, :, None], leaving)
        return self.semiring.sum(self.semiring.times(leaving, self._of(symbol)), 2)

    def _all(self) -> Value:
        return jax.tree.map(lambda x: x[None], self.arcs)

    def _of(self, symbol: np.ndarray) -> Value:
        """``[nodes, lanes, states, states, 1]``: the arcs of each node's symbol."""
        return jax.tree.map(lambda x: jnp.moveaxis(x[..., symbol], -1, 0)[..., None], self.arcs)
