"""Slot automata: a sliding-window transducer composed with an acceptor of its output.

A window transducer (Cotterell et al. 2014; Li et al. 2019, appendix D) keeps a pending input symbol
``a`` and, on reading the next symbol ``b``, performs one of four edits: keep (write a, b pending),
absorb left (b pending), absorb right (a pending), or transpose (write b, a pending). States of the
composition are pairs (acceptor state ``s``, pending symbol ``a``). With the acceptor's arcs
``w[s, t, c]``, the matrix M(b) has in the row of (s, a) the entries::

    keep[a, b] w[s, t, a]       to (t, b)        absorb_left[a, b]    to (s, b)
    transpose[a, b] w[s, t, b]  to (t, a)        absorb_right[a, b]   to (s, a)

Matrices are never materialized, and products for all labels share computation along tries
(docs/decisions/recursions.md). Symbol 0 starts the string: reading ``b`` while it is pending
absorbs left with weight one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.given_tree.narrow import (
    Columns,
    LabelMatrices,
    NarrowProducts,
    Trie,
    label_matrices,
)
from semipunct.structures.given_tree.schedule import Indices
from semipunct.structures.given_tree.trees import Products, VectorsByLabel
from semirings.base import Semiring, Value, take


class Edits(NamedTuple):
    """Log probabilities of the edits, ``[pending, read]``."""

    keep: jax.Array
    absorb_left: jax.Array
    absorb_right: jax.Array
    transpose: jax.Array


class WindowAutomata(NamedTuple):
    """The automata of many slots: one window transducer, and an acceptor for each slot.

    A slot is *narrow* if its acceptor uses only the first state, without arcs; vectors may be
    truncated to ``symbols`` entries.

    Attributes:
        arcs: ``[slots, states, states, symbols]`` log weights ``w[s, t, c]`` of the acceptors.
        initial, final: ``[slots, states, symbols]`` log weights of the composition.
        closed: ``[slots]`` whether the symbol ``closing``, ``[1]``, ends the slot's string.
        prefixes: trie of the labels.
        suffixes: trie of the reversed labels.
        next_pass: a second pass in the opposite direction, in place of the acceptor; ``initial``
            then only provides pending symbols.
        columns: None without narrow slots.
    """

    edits: Edits
    arcs: jax.Array
    initial: jax.Array
    final: jax.Array
    closed: jax.Array
    closing: np.ndarray
    prefixes: Trie
    suffixes: Trie
    next_pass: WindowAutomata | None = None
    columns: Columns | None = None

    @property
    def widths(self) -> tuple[int, ...]:
        states, symbols = self.arcs.shape[1], self.arcs.shape[3]
        if self.next_pass is not None:
            return (self.next_pass.widths[-1] * symbols,)
        return tuple(n * symbols for n in sorted({1, states}))

    def lift(self, semiring: Semiring) -> LiftedWindowAutomata:
        lifted_edits = Edits(*map(semiring.lift, self.edits))
        edits: Edits = jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), lifted_edits)
        # Gathered once per level of the trie: inside the recursion, gathers would run in every
        # step, and scatters in its reverse pass.
        prefix_edits, suffix_edits = (
            tuple(take[level.symbol](edits) for level in trie.levels)
            for trie in (self.prefixes, self.suffixes)
        )
        # Only the last of two passes writes the observed surface, so its automata are the output
        # acceptor of the first. The symbols between the passes are summed out.
        flat = (*self.initial.shape[:-2], -1)
        if self.next_pass is None:
            output: ArcAcceptor | NextPass = ArcAcceptor(semiring, semiring.lift(self.arcs))
            initial = semiring.lift(self.initial.reshape(flat))
            final = semiring.lift(self.final.reshape(flat))
        else:
            output = NextPass(self.next_pass.lift(semiring))
            initial, final = output.bounds(semiring.lift(self.initial[:, 0]))
        labels = None
        if self.columns is not None:
            absorbing = [(e.absorb_left, e.absorb_right) for e in suffix_edits]
            labels = label_matrices(semiring, self.suffixes, self.columns, absorbing)
        lifted = LiftedWindowAutomata(
            semiring=semiring,
            automata=self,
            initial=initial,
            final=final,
            output=output,
            edits=edits,
            prefix_edits=prefix_edits,
            suffix_edits=suffix_edits,
            labels=labels,
        )
        return lifted.close()


class LiftedWindowAutomata(NamedTuple):
    """``WindowAutomata`` in a semiring, with vectors ``[..., states * symbols]``.

    Attributes:
        final: after reading the closing symbol.
        edits: ``[read, pending]``.
        prefix_edits, suffix_edits: ``[nodes, pending]`` for each level of the trie.
    """

    semiring: Semiring
    automata: WindowAutomata
    initial: Value
    final: Value
    output: ArcAcceptor | NextPass
    edits: Edits
    prefix_edits: tuple[Edits, ...]
    suffix_edits: tuple[Edits, ...]
    labels: LabelMatrices | None = None

    def products(self, left: Indices, a: Value, right: Indices, b: Value) -> Products:
        symbols = self.automata.initial.shape[2]
        if self.labels is not None and jax.tree.leaves(a)[0].shape[1] == symbols:
            return NarrowProducts(self.semiring, self.labels, a, b)

        at_left = take[self.automata.suffixes.label](self.columns(left, a))
        at_right = take[self.automata.prefixes.label](self.rows(right, b))
        return VectorsByLabel(self.semiring, at_left, at_right)

    def columns(self, slots: Indices, vectors: Value) -> Value:
        """Compute ``M(label) v`` for ``[lanes, width]`` vectors and each node of ``suffixes``."""
        return self._read(slots, vectors, self.automata.suffixes, self.suffix_edits, self._column)

    def rows(self, slots: Indices, vectors: Value) -> Value:
        """Compute ``v M(label)`` for ``[lanes, width]`` vectors and each node of ``prefixes``."""
        return self._read(slots, vectors, self.automata.prefixes, self.prefix_edits, self._row)

    def close(self) -> LiftedWindowAutomata:
        """Apply the closing symbol to the final vectors of closed slots."""
        # The closing symbol is a boundary mark, which no puncteme contains
        # (docs/decisions/punctuation-model.md), read after all labels of the slot. Products are
        # associative, so M(closing) rho is computed once per slot.
        slots = self.automata.initial.shape[0]
        final = take[None](self.final)
        read = jax.tree.map(
            lambda x: x.reshape(slots, -1),
            self.column_by(self.automata.closing, final, jnp.arange(slots)),
        )
        closed = self.automata.closed[:, None]
        return self._replace(final=self.semiring.where(closed, read, self.final))

    def column_by(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """Compute ``M(b) v`` for each node's symbol b; vectors ``[nodes or 1, lanes, width]``."""
        return self._by_symbol(self._column, symbol, vectors, slots)

    def row_by(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """Compute ``v M(b)`` for each node's symbol b; vectors ``[nodes or 1, lanes, width]``."""
        return self._by_symbol(self._row, symbol, vectors, slots)

    def _by_symbol(self, step: Any, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        symbols = self.automata.initial.shape[2]
        nodes, lanes, width = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, lanes, width // symbols, symbols)
        output = self.output.at(slots, width // symbols)
        moved = step(
            output,
            jax.tree.map(lambda x: x.reshape(shape), vectors),
            symbol,
            take[symbol](self.edits),
        )
        return jax.tree.map(lambda x: x.reshape(len(symbol), lanes, width), moved)

    def _read(
        self, slots: Indices, vectors: Value, trie: Trie, edits: tuple[Edits, ...], step: Any
    ) -> Value:
        symbols = self.automata.initial.shape[2]
        lanes, width = jax.tree.leaves(vectors)[0].shape
        states = width // symbols
        output = self.output.at(slots, states)
        level = jax.tree.map(lambda x: x.reshape(1, lanes, states, symbols), vectors)
        levels = [level]
        # As many steps as the longest label has symbols: all nodes of a level are read at once.
        for depth, (nodes, edit) in enumerate(zip(trie.levels, edits, strict=True)):
            # Labels with a common prefix (rows) or suffix (columns) share the parent's product.
            if depth:
                level = take[nodes.parent](level)
            level = step(output, level, nodes.symbol, edit)
            levels.append(level)
        joined = self.semiring.concatenate(levels, axis=0)
        return jax.tree.map(lambda x: x.reshape(-1, lanes, width), joined)

    def _column(
        self, output: ArcAcceptor | NextPass, vectors: Value, symbol: np.ndarray, edits: Edits
    ) -> Value:
        """Compute ``M(b) v`` for vectors ``[nodes or 1, lanes, states, symbols]``."""
        # (M(b) v)[s, a] is the sum of
        #   absorb_left[a, b] v[s, b]             absorb_right[a, b] v[s, a]
        #   keep[a, b] sum_t w[s, t, a] v[t, b]   transpose[a, b] sum_t w[s, t, b] v[t, a]
        # Two terms need only the entries of v with b pending: ``pending``.
        s = self.semiring
        spread: Edits = take[:, None, None, :](edits)
        pending = _entry(vectors, self._is(symbol))
        column = s.plus(
            s.times(spread.absorb_left, take[..., None](pending)),
            s.times(spread.absorb_right, vectors),
        )
        # A single state has no arcs, so only absorptions remain. This is the case for slots of at
        # most one token, the last pending symbol.
        if output.states == 1:
            return column
        pending_columns = output.column_each(pending)
        moved = output.column_by(symbol, vectors)
        return s.plus(
            column, s.plus(s.times(spread.keep, pending_columns), s.times(spread.transpose, moved))
        )

    def _row(
        self, output: ArcAcceptor | NextPass, vectors: Value, symbol: np.ndarray, edits: Edits
    ) -> Value:
        """Compute ``v M(b)`` for vectors ``[nodes or 1, lanes, states, symbols]``."""
        # The terms of ``_column``, transposed. Terms that leave b pending are summed over a::
        #   (v M(b))[t, c] is the sum of
        #   [c = b] sum_a v[t, a] absorb_left[a, b]         v[t, c] absorb_right[c, b]
        #   [c = b] sum_sa v[s, a] w[s, t, a] keep[a, b]    sum_s v[s, c] w[s, t, b] transpose[c, b]
        s = self.semiring
        spread: Edits = take[:, None, None, :](edits)
        to_symbol = s.sum(s.times(vectors, spread.absorb_left), 3)
        stays = s.times(vectors, spread.absorb_right)
        if output.states > 1:
            written = output.row_each(vectors)
            to_symbol = s.plus(to_symbol, s.sum(s.times(written, spread.keep), 3))
            moved = output.row_by(symbol, vectors)
            stays = s.plus(stays, s.times(moved, spread.transpose))
        return s.plus(
            stays, s.where(self._is(symbol), take[..., None](to_symbol), s.zeros((1, 1, 1, 1)))
        )

    def _is(self, symbol: np.ndarray) -> np.ndarray:
        # [nodes, 1, 1, symbols]
        return (symbol[:, None] == np.arange(self.automata.initial.shape[2]))[:, None, None, :]


def _entry(vectors: Value, is_symbol: np.ndarray) -> Value:
    """Select each node's symbol from ``[nodes or 1, lanes, states, symbols]``."""
    # A masked sum transposes to a product, indexing to a scatter.
    return jax.tree.map(lambda x: jnp.sum(jnp.where(is_symbol, x, 0), -1), vectors)


class NextPass(NamedTuple):
    """The automata of the next pass as output acceptor of the previous one: a transducer cascade.

    The passes read in opposite directions, so matrices are transposed: ``w[s, t, c]`` is N(c)[t, s]
    with the next pass's matrices N.
    """

    automata: LiftedWindowAutomata
    slots: Indices | None = None

    @property
    def states(self) -> int:
        return self.automata.automata.widths[-1]

    def at(self, slots: Indices, states: int) -> NextPass:
        return self._replace(slots=slots)

    def bounds(self, pending: Value) -> tuple[Value, Value]:
        """Return initial and final vectors ``[slots, width]``, given weights of pending symbols."""
        # The next pass reads from the other end, so initial and final vectors are swapped.
        s = self.automata.semiring
        # The last pending symbol is written last, hence read first by the next pass: lambda N(a).
        slots, symbols = jax.tree.leaves(pending)[0].shape
        start, end = self.automata.final, self.automata.initial
        initial = s.times(take[..., None](start), take[:, None](pending))
        of_slots = self.at(jnp.arange(slots), self.states)
        written = take[0](of_slots.column_each(take[None](end)))
        # If the start symbol is still pending, nothing was read and nothing is written.
        final = s.where(jnp.arange(symbols) == 0, take[..., None](end), written)
        flat = (slots, self.states * symbols)
        return (
            jax.tree.map(lambda x: x.reshape(flat), initial),
            jax.tree.map(lambda x: x.reshape(flat), final),
        )

    def column_each(self, vectors: Value) -> Value:
        nodes, lanes, states = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, self._symbols, lanes, states)
        # One copy per symbol, with nodes and symbols merged.
        copies = jax.tree.map(
            lambda x: jnp.broadcast_to(x[:, None], shape).reshape(-1, lanes, states), vectors
        )
        return self._each(self.automata.row_by, copies)

    def column_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        return self._by(self.automata.row_by, symbol, vectors)

    def row_each(self, vectors: Value) -> Value:
        nodes = jax.tree.leaves(vectors)[0].shape[0]
        return self._each(self.automata.column_by, _split(vectors, nodes))

    def row_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        return self._by(self.automata.column_by, symbol, vectors)

    def _each(self, step: Any, vectors: Value) -> Value:
        nodes = jax.tree.leaves(vectors)[0].shape[0] // self._symbols
        read = step(np.tile(np.arange(self._symbols), nodes), vectors, self.slots)
        return _merge(read, nodes)

    def _by(self, step: Any, symbol: np.ndarray, vectors: Value) -> Value:
        read = step(np.repeat(symbol, self._symbols), _split(vectors, len(symbol)), self.slots)
        return _merge(read, len(symbol))

    @property
    def _symbols(self) -> int:
        return self.automata.automata.initial.shape[2]


def _split(vectors: Value, nodes: int) -> Value:
    """Reshape ``[nodes or 1, lanes, states, symbols]`` to ``[nodes * symbols, lanes, states]``."""

    def split(x: jax.Array) -> jax.Array:
        _, lanes, states, symbols = x.shape
        x = jnp.broadcast_to(x, (nodes, lanes, states, symbols))
        return jnp.moveaxis(x, 3, 1).reshape(nodes * symbols, lanes, states)

    return jax.tree.map(split, vectors)


def _merge(vectors: Value, nodes: int) -> Value:
    """Undo ``_split``."""

    def merge(x: jax.Array) -> jax.Array:
        return jnp.moveaxis(x.reshape(nodes, -1, *x.shape[1:]), 1, 3)

    return jax.tree.map(merge, vectors)


class ArcAcceptor(NamedTuple):
    """An acceptor of written symbols, with arcs ``[slots or lanes, states, states, symbols]``.

    A window transducer writes the pending symbol, which requires products with the matrices E(a) of
    all symbols (``each``), or the symbol read (``by``). Shapes: n trie nodes or 1, L lanes, S
    states, A symbols.
    """

    semiring: Semiring
    arcs: Value

    @property
    def states(self) -> int:
        return jax.tree.leaves(self.arcs)[0].shape[1]

    def at(self, slots: Indices, states: int) -> ArcAcceptor:
        """Select the slots ``[lanes]`` and the first ``states`` states."""
        return self._replace(arcs=take[slots, :states, :states](self.arcs))

    def column_each(self, vectors: Value) -> Value:
        """Compute ``E(a) v`` for every a: ``[n, L, S]`` to ``[n, L, S, A]``."""
        s = self.semiring
        return s.sum(s.times(take[None](self.arcs), take[:, :, None, :, None](vectors)), 3)

    def column_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """Compute ``E(b) v`` for each node's symbol b: ``[n, L, S, A]`` to ``[nodes, L, S, A]``."""
        s = self.semiring
        return s.sum(s.times(self._of(symbol), take[:, :, None](vectors)), 3)

    def row_each(self, vectors: Value) -> Value:
        """Compute ``v_a E(a)`` for every a: ``[n, L, S, A]`` to ``[n, L, S, A]``."""
        s = self.semiring
        return s.sum(s.times(take[:, :, :, None](vectors), take[None](self.arcs)), 2)

    def row_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """Compute ``v E(b)`` for each node's symbol b: ``[n, L, S, A]`` to ``[nodes, L, S, A]``."""
        s = self.semiring
        return s.sum(s.times(take[:, :, :, None](vectors), self._of(symbol)), 2)

    def _of(self, symbol: np.ndarray) -> Value:
        return jax.tree.map(lambda x: jnp.moveaxis(x[..., symbol], -1, 0)[..., None], self.arcs)
