"""Sliding-window transducers composed with an acceptor, read label by label.

A window transducer (Cotterell et al. 2014; Li et al. 2019, appendix D) keeps one pending input
symbol ``a``. Reading the next symbol ``b`` it makes one of four edits: keep (write a, b pending),
absorb left (b pending), absorb right (a pending), transpose (write b, a pending). Composed with
an acceptor of what is written, its states are pairs (acceptor state ``s``, pending symbol ``a``)
and the matrix of a symbol ``b`` is never needed whole: a product with a vector costs a few
elementwise operations per state (docs/model.md gives the four terms). Labels are strings of
symbols; the products for all labels share work along tries.

Symbol 0 is the start of the string: reading ``b`` from it is an absorption to the left of weight
one, as in appendix D.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.emission import Arcs, Emission
from semipunct.structures.schedule import Indices
from semipunct.structures.trie import Trie
from semirings.base import Semiring, Value


class Edits(NamedTuple):
    """Log probabilities of the four edits, each ``[symbols, symbols]``, indexed [pending, read]."""

    keep: jax.Array
    absorb_left: jax.Array
    absorb_right: jax.Array
    transpose: jax.Array


class WindowAutomata(NamedTuple):
    """The automata of many slots: one window transducer, an acceptor for each slot.

    Attributes:
        edits: the transducer.
        emit: ``[slots, states, states, symbols]`` log weight of the acceptor's arc s to t that
            reads the written symbol.
        initial: ``[slots, states, symbols]`` log weights lambda of the composed automaton.
        final: ``[slots, states, symbols]`` log weights rho.
        closed: ``[slots]`` whether a fixed symbol, ``closing``, ends the slot's string.
        closing: ``[1]`` that symbol.
        prefixes: trie of the labels, for products with row vectors.
        suffixes: trie of the reversed labels, for products with column vectors.
        further: the automata of the next pass, in the opposite direction, which reads what this
            one writes, or None. They then take the place of the acceptor; of ``emit`` and
            ``final`` nothing is used, of ``initial`` only the pending symbols.

    A slot whose acceptor uses only its first state, with no arc inside it, is *narrow*: its
    vectors may be cut to the first ``symbols`` entries.
    """

    edits: Edits
    emit: jax.Array
    initial: jax.Array
    final: jax.Array
    closed: jax.Array
    closing: np.ndarray
    prefixes: Trie
    suffixes: Trie
    further: WindowAutomata | None = None

    @property
    def widths(self) -> tuple[int, ...]:
        """Sizes of the vectors of narrow and of all other slots (ascending, no repeats).

        With a further pass no slot is narrow.
        """
        states, symbols = self.emit.shape[1], self.emit.shape[3]
        if self.further is not None:
            return (self.further.widths[-1] * symbols,)
        return (symbols,) if states == 1 else (symbols, states * symbols)

    def reader(self, semiring: Semiring) -> WindowReader:
        """Lift everything into a semiring, once, ready to be read."""
        edits = Edits(*(semiring.lift(e) for e in self.edits))

        def at(table: Value, trie: Trie, level: int) -> Value:
            symbols = trie.levels[level].symbol
            return jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1)[symbols], table)

        def per_level(trie: Trie) -> tuple[Edits, ...]:
            return tuple(
                Edits(*(at(edit, trie, level) for edit in edits))
                for level in range(len(trie.levels))
            )

        flat = (*self.initial.shape[:-2], -1)
        by_symbol = Edits(*(jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), e) for e in edits))
        if self.further is None:
            below: Emission = Arcs(semiring, semiring.lift(self.emit))
            initial = semiring.lift(self.initial.reshape(flat))
            final = semiring.lift(self.final.reshape(flat))
        else:
            below = Cascade(self.further.reader(semiring))
            initial, final = below.bounds(semiring.lift(self.initial[:, 0]))
        reader = WindowReader(
            semiring,
            self,
            initial,
            final,
            below,
            by_symbol,
            per_level(self.prefixes),
            per_level(self.suffixes),
        )
        return reader.close()


class WindowReader(NamedTuple):
    """``WindowAutomata`` lifted into a semiring; vectors are ``[..., states * symbols]``.

    ``initial`` and ``final`` are ``[slots, states * symbols]``; the edits of a trie level are
    ``[nodes, pending]``: the row of the symbol that the node reads.
    """

    semiring: Semiring
    automata: WindowAutomata
    initial: Value
    final: Value
    below: Emission
    by_symbol: Edits
    prefix_edits: tuple[Edits, ...]
    suffix_edits: tuple[Edits, ...]

    def columns(self, slots: Indices, vectors: Value) -> Value:
        """``M(label) v`` for the label of every node of the trie ``suffixes``.

        Args:
            slots: ``[lanes]`` the slot of each vector.
            vectors: ``[lanes, width]`` column vectors, ``width`` one of ``automata.widths``.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._read(slots, vectors, self.automata.suffixes, self.suffix_edits, self._before)

    def rows(self, slots: Indices, vectors: Value) -> Value:
        """``v M(label)`` for every node of the trie ``prefixes``; shapes as in ``columns``."""
        return self._read(slots, vectors, self.automata.prefixes, self.prefix_edits, self._after)

    def close(self) -> WindowReader:
        """Let the closing symbol be read before the end of every closed slot."""
        slots = self.automata.initial.shape[0]
        final = jax.tree.map(lambda x: x[None], self.final)
        read = jax.tree.map(
            lambda x: x.reshape(slots, -1),
            self.before(self.automata.closing, final, jnp.arange(slots)),
        )
        closed = self.automata.closed[:, None]
        return self._replace(final=self.semiring.where(closed, read, self.final))

    def before(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """``M(b) v`` for one symbol per node: vectors ``[nodes or 1, lanes, width]``."""
        return self._one(self._before, symbol, vectors, slots)

    def after(self, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        """``v M(b)``; shapes as in ``before``."""
        return self._one(self._after, symbol, vectors, slots)

    def _one(self, step: Any, symbol: np.ndarray, vectors: Value, slots: Indices) -> Value:
        symbols = self.automata.initial.shape[2]
        nodes, lanes, width = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, lanes, width // symbols, symbols)
        edits = Edits(*(jax.tree.map(lambda x: x[symbol], edit) for edit in self.by_symbol))
        below = self.below.at(slots, width // symbols)
        result = step(below, jax.tree.map(lambda x: x.reshape(shape), vectors), symbol, edits)
        return jax.tree.map(lambda x: x.reshape(len(symbol), lanes, width), result)

    def _read(
        self, slots: Indices, vectors: Value, trie: Trie, edits: tuple[Edits, ...], step: Any
    ) -> Value:
        symbols = self.automata.initial.shape[2]
        lanes, width = jax.tree.leaves(vectors)[0].shape
        states = width // symbols
        below = self.below.at(slots, states)
        level = jax.tree.map(lambda x: x.reshape(1, lanes, states, symbols), vectors)
        levels = [level]
        for depth, (nodes, edit) in enumerate(zip(trie.levels, edits, strict=True)):
            if depth:
                level = jax.tree.map(lambda x, p=nodes.parent: x[p], level)
            level = step(below, level, nodes.symbol, edit)
            levels.append(level)
        joined = self.semiring.concatenate(levels, axis=0)
        return jax.tree.map(lambda x: x.reshape(-1, lanes, width), joined)

    def _before(self, below: Emission, vectors: Value, symbol: np.ndarray, edits: Edits) -> Value:
        """``M(b) v``: vectors ``[nodes or 1, lanes, states, symbols]``, symbol ``[nodes]``."""
        s = self.semiring
        spread = _across(edits)
        pending = _entry(vectors, self._is(symbol))
        result = s.plus(
            s.times(spread.absorb_left, _expand(pending)), s.times(spread.absorb_right, vectors)
        )
        if below.states == 1:
            return result
        kept = below.into_each(pending)
        moved = below.into_by(symbol, vectors)
        return s.plus(result, s.plus(s.times(spread.keep, kept), s.times(spread.transpose, moved)))

    def _after(self, below: Emission, vectors: Value, symbol: np.ndarray, edits: Edits) -> Value:
        """``v M(b)``: shapes as in ``_before``."""
        s = self.semiring
        spread = _across(edits)
        to_symbol = s.sum(s.times(vectors, spread.absorb_left), 3)
        stays = s.times(vectors, spread.absorb_right)
        if below.states > 1:
            written = below.out_each(vectors)
            to_symbol = s.plus(to_symbol, s.sum(s.times(written, spread.keep), 3))
            moved = below.out_by(symbol, vectors)
            stays = s.plus(stays, s.times(moved, spread.transpose))
        return s.plus(stays, s.where(self._is(symbol), _expand(to_symbol), s.zeros((1, 1, 1, 1))))

    def _is(self, symbol: np.ndarray) -> np.ndarray:
        """``[nodes, 1, 1, symbols]`` whether a state's pending symbol is the one that is read."""
        return (symbol[:, None] == np.arange(self.automata.initial.shape[2]))[:, None, None, :]


def _across(edits: Edits) -> Edits:
    """``[nodes, symbols]`` to ``[nodes, 1, 1, symbols]``."""
    return Edits(*(jax.tree.map(lambda x: x[:, None, None, :], edit) for edit in edits))


def _expand(value: Value) -> Value:
    return jax.tree.map(lambda x: x[..., None], value)


def _entry(vectors: Value, is_symbol: np.ndarray) -> Value:
    """``[nodes or 1, lanes, states, symbols]`` at each node's symbol: ``[nodes, lanes, states]``.

    A masked sum instead of indexing: its transpose is a product, not a scatter.
    """
    return jax.tree.map(lambda x: jnp.sum(jnp.where(is_symbol, x, 0), -1), vectors)


class Cascade(NamedTuple):
    """The ``Emission`` into a further pass: its states are the other pass's.

    The other pass moves in the opposite direction, so its matrices come in transposed: a column
    vector of ours is a row vector of its.
    """

    reader: WindowReader
    slots: Indices | None = None

    @property
    def states(self) -> int:
        """Number of states of the further pass."""
        return self.reader.automata.widths[-1]

    def at(self, slots: Indices, states: int) -> Cascade:
        """Its automata at the slots of some lanes."""
        return self._replace(slots=slots)

    def bounds(self, pending: Value) -> tuple[Value, Value]:
        """Initial and final vectors of the pass before, given its first pending symbol.

        Args:
            pending: ``[slots, symbols]``.
        """
        s = self.reader.semiring
        slots, symbols = jax.tree.leaves(pending)[0].shape
        start, end = self.reader.final, self.reader.initial
        initial = s.times(_expand(start), jax.tree.map(lambda x: x[:, None], pending))
        here = self.at(jnp.arange(slots), self.states)
        written = jax.tree.map(lambda x: x[0], here.into_each(jax.tree.map(lambda x: x[None], end)))
        # The start symbol is pending only if nothing was read: then nothing is written, either.
        final = s.where(jnp.arange(symbols) == 0, _expand(end), written)
        flat = (slots, self.states * symbols)
        return (
            jax.tree.map(lambda x: x.reshape(flat), initial),
            jax.tree.map(lambda x: x.reshape(flat), final),
        )

    def into_each(self, arriving: Value) -> Value:
        """See ``Arcs``: here a row vector of the further pass reads each symbol."""
        return self._each(self.reader.after, self._for_each(arriving))

    def into_by(self, symbol: np.ndarray, vectors: Value) -> Value:
        """See ``Arcs``: each of our pending symbols has a row vector that reads ``symbol``."""
        return self._by(self.reader.after, symbol, vectors)

    def out_each(self, leaving: Value) -> Value:
        """See ``Arcs``: the column vector of each pending symbol reads that symbol."""
        nodes = jax.tree.leaves(leaving)[0].shape[0]
        return self._each(self.reader.before, _split(leaving, nodes))

    def out_by(self, symbol: np.ndarray, leaving: Value) -> Value:
        """See ``Arcs``: each of our pending symbols has a column vector that reads ``symbol``."""
        return self._by(self.reader.before, symbol, leaving)

    def _for_each(self, vectors: Value) -> Value:
        """One copy of ``[nodes, lanes, states]`` for each symbol, nodes and symbols merged."""
        nodes, lanes, states = jax.tree.leaves(vectors)[0].shape
        shape = (nodes, self._symbols, lanes, states)
        return jax.tree.map(
            lambda x: jnp.broadcast_to(x[:, None], shape).reshape(-1, lanes, states), vectors
        )

    def _each(self, step: Any, vectors: Value) -> Value:
        nodes = jax.tree.leaves(vectors)[0].shape[0] // self._symbols
        read = step(np.tile(np.arange(self._symbols), nodes), vectors, self.slots)
        return _merge(read, nodes)

    def _by(self, step: Any, symbol: np.ndarray, vectors: Value) -> Value:
        read = step(np.repeat(symbol, self._symbols), _split(vectors, len(symbol)), self.slots)
        return _merge(read, len(symbol))

    @property
    def _symbols(self) -> int:
        return self.reader.automata.initial.shape[2]


def _split(vectors: Value, nodes: int) -> Value:
    """``[nodes or 1, lanes, states, symbols]`` to ``[nodes * symbols, lanes, states]``."""

    def split(x: jax.Array) -> jax.Array:
        _, lanes, states, symbols = x.shape
        x = jnp.broadcast_to(x, (nodes, lanes, states, symbols))
        return jnp.moveaxis(x, 3, 1).reshape(nodes * symbols, lanes, states)

    return jax.tree.map(split, vectors)


def _merge(vectors: Value, nodes: int) -> Value:
    """The inverse of ``_split``."""

    def merge(x: jax.Array) -> jax.Array:
        return jnp.moveaxis(x.reshape(nodes, -1, *x.shape[1:]), 1, 3)

    return jax.tree.map(merge, vectors)
