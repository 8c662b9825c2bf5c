"""Minimisation of deterministic machines: weights are pushed, then states are merged.

Pushed weights are part of labels, and the partition of states is refined by the labels of their
arcs (Hopcroft 1971; for machines without an arc of every label, Valmari and Lehtinen 2008).

Source: Mohri (2009), Weighted automata algorithms, section 7.2.
"""

from __future__ import annotations

import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.determinisation import (
    DELTA,
    check_concrete,
    check_delta,
)
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.pushing import check_division, push
from semipunct.structures.sparse_automata.topology import Topology
from semipunct.structures.sparse_automata.values import keys, take
from semirings.base import Semiring


def minimise(
    semiring: Semiring, machine: SparseTransducer, *, delta: float = DELTA
) -> SparseTransducer:
    """Return the equivalent deterministic machine with the fewest states.

    Its weights are pushed to the start. As in ``determinise``, a label is a pair of input and
    output, and epsilon is a label like others.

    Args:
        semiring: the semiring of the values.
        machine: values, not traced by JAX; with one start at most, and one arc of each label from a
            state.
        delta: the difference of log weights up to which weights are equal.

    Raises:
        TypeError: as ``push``.
        UsageError: if the machine is not deterministic, the weights of a cycle add up to infinity,
            the weights are traced, or ``delta`` is not positive.
    """
    s = semiring
    check_division(s, "minimise")
    check_concrete(machine, "minimise")
    check_delta(delta)
    machine = push(s, machine)
    t = machine.topology
    check_deterministic(t)
    if not t.states:
        return machine
    columns = np.stack([t.inputs, t.outputs], -1).astype(np.int64)
    labels = _numbered(np.concatenate([columns, keys(s, machine.weights, delta)], 1))
    endings = np.zeros(t.states, np.int64)
    endings[t.finals] = 1 + _numbered(keys(s, machine.final_weights, delta))
    blocks = np.array(_refined(t, labels.tolist(), endings.tolist()))
    # One state of each block stands for all of it.
    _, chosen = np.unique(blocks, return_index=True)
    stands = np.zeros(t.states, bool)
    stands[chosen] = True
    arcs = np.flatnonzero(stands[t.sources])
    finals = np.flatnonzero(stands[t.finals])
    topology = Topology(
        len(chosen),
        *(
            x.astype(np.int32)
            for x in (
                blocks[t.sources[arcs]],
                t.inputs[arcs],
                t.outputs[arcs],
                blocks[t.targets[arcs]],
                blocks[t.starts],
                blocks[t.finals[finals]],
            )
        ),
    )
    return SparseTransducer(
        topology,
        take(machine.weights, arcs),
        machine.start_weights,
        take(machine.final_weights, finals),
    )


def check_deterministic(topology: Topology) -> None:
    """Check that there is at most one start, and one arc of each label from a state.

    Args:
        topology: any.

    Raises:
        UsageError: if there are more, naming the first state.
    """
    t = topology
    if len(t.starts) > 1:
        raise UsageError(f"the machine has {len(t.starts)} starts; determinise it first")
    order = np.lexsort((t.outputs, t.inputs, t.sources))
    ordered = [x[order] for x in (t.sources, t.inputs, t.outputs)]
    equal = np.flatnonzero(np.all([x[1:] == x[:-1] for x in ordered], 0))
    if equal.size:
        source, read, written = (int(x[equal[0]]) for x in ordered)
        raise UsageError(
            f"state {source} has two arcs that read {read} and write {written}; determinise the "
            "machine first"
        )


def _numbered(rows: np.ndarray) -> np.ndarray:
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


class _Partition:
    """A partition of items that is refined by marking items and splitting what is marked."""

    def __init__(self, classes: list[int]) -> None:
        """Begin with the classes of items."""
        self.items = sorted(range(len(classes)), key=classes.__getitem__)
        self.place = [0] * len(classes)
        self.block = [0] * len(classes)
        self.first: list[int] = []
        self.past: list[int] = []
        for place, item in enumerate(self.items):
            self.place[item] = place
            if not place or classes[item] != classes[self.items[place - 1]]:
                self.first.append(place)
                self.past.append(place)
            self.past[-1] = place + 1
            self.block[item] = len(self.first) - 1
        self.marks = [0] * len(self.first)
        self.touched: list[int] = []

    def members(self, block: int) -> list[int]:
        """Return the items of a block."""
        return self.items[self.first[block] : self.past[block]]

    def mark(self, item: int) -> None:
        """Mark an item, which is moved to the front of its block."""
        block, place = self.block[item], self.place[item]
        front = self.first[block] + self.marks[block]
        if place < front:
            return
        other = self.items[front]
        self.items[place], self.items[front] = other, item
        self.place[other], self.place[item] = place, front
        if not self.marks[block]:
            self.touched.append(block)
        self.marks[block] += 1

    def split(self) -> None:
        """Divide blocks into what is marked and what is not; the smaller part is a new block."""
        for block in self.touched:
            front = self.first[block] + self.marks[block]
            self.marks[block] = 0
            if front == self.past[block]:
                continue
            new = len(self.first)
            if front - self.first[block] <= self.past[block] - front:
                self.first.append(self.first[block])
                self.past.append(front)
                self.first[block] = front
            else:
                self.first.append(front)
                self.past.append(self.past[block])
                self.past[block] = front
            self.marks.append(0)
            for item in self.members(new):
                self.block[item] = new
        self.touched.clear()


def _refined(t: Topology, labels: list[int], endings: list[int]) -> list[int]:
    """Return the block of each state in the coarsest partition that labels do not divide."""
    states, arcs = _Partition(endings), _Partition(labels)
    sources = t.sources.tolist()
    order, offsets = (x.tolist() for x in t.entering)
    # Each block of arcs divides blocks of states by what leaves them, and each new block of states
    # blocks of arcs by where they lead. The first block of states needs no turn: what leads there
    # is what leads to no other.
    used, settled = 0, 1
    while used < len(arcs.first):
        for arc in arcs.members(used):
            states.mark(sources[arc])
        states.split()
        used += 1
        while settled < len(states.first):
            for state in states.members(settled):
                for arc in order[offsets[state] : offsets[state + 1]]:
                    arcs.mark(arc)
            arcs.split()
            settled += 1
    return states.block
