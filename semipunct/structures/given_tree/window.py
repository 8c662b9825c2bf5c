"""Slot automata: a sliding-window transducer composed with an acceptor, read label by label.

A window transducer (Cotterell et al. 2014; Li et al. 2019, appendix D) keeps one pending input
symbol ``a``. When it reads the next symbol ``b`` it performs one of four edits: keep (write a, b
pending), absorb left (b pending), absorb right (a pending), transpose (write b, a pending). In the
composition with an acceptor of its output, states are pairs (acceptor state ``s``, pending symbol
``a``). With the arcs ``w[s, t, c]`` of the acceptor, M(b) from the state (s, a) has the entries::

    keep[a, b] w[s, t, a]       to (t, b)        absorb_left[a, b]    to (s, b)
    transpose[a, b] w[s, t, b]  to (t, a)        absorb_right[a, b]   to (s, a)

No such matrix is materialised: a product with a vector costs a few elementwise operations per
state, and the products for all labels share computation along tries (docs/model.md,
docs/decisions/recursions.md).

Symbol 0 is the start of the string: reading ``b`` when it is pending is an absorption to the left
with weight one, as in appendix D.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

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
from semirings.base import Semiring, Value


class Edits(NamedTuple):
    """Log probabilities of the four edits, each ``[symbols, symbols]``, indexed [pending, read]."""

    keep: jax.Array
    absorb_left: jax.Array
    absorb_right: jax.Array
    transpose: jax.Array


class WindowAutomata(NamedTuple):
    """The automata of many slots: one window transducer, and an acceptor for each slot.

    A slot whose acceptor uses only its first state, with no arc inside it, is *narrow*: its vectors
    may be cut to the first ``symbols`` entries.

    Attributes:
        edits: the transducer.
        arcs: ``[slots, states, states, symbols]`` log weight of the arc of the acceptor from s to t
            that reads the written symbol.
        initial: ``[slots, states, symbols]`` log weights lambda of the composed automaton.
        final: ``[slots, states, symbols]`` log weights rho.
        closed: ``[slots]`` whether ``closing``, ``[1]``, ends the string of the slot.
        closing: that symbol.
        prefixes: trie of the labels, for products with row vectors.
        suffixes: trie of the reversed labels, for products with column vectors.
        next_pass: the automata of the next pass, in the opposite direction, or None. They replace
            the acceptor: only the pending symbols of ``initial`` are used.
        columns: the columns of ``suffixes``, for narrow slots; None if there are none.
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
        """The vector sizes of narrow and other slots, as far as these exist.

        With a next pass there is only one size.
        """
        states, symbols = self.arcs.shape[1], self.arcs.shape[3]
        if self.next_pass is not None:
            return (self.next_pass.widths[-1] * symbols,)
        return tuple(n * symbols for n in sorted({1, states}))

    def lift(self, semiring: Semiring) -> LiftedWindowAutomata:
        """Return the automata with all weights lifted into a semiring."""
        edits = Edits(*(semiring.lift(e) for e in self.edits))

        # The edits of the symbols that a trie reads are gathered here, once for each level. Within
        # the recursion the gathers would run in every step, and in its reverse pass their
        # transposes, which are scatters.
        def at(table: Value, trie: Trie, level: int) -> Value:
            symbols = trie.levels[level].symbol
            return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1)[symbols], table)

        def per_level(trie: Trie) -> tuple[Edits, ...]:
            return tuple(
                Edits(*(at(edit, trie, level) for edit in edits))
                for level in range(len(trie.levels))
            )

        # Of two passes only the last writes what is seen, so its automata, which accept the surface
        # that is known, accept the output of the first: the vectors of the first have one state for
        # each of their states. What was written between the passes is summed over.
        flat = (*self.initial.shape[:-2], -1)
        if self.next_pass is None:
            output: OutputAcceptor = ArcAcceptor(semiring, semiring.lift(self.arcs))
            initial = semiring.lift(self.initial.reshape(flat))
            final = semiring.lift(self.final.reshape(flat))
        else:
            output = NextPass(self.next_pass.lift(semiring))
            initial, final = output.bounds(semiring.lift(self.initial[:, 0]))
        suffix_edits = per_level(self.suffixes)
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
            edits=Edits(*(jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), e) for e in edits)),
            prefix_edits=per_level(self.prefixes),
            suffix_edits=suffix_edits,
            labels=labels,
        )
        return lifted.close()


class LiftedWindowAutomata(NamedTuple):
    """``WindowAutomata`` in a semiring; vectors are ``[..., states * symbols]``.

    Attributes:
        initial: ``[slots, states * symbols]``.
        final: ``[slots, states * symbols]``, after the closing symbol is read.
        output: the acceptor of the output.
        edits: the four edits, ``[read, pending]``.
        prefix_edits: for each level of the trie ``prefixes``, ``[nodes, pending]``: the rows of the
            symbols that its nodes read.
        suffix_edits: likewise for ``suffixes``.
        labels: the matrices of the labels at narrow slots, or None where no slot is narrow.
    """

    semiring: Semiring
    automata: WindowAutomata
    initial: Value
    final: Value
    output: OutputAcceptor
    edits: Edits
    prefix_edits: tuple[Edits, ...]
    suffix_edits: tuple[Edits, ...]
    labels: LabelMatrices | None = None

    def products(self, left: Indices, a: Value, right: Indices, b: Value) -> Products:
        symbols = self.automata.initial.shape[2]
        if self.labels is not None and jax.tree.leaves(a)[0].shape[1] == symbols:
            return NarrowProducts(self.semiring, self.labels, a, b)

        def of_labels(vectors: Value, trie: Trie) -> Value:
            return jax.tree.map(lambda x: x[trie.label], vectors)

        columns = of_labels(self.columns(left, a), self.automata.suffixes)
        return VectorsByLabel(
            self.semiring, columns, of_labels(self.rows(right, b), self.automata.prefixes)
        )

    def columns(self, slots: Indices, vectors: Value) -> Value:
        """Multiply ``M(label) v`` for the label of every node of the trie ``suffixes``.

        Args:
            slots: ``[lanes]`` the slot of each vector.
            vectors: ``[lanes, width]`` column vectors, ``width`` one of ``automata.widths``.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._read(slots, vectors, self.automata.suffixes, self.suffix_edits, self._column)

    def rows(self, slots: Indices, vectors: Value) -> Value:
        """Multiply ``v M(label)`` for the label of every node of the trie ``prefixes``.

        Args:
            slots: ``[lanes]`` the slot of each vector.
            vectors: ``[lanes, width]`` row vectors.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._read(slots, vectors, self.automata.prefixes, self.prefix_edits, self._row)

    def close(self) -> LiftedWindowAutomata:
        """Include the closing symbol in the final vectors of closed slots."""
        # The closing symbol is a boundary mark, which no puncteme contains
        # (docs/decisions/punctuation-model.md): it is read after all labels of the slot. Products
        # are associative, so M(closing) times rho is computed once for each slot instead of last in
        # every product of labels.
        slots = self.automata.initial.shape[0]
        final = jax.tree.map(lambda x: x[None], self.final)
        read = jax.tree.map(
            lambda x: x.reshape(slots, -1),
            self.column_by(self.automata.closing, final, jnp.arange(slots)),
        )
        closed = self.automata.closed[:, None]
        return self._replace(final=self.semiring.where(closed, read, self.final))

    def column_by(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """Multiply ``M(b) v`` with a symbol b for each node.

        Args:
            symbol: ``[nodes]`` the symbols.
            vectors: ``[nodes or 1, lanes, width]`` column vectors.
            slots: ``[lanes]`` the slot of each vector.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._by_symbol(self._column, symbol, vectors, slots)

    def row_by(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """Multiply ``v M(b)`` with a symbol b for each node.

        Args:
            symbol: ``[nodes]`` the symbols.
            vectors: ``[nodes or 1, lanes, width]`` row vectors.
            slots: ``[lanes]`` the slot of each vector.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._by_symbol(self._row, symbol, vectors, slots)

    def _by_symbol(self, step: Any, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        symbols = self.automata.initial.shape[2]
        nodes, lanes, width = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, lanes, width // symbols, symbols)
        edits = Edits(*(jax.tree.map(lambda x: x[symbol], edit) for edit in self.edits))
        output = self.output.at(slots, width // symbols)
        moved = step(output, jax.tree.map(lambda x: x.reshape(shape), vectors), symbol, edits)
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
        # The loop is as long as the longest label, not as there are labels: all nodes of a level
        # are read in one elementwise step, with an axis of nodes before the axis of lanes.
        for depth, (nodes, edit) in enumerate(zip(trie.levels, edits, strict=True)):
            # A node reads one symbol after what its parent has read: labels with a common prefix
            # (of rows) or suffix (of columns) share its product, however many they are.
            if depth:
                level = jax.tree.map(lambda x, p=nodes.parent: x[p], level)
            level = step(output, level, nodes.symbol, edit)
            levels.append(level)
        joined = self.semiring.concatenate(levels, axis=0)
        return jax.tree.map(lambda x: x.reshape(-1, lanes, width), joined)

    def _column(
        self, output: OutputAcceptor, vectors: Value, symbol: np.ndarray, edits: Edits
    ) -> Value:
        """Multiply ``M(b) v``.

        Args:
            output: the acceptor of the output, at the slots of the lanes.
            vectors: ``[nodes or 1, lanes, states, symbols]``.
            symbol: ``[nodes]`` the symbol b of each node.
            edits: ``[nodes, pending]`` the rows of those symbols.

        Returns:
            ``[nodes, lanes, states, symbols]``.
        """
        # (M(b) v)[s, a] is the sum of
        #   absorb_left[a, b] v[s, b]             absorb_right[a, b] v[s, a]
        #   keep[a, b] sum_t w[s, t, a] v[t, b]   transpose[a, b] sum_t w[s, t, b] v[t, a]
        # Two terms contain only the entries of v with b pending, the same for all a: ``pending``.
        s = self.semiring
        spread = _across(edits)
        pending = _entry(vectors, self._is(symbol))
        column = s.plus(
            s.times(spread.absorb_left, _expand(pending)), s.times(spread.absorb_right, vectors)
        )
        # A single state has no arc, so nothing can be written: only absorptions remain. That is the
        # case of slots with at most one token: the pending symbol becomes that token at the end.
        if output.states == 1:
            return column
        pending_columns = output.column_each(pending)
        moved = output.column_by(symbol, vectors)
        return s.plus(
            column, s.plus(s.times(spread.keep, pending_columns), s.times(spread.transpose, moved))
        )

    def _row(
        self, output: OutputAcceptor, vectors: Value, symbol: np.ndarray, edits: Edits
    ) -> Value:
        """Multiply ``v M(b)``: shapes as in ``_column``."""
        # The terms of ``_column``, transposed. Those that leave b pending arrive in one entry for
        # each acceptor state, summed over a; those that leave a pending stay where they are::
        #   (v M(b))[t, c] is the sum of
        #   [c = b] sum_a v[t, a] absorb_left[a, b]         v[t, c] absorb_right[c, b]
        #   [c = b] sum_sa v[s, a] w[s, t, a] keep[a, b]    sum_s v[s, c] w[s, t, b] transpose[c, b]
        s = self.semiring
        spread = _across(edits)
        to_symbol = s.sum(s.times(vectors, spread.absorb_left), 3)
        stays = s.times(vectors, spread.absorb_right)
        if output.states > 1:
            written = output.row_each(vectors)
            to_symbol = s.plus(to_symbol, s.sum(s.times(written, spread.keep), 3))
            moved = output.row_by(symbol, vectors)
            stays = s.plus(stays, s.times(moved, spread.transpose))
        return s.plus(stays, s.where(self._is(symbol), _expand(to_symbol), s.zeros((1, 1, 1, 1))))

    def _is(self, symbol: np.ndarray) -> np.ndarray:
        """Return a mask ``[nodes, 1, 1, symbols]`` of states with the symbol read as pending."""
        return (symbol[:, None] == np.arange(self.automata.initial.shape[2]))[:, None, None, :]


def _across(edits: Edits) -> Edits:
    """Reshape ``[nodes, symbols]`` to ``[nodes, 1, 1, symbols]``."""
    return Edits(*(jax.tree.map(lambda x: x[:, None, None, :], edit) for edit in edits))


def _expand(value: Value) -> Value:
    return jax.tree.map(lambda x: x[..., None], value)


def _entry(vectors: Value, is_symbol: np.ndarray) -> Value:
    """Select the symbol of each node from ``[nodes or 1, lanes, states, symbols]``.

    This is a masked sum, because its transpose is a product, whereas the transpose of indexing is a
    scatter.
    """
    return jax.tree.map(lambda x: jnp.sum(jnp.where(is_symbol, x, 0), -1), vectors)


class NextPass(NamedTuple):
    """The automata of the next pass as an ``OutputAcceptor`` of the previous pass.

    The two form a cascade of transducers. They read in opposite directions, so the matrices are
    transposed, and the arc of the acceptor that reads a written symbol c is the matrix N(c) of the
    next
    pass: ``w[s, t, c]`` is N(c)[t, s], where s and t are its composed states.

    Attributes:
        automata: the automata of the next pass, closed.
        slots: ``[lanes]`` the slot of each lane, set by ``at``.
    """

    automata: LiftedWindowAutomata
    slots: Indices | None = None

    @property
    def states(self) -> int:
        return self.automata.automata.widths[-1]

    def at(self, slots: Indices, states: int) -> NextPass:
        return self._replace(slots=slots)

    def bounds(self, pending: Value) -> tuple[Value, Value]:
        """Return initial and final vectors of the previous pass.

        Args:
            pending: ``[slots, symbols]`` the weight of each symbol as the first pending one.

        Returns:
            Two values ``[slots, width]``.
        """
        # The next pass reads from the other end, so its final vectors are met first: they are the
        # initial vectors of the cascade, and its initial vectors the final ones.
        s = self.automata.semiring
        # The symbol that is pending at the end of the previous pass is written last, hence read
        # first by the next one: lambda N(a), for each a.
        slots, symbols = jax.tree.leaves(pending)[0].shape
        start, end = self.automata.final, self.automata.initial
        initial = s.times(_expand(start), jax.tree.map(lambda x: x[:, None], pending))
        of_slots = self.at(jnp.arange(slots), self.states)
        written = jax.tree.map(
            lambda x: x[0], of_slots.column_each(jax.tree.map(lambda x: x[None], end))
        )
        # The start symbol is pending only if nothing was read; then nothing is written, either.
        final = s.where(jnp.arange(symbols) == 0, _expand(end), written)
        flat = (slots, self.states * symbols)
        return (
            jax.tree.map(lambda x: x.reshape(flat), initial),
            jax.tree.map(lambda x: x.reshape(flat), final),
        )

    def column_each(self, vectors: Value) -> Value:
        nodes, lanes, states = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, self._symbols, lanes, states)
        # One copy for each symbol, nodes and symbols merged.
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
        """Read each pending symbol with the vectors of that symbol."""
        nodes = jax.tree.leaves(vectors)[0].shape[0] // self._symbols
        read = step(np.tile(np.arange(self._symbols), nodes), vectors, self.slots)
        return _merge(read, nodes)

    def _by(self, step: Any, symbol: np.ndarray, vectors: Value) -> Value:
        """Read the symbol of each node with the vectors of all its pending symbols."""
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
