"""Composition of sparse transducers, of the states that paths reach.

Where the first writes epsilon or the second reads it, the same pair of paths could be walked in
several orders. The epsilon filter with three states allows one; its table is in
``semipunct.structures.automata.composition``.

Source: Mohri, Pereira and Riley (1996), Weighted automata in text and speech processing; Mohri
(2009), Weighted automata algorithms, section 5.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.machine import EPSILON, SparseTransducer, check_values
from semipunct.structures.sparse_automata.topology import (
    Adjacency,
    Topology,
    adjacency,
    expand,
    ranges,
)
from semipunct.structures.sparse_automata.values import concatenate, ones, product
from semirings.base import Semiring

ANY, SECOND_ALONE, FIRST_ALONE = range(3)
"""The states of the filter: anything may follow; or moves of one machine, until a letter."""


class Moves(NamedTuple):
    """Arcs of a composition.

    Attributes:
        sources: ``[n]`` the index of the state that each leaves among those that are explored.
        first, second: ``[n]`` the arc of each machine; its number of arcs if it does not move.
        filters: ``[n]`` the state of the filter behind each.
    """

    sources: np.ndarray
    first: np.ndarray
    second: np.ndarray
    filters: np.ndarray


def compose(
    semiring: Semiring, first: SparseTransducer, second: SparseTransducer
) -> SparseTransducer:
    """Return the composition of two transducers: the second reads the output of the first.

    The weight of a pair (x, z) is the sum over y of the weight of (x, y) in the first times the
    weight of (y, z) in the second. With automata it is their intersection. Only states and arcs
    that accepting paths use are made.

    Args:
        semiring: the semiring of the values.
        first: values.
        second: values.

    Raises:
        TypeError: if the semiring is not commutative, since the weights of the two alternate on a
            path.
        UsageError: if the weights are no values of the semiring.
    """
    s = semiring
    if not s.laws.commutative:
        raise TypeError(f"{s.name} is not commutative, so the weight of a composition is undefined")
    check_values(s, first)
    check_values(s, second)
    explorer = _Explorer(first.topology, second.topology)
    moves = explorer.run()
    states = np.array(explorer.states, np.int64).reshape(-1, 3)
    final_of_first, final_of_second = (
        _places(machine.finals, machine.states) for machine in (first, second)
    )
    ends = final_of_first[states[:, 0]], final_of_second[states[:, 1]]
    finals = np.flatnonzero((ends[0] >= 0) & (ends[1] >= 0))
    starts = explorer.starts
    a, b = first.topology, second.topology
    topology = Topology(
        len(states),
        moves.sources.astype(np.int32),
        np.append(a.inputs, np.int32(EPSILON))[moves.first],
        np.append(b.outputs, np.int32(EPSILON))[moves.second],
        explorer.targets.astype(np.int32),
        explorer.start_states.astype(np.int32),
        finals.astype(np.int32),
    )
    with_pause = (concatenate([m.weights, ones(s, 1, m.weights)]) for m in (first, second))
    composed = SparseTransducer(
        topology,
        product(s, *zip(with_pause, (moves.first, moves.second), strict=True)),
        product(s, *zip((first.start_weights, second.start_weights), starts, strict=True)),
        product(
            s,
            (first.final_weights, ends[0][finals]),
            (second.final_weights, ends[1][finals]),
        ),
    )
    return connect(s, composed)


class _Explorer:
    """Explores pairs of states, breadth first, all states of a depth at once."""

    def __init__(self, first: Topology, second: Topology) -> None:
        """Sort the arcs of the second by what they read."""
        self.first, self.second = first, second
        self.states: list[tuple[int, int, int]] = []
        self.numbers: dict[int, int] = {}
        starts = np.meshgrid(
            np.arange(len(first.starts)), np.arange(len(second.starts)), indexing="ij"
        )
        self.starts = tuple(x.ravel() for x in starts)
        self.start_states = self.targets = np.zeros(0, np.intp)
        silent = np.flatnonzero(second.inputs == EPSILON)
        self.silent = _only(adjacency(second.sources[silent], second.states), silent)
        self.letters = np.flatnonzero(second.inputs != EPSILON)
        keys = self._keys(second.sources[self.letters], second.inputs[self.letters])
        order = np.argsort(keys, kind="stable")
        self.letters, self.sorted_keys = self.letters[order], keys[order]

    def run(self) -> Moves:
        """Return all arcs, and number the states."""
        self.start_states = self._number(
            self.first.starts[self.starts[0]],
            self.second.starts[self.starts[1]],
            np.full(len(self.starts[0]), ANY),
        )
        done, parts, targets = 0, [_none()], [np.zeros(0, np.intp)]
        while done < len(self.states):
            new = np.array(self.states[done:], np.int64)
            moves = self._moves(*new.T)
            ends = (
                self._ends(self.first.targets, moves.first, new[moves.sources, 0]),
                self._ends(self.second.targets, moves.second, new[moves.sources, 1]),
            )
            parts.append(moves._replace(sources=moves.sources + done))
            done = len(self.states)
            targets.append(self._number(*ends, moves.filters))
        self.targets = np.concatenate(targets)
        return Moves(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _moves(self, first: np.ndarray, second: np.ndarray, filters: np.ndarray) -> Moves:
        """Return the arcs out of triples of states."""
        source, arc = expand(self.first.leaving, first)
        writes = self.first.outputs[arc]
        # Shared letters, after which anything may follow.
        keys = self._keys(second[source], writes)
        low, high = (np.searchsorted(self.sorted_keys, keys, side) for side in ("left", "right"))
        counts = np.where(writes == EPSILON, 0, high - low)
        owner, other = ranges(low, counts, self.letters)
        letters = Moves(source[owner], arc[owner], other, np.full(len(other), ANY))
        # Both silent at once.
        silent = (writes == EPSILON) & (filters[source] == ANY)
        owner, other = expand(self.silent, second[source[silent]])
        both = Moves(source[silent][owner], arc[silent][owner], other, np.full(len(other), ANY))
        alone = (writes == EPSILON) & (filters[source] != SECOND_ALONE)
        first_alone = Moves(
            source[alone], arc[alone], *self._constant(alone, self.second.arcs, FIRST_ALONE)
        )
        may = np.flatnonzero(filters != FIRST_ALONE)
        owner, other = expand(self.silent, second[may])
        second_alone = Moves(
            may[owner],
            np.full(len(other), self.first.arcs),
            other,
            np.full(len(other), SECOND_ALONE),
        )
        kinds = (letters, both, first_alone, second_alone)
        return Moves(*(np.concatenate(column) for column in zip(*kinds, strict=True)))

    @staticmethod
    def _constant(mask: np.ndarray, *values: int) -> tuple[np.ndarray, ...]:
        return tuple(np.full(int(mask.sum()), value) for value in values)

    @staticmethod
    def _ends(targets: np.ndarray, arcs: np.ndarray, stay: np.ndarray) -> np.ndarray:
        moves = arcs < len(targets)
        return np.where(moves, np.append(targets, 0)[arcs], stay).astype(np.int64)

    def _keys(self, states: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return states.astype(np.int64) << 32 | labels.astype(np.int64)

    def _number(self, first: np.ndarray, second: np.ndarray, filters: np.ndarray) -> np.ndarray:
        """Return the numbers of triples, new ones for those that are new."""
        keys = (first.astype(np.int64) * self.second.states + second) * 3 + filters
        unique, inverse = np.unique(keys, return_inverse=True)
        numbers = [self.numbers.setdefault(key, -1) for key in unique.tolist()]
        for place, (key, number) in enumerate(zip(unique.tolist(), numbers, strict=True)):
            if number < 0:
                pair, state_of_filter = divmod(key, 3)
                numbers[place] = self.numbers[key] = len(self.states)
                state, other = divmod(pair, self.second.states)
                self.states.append((state, other, state_of_filter))
        return np.array(numbers, np.intp)[inverse]


def _only(table: Adjacency, chosen: np.ndarray) -> Adjacency:
    """Return the arcs of states among some arcs."""
    return table._replace(order=chosen[table.order])


def _none() -> Moves:
    nothing = np.zeros(0, np.intp)
    return Moves(nothing, nothing, nothing, nothing)


def _places(chosen: np.ndarray, states: int) -> np.ndarray:
    """Return the index of each state in a list of states, -1 where it is not there."""
    places = np.full(states, -1)
    places[chosen] = np.arange(len(chosen))
    return places
