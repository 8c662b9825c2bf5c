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

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value


class Level(NamedTuple):
    """The trie nodes of one depth: their symbol and their parent in the level above."""

    symbol: np.ndarray
    parent: np.ndarray


class Trie(NamedTuple):
    """A trie of labels: ``levels`` from depth one down, ``label`` the node of each label.

    Nodes are numbered through: the root (the empty label) is 0, then level after level.
    """

    levels: tuple[Level, ...]
    label: np.ndarray

    @property
    def nodes(self) -> int:
        """Number of nodes, the root included."""
        return 1 + sum(len(level.symbol) for level in self.levels)

    @classmethod
    def of(cls, labels: Sequence[tuple[int, ...]]) -> Trie:
        """The trie of ``labels`` read from their first symbol on."""
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

    @property
    def widths(self) -> tuple[int, ...]:
        """Sizes of the vectors of narrow and of all other slots (ascending, no repeats)."""
        states, symbols = self.emit.shape[1], self.emit.shape[3]
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
        reader = WindowReader(
            semiring,
            self,
            semiring.lift(self.initial.reshape(flat)),
            semiring.lift(self.final.reshape(flat)),
            semiring.lift(self.emit),
            per_level(self.prefixes),
            per_level(self.suffixes),
        )
        return reader.close(edits)


class WindowReader(NamedTuple):
    """``WindowAutomata`` lifted into a semiring; vectors are ``[..., states * symbols]``.

    ``initial`` and ``final`` are ``[slots, states * symbols]``; the edits of a trie level are
    ``[nodes, pending]``: the row of the symbol that the node reads.
    """

    semiring: Semiring
    automata: WindowAutomata
    initial: Value
    final: Value
    emit: Value
    prefix_edits: tuple[Edits, ...]
    suffix_edits: tuple[Edits, ...]

    def columns(self, slots: jax.Array, vectors: Value) -> Value:
        """``M(label) v`` for the label of every node of the trie ``suffixes``.

        Args:
            slots: ``[lanes]`` the slot of each vector.
            vectors: ``[lanes, width]`` column vectors, ``width`` one of ``automata.widths``.

        Returns:
            ``[nodes, lanes, width]``.
        """
        return self._read(slots, vectors, self.automata.suffixes, self.suffix_edits, self._before)

    def rows(self, slots: jax.Array, vectors: Value) -> Value:
        """``v M(label)`` for every node of the trie ``prefixes``; shapes as in ``columns``."""
        return self._read(slots, vectors, self.automata.prefixes, self.prefix_edits, self._after)

    def close(self, edits: Edits) -> WindowReader:
        """Let the closing symbol be read before the end of every closed slot."""
        closing = self.automata.closing
        slots, states, symbols = self.automata.final.shape
        final = jax.tree.map(lambda x: x.reshape(1, slots, states, symbols), self.final)
        last = Edits(
            *(jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1)[closing], edit) for edit in edits)
        )
        read = jax.tree.map(
            lambda x: x.reshape(slots, -1), self._before(self.emit, final, closing, last)
        )
        closed = self.automata.closed[:, None]
        return self._replace(final=self.semiring.where(closed, read, self.final))

    def _read(
        self, slots: jax.Array, vectors: Value, trie: Trie, edits: tuple[Edits, ...], step: Any
    ) -> Value:
        symbols = self.automata.emit.shape[3]
        lanes, width = jax.tree.leaves(vectors)[0].shape
        states = width // symbols
        emit = jax.tree.map(lambda x: x[slots, :states, :states], self.emit)
        level = jax.tree.map(lambda x: x.reshape(1, lanes, states, symbols), vectors)
        levels = [level]
        for depth, (nodes, edit) in enumerate(zip(trie.levels, edits, strict=True)):
            if depth:
                level = jax.tree.map(lambda x, p=nodes.parent: x[p], level)
            level = step(emit, level, nodes.symbol, edit)
            levels.append(level)
        joined = self.semiring.concatenate(levels, axis=0)
        return jax.tree.map(lambda x: x.reshape(-1, lanes, width), joined)

    def _before(self, emit: Value, vectors: Value, symbol: np.ndarray, edits: Edits) -> Value:
        """``M(b) v``: vectors ``[nodes or 1, lanes, states, symbols]``, symbol ``[nodes]``."""
        s = self.semiring
        spread = _across(edits)
        pending = _entry(vectors, self._is(symbol))
        result = s.plus(
            s.times(spread.absorb_left, _expand(pending)), s.times(spread.absorb_right, vectors)
        )
        if self._is_narrow(emit):
            return result
        arriving = jax.tree.map(lambda x: x[:, :, None, :, None], pending)
        kept = s.sum(s.times(jax.tree.map(lambda x: x[None], emit), arriving), 3)
        vectors = jax.tree.map(lambda x: x[:, :, None], vectors)
        moved = s.sum(s.times(_expand(_arcs(emit, symbol)), vectors), 3)
        return s.plus(result, s.plus(s.times(spread.keep, kept), s.times(spread.transpose, moved)))

    def _after(self, emit: Value, vectors: Value, symbol: np.ndarray, edits: Edits) -> Value:
        """``v M(b)``: shapes as in ``_before``."""
        s = self.semiring
        spread = _across(edits)
        to_symbol = s.sum(s.times(vectors, spread.absorb_left), 3)
        stays = s.times(vectors, spread.absorb_right)
        if not self._is_narrow(emit):
            leaving = jax.tree.map(lambda x: x[:, :, :, None], vectors)
            written = s.sum(s.times(leaving, jax.tree.map(lambda x: x[None], emit)), 2)
            to_symbol = s.plus(to_symbol, s.sum(s.times(written, spread.keep), 3))
            moved = s.sum(s.times(leaving, _expand(_arcs(emit, symbol))), 2)
            stays = s.plus(stays, s.times(moved, spread.transpose))
        return s.plus(stays, s.where(self._is(symbol), _expand(to_symbol), s.zeros((1, 1, 1, 1))))

    def _is(self, symbol: np.ndarray) -> np.ndarray:
        """``[nodes, 1, 1, symbols]`` whether a state's pending symbol is the one that is read."""
        return (symbol[:, None] == np.arange(self.automata.emit.shape[3]))[:, None, None, :]

    def _is_narrow(self, emit: Value) -> bool:
        return jax.tree.leaves(emit)[0].shape[1] == 1


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


def _arcs(emit: Value, symbol: np.ndarray) -> Value:
    """The acceptor's matrix of each node's symbol: ``[nodes, lanes, states, states]``."""
    return jax.tree.map(lambda x: jnp.moveaxis(x[..., symbol], -1, 0), emit)
