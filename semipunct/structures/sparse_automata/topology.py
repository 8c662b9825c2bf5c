"""The topology of a sparse machine: its arcs and its states without their weights, on the host.

Algorithms that walk through a machine need concrete states and labels, not traced ones. So these
are NumPy arrays, and constant to JAX: a topology is hashable, and a machine a pytree of its weights
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int32]


class Adjacency(NamedTuple):
    """The arcs out of each state (or into it): ``order[offsets[s] : offsets[s + 1]]``."""

    order: npt.NDArray[np.intp]
    offsets: npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Topology:
    """States, arcs and labels.

    Attributes:
        states: the number of states.
        sources, inputs, outputs, targets: ``[arcs]`` the ends and labels of arcs; 0 is epsilon.
        starts: ``[starts]`` the states where paths may begin, each once.
        finals: ``[finals]`` the states where they may end, each once.
    """

    states: int
    sources: Integers
    inputs: Integers
    outputs: Integers
    targets: Integers
    starts: Integers
    finals: Integers

    @classmethod
    def of(
        cls,
        states: int,
        arcs: Iterable[npt.NDArray[np.integer]],
        starts: npt.NDArray[np.integer],
        finals: npt.NDArray[np.integer],
    ) -> Topology:
        """Make a topology of integers of any width.

        Args:
            states: the number of states.
            arcs: sources, inputs, outputs and targets.
            starts: ``[starts]``.
            finals: ``[finals]``.
        """
        sources, inputs, outputs, targets, starts, finals = (
            np.asarray(x).astype(np.int32) for x in (*arcs, starts, finals)
        )
        return cls(states, sources, inputs, outputs, targets, starts, finals)

    @cached_property
    def _contents(self) -> tuple[int | bytes, ...]:
        arrays = (getattr(self, field.name) for field in fields(self)[1:])
        return self.states, *(array.tobytes() for array in arrays)

    def __hash__(self) -> int:
        return hash(self._contents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Topology) and self._contents == other._contents

    @property
    def arcs(self) -> int:
        """The number of arcs."""
        return len(self.sources)

    @cached_property
    def leaving(self) -> Adjacency:
        """The arcs out of each state."""
        return adjacency(self.sources, self.states)

    @cached_property
    def entering(self) -> Adjacency:
        """The arcs into each state."""
        return adjacency(self.targets, self.states)

    @property
    def is_acceptor(self) -> bool:
        """True if every arc writes what it reads."""
        return bool(np.array_equal(self.inputs, self.outputs))


def adjacency(ends: npt.NDArray[np.integer], states: int) -> Adjacency:
    """Group arcs by one of their ends.

    Args:
        ends: ``[arcs]`` states.
        states: the number of states.
    """
    counts = np.bincount(ends, minlength=states)
    return Adjacency(np.argsort(ends, kind="stable"), np.concatenate([[0], np.cumsum(counts)]))


def expand(table: Adjacency, states: npt.NDArray[np.integer]) -> tuple[np.ndarray, np.ndarray]:
    """List the arcs of some states.

    Args:
        table: the arcs of each state.
        states: ``[n]``.

    Returns:
        For each arc the index of its state in ``states``, ascending, and the arc.
    """
    first, past = table.offsets[states], table.offsets[np.asarray(states) + 1]
    return ranges(first, past - first, table.order)


def ranges(
    first: np.ndarray, counts: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """List the entries of ranges of an array.

    Args:
        first: ``[n]`` where each range begins.
        counts: ``[n]`` how many entries it has.
        order: the array.

    Returns:
        For each entry the index of its range, ascending, and the entry.
    """
    owner = np.repeat(np.arange(len(first)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owner, order[first[owner] + within]


def reachable(
    sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer], states: int,
    begin: Iterable[int],
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """Return ``[states]`` which states paths lead to.

    Args:
        sources: ``[arcs]``.
        targets: ``[arcs]``.
        states: the number of states.
        begin: where the paths begin.
    """
    order, offsets = adjacency(sources, states)
    ends, bounds = targets[order].tolist(), offsets.tolist()
    reached = [False] * states
    waiting = list(begin)
    for state in waiting:
        reached[state] = True
    while waiting:
        state = waiting.pop()
        for end in ends[bounds[state] : bounds[state + 1]]:
            if not reached[end]:
                reached[end] = True
                waiting.append(end)
    return np.array(reached, bool)


class Components(NamedTuple):
    """The strongly connected components of a graph.

    Attributes:
        component: ``[states]`` the component of each state.
        levels: ``[states]`` the length of the longest chain of components that leads to that of
            each state; arcs lead to higher levels, or stay within a component.
        is_cyclic: ``[states]`` whether the component of each has a cycle.
        finished: ``[states]`` the order in which a depth-first search leaves states; where an arc
            leads to a state that is left later, or to its own source, it closes a cycle.
    """

    component: npt.NDArray[np.intp]
    levels: npt.NDArray[np.intp]
    is_cyclic: npt.NDArray[np.bool_]
    finished: npt.NDArray[np.intp]


def components(
    sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer], states: int
) -> Components:
    """Return the strongly connected components of a graph, in linear time.

    Args:
        sources: ``[arcs]``.
        targets: ``[arcs]``.
        states: the number of states.

    Source: Tarjan (1972), Depth-first search and linear graph algorithms.
    """
    order, offsets = adjacency(sources, states)
    ends, bounds = targets[order].tolist(), offsets.tolist()
    component, finished = _tarjan(ends, bounds, states)
    # Tarjan finds a component after all that it leads to, so sources have the highest numbers.
    by_component = sorted(range(states), key=component.__getitem__, reverse=True)
    levels = [0] * (max(component, default=-1) + 1)
    is_cyclic = [False] * len(levels)
    for state in by_component:
        own = component[state]
        after = levels[own] + 1
        for end in ends[bounds[state] : bounds[state + 1]]:
            other = component[end]
            if other == own:
                is_cyclic[own] = True
            elif levels[other] < after:
                levels[other] = after
    index = np.array(component, np.intp)
    return Components(
        index,
        np.array(levels, np.intp)[index],
        np.array(is_cyclic, bool)[index],
        np.array(finished, np.intp),
    )


def forward_levels(
    sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer], partition: Components
) -> npt.NDArray[np.intp]:
    """Return ``[arcs]`` levels in whose order arcs may be walked, those that close cycles last.

    Args:
        sources: ``[arcs]``.
        targets: ``[arcs]``.
        partition: the components of the graph.
    """
    finished = partition.finished
    closes = finished[targets] >= finished[sources]
    order, offsets = adjacency(sources, len(finished))
    ends, bounds, skipped = targets[order].tolist(), offsets.tolist(), closes[order].tolist()
    levels = [0] * len(finished)
    for state in np.argsort(-finished, kind="stable").tolist():
        after = levels[state] + 1
        for place in range(bounds[state], bounds[state + 1]):
            if not skipped[place] and levels[ends[place]] < after:
                levels[ends[place]] = after
    level = np.array(levels, np.intp)[targets]
    return np.where(closes, level.max(initial=0) + 1, level)


def _tarjan(ends: Sequence[int], bounds: Sequence[int], states: int) -> tuple[list[int], list[int]]:
    """Return the component of each state, and the order in which states are left.

    No component leads to one with a higher number.
    """
    number, low, component = [-1] * states, [0] * states, [-1] * states
    place = list(bounds[:states])
    pending: list[int] = []
    finished = [-1] * states
    counter = components = left = 0
    for root in range(states):
        if number[root] >= 0:
            continue
        calls = [root]
        while calls:
            state = calls[-1]
            if number[state] < 0:
                number[state] = low[state] = counter
                counter += 1
                pending.append(state)
            while place[state] < bounds[state + 1]:
                end = ends[place[state]]
                if number[end] < 0:
                    calls.append(end)
                    break
                if component[end] < 0:
                    low[state] = min(low[state], low[end])
                place[state] += 1
            else:
                calls.pop()
                finished[state] = left
                left += 1
                if low[state] == number[state]:
                    while True:
                        member = pending.pop()
                        component[member] = components
                        if member == state:
                            break
                    components += 1
    return component, finished


def cycle_through(topology: Topology, partition: Components) -> list[int]:
    """Return the states of a cycle, of which each leads to the next and the last to the first.

    Args:
        topology: a machine with a cycle.
        partition: its components.
    """
    own = partition.component
    inner = own[topology.sources] == own[topology.targets]
    after = dict(
        zip(topology.sources[inner].tolist(), topology.targets[inner].tolist(), strict=True)
    )
    path: dict[int, int] = {}
    state = next(iter(after))
    while state not in path:
        path[state] = len(path)
        state = after[state]
    return list(path)[path[state] :]
