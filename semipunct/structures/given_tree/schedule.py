"""List scheduling of absorptions on the host.

Absorptions (``order``) are packed into steps, the iterations of a compiled scan, of a fixed number
of parallel *lanes*, grouped by vector width. List scheduling (Graham 1969) runs those with the
longest chains of successors first (Hu 1961), which keeps steps few (docs/decisions/recursions.md).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

import jax
import numpy as np
import numpy.typing as npt

from semipunct.structures.given_tree.order import Absorptions, Ints

Indices = jax.Array | Ints

# The automaton of empty slots.
EMPTY = 0


class Lanes(NamedTuple):
    """Absorptions by step and lane, ``[steps, lanes]``; see ``Absorptions``.

    Slots are automata, sources are rows of the store, and ``sentence`` is the number of sentences
    for idle lanes.

    Attributes:
        closes: whether the slot at the outer edge is empty.
    """

    kid: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    at_left: Ints
    at_right: Ints
    meeting: Ints
    closes: npt.NDArray[np.bool_]
    sentence: Ints


class Schedule(NamedTuple):
    """The packed absorptions of a batch.

    ``inside`` stores vectors in one array: final vectors of the automata in rows ``[0, slots)``,
    initial vectors up to ``2 * slots``, then results of lanes by group and step. Rows are written
    once.

    Attributes:
        lanes: by vector width, ascending.
        sentence_of_word: ``[words]``; padding belongs to the last sentence.
        is_untouched: ``[words]`` true for nodes between two empty slots.
        last: ``[sentences]`` row of the last vector.
        last_slot: ``[sentences]`` automaton of the last slot.
        factors: ``[sentences, factors]`` indices into the factors of all lanes, then of all words,
            then a one for padding.
    """

    lanes: tuple[Lanes, ...]
    sentence_of_word: Ints
    is_word: npt.NDArray[np.bool_]
    is_untouched: npt.NDArray[np.bool_]
    last: Ints
    last_slot: Ints
    factors: Ints


@dataclass(frozen=True, slots=True)
class Capacity:
    """The padded sizes of a batch, which determine all compiled shapes.

    ``slots`` counts different automata, ``factors`` is per sentence.
    """

    sentences: int
    words: int
    slots: int
    steps: int
    lanes: tuple[int, ...]
    factors: int

    def results(self, placement: Placement, sentence: int) -> Ints:
        """Number the results of a sentence's absorptions by group, then step, then lane."""
        group = placement.group[sentence]
        offset = np.cumsum([0, *(self.steps * size for size in self.lanes)])[group]
        row = placement.step[sentence] * np.array(self.lanes)[group] + placement.lane[sentence]
        return offset + row


@dataclass(frozen=True, slots=True)
class Placement:
    """The step, width group and lane of each absorption, ``[absorptions]`` for each sentence."""

    steps: int
    step: Sequence[Ints]
    group: Sequence[Ints]
    lane: Sequence[Ints]


def place(batch: Sequence[Absorptions], groups: Sequence[Ints], lanes: Sequence[int]) -> Placement:
    """Schedule the absorptions of a batch, longest remaining chain first.

    Args:
        groups: for each sentence, the width group of each absorption.
        lanes: the size of each group.
    """
    # Absorptions are numbered consecutively across the batch.
    ends = np.cumsum([len(a.kid) for a in batch]).tolist()
    group: list[int] = [g for each in groups for g in each.tolist()]
    height: list[int] = [h for a in batch for h in a.height.tolist()]
    step, lane = [0] * len(group), [0] * len(group)
    # Idle lanes are computed, too, so the cost is the number of steps. Absorptions of a sentence
    # are unit tasks with at most one successor, an in-forest, for which longest chain first is
    # optimal with one group of lanes (Hu 1961). Otherwise it is a heuristic within a bound: in each
    # step a group is full or all remaining chains get shorter, so the number of steps is at most
    # the longest chain plus, for each group, its tasks divided by its lanes.
    graph = _graph(batch, ends)
    queues: list[list[tuple[int, int]]] = [[] for _ in lanes]
    time = 0
    while graph.is_active():
        # Predecessors must have run in earlier steps: lanes cannot read each other's results.
        # Ties go to the smaller number, which makes the schedule deterministic.
        for i in graph.get_ready():
            heapq.heappush(queues[group[i]], (-height[i], i))
        for queue, size in zip(queues, lanes, strict=True):
            for number in range(min(size, len(queue))):
                _, i = heapq.heappop(queue)
                step[i], lane[i] = time, number
                graph.done(i)
        time += 1

    def by_sentence(values: list[int]) -> list[Ints]:
        return np.split(np.array(values, np.int32), ends[:-1])

    return Placement(time, by_sentence(step), list(groups), by_sentence(lane))


def _graph(batch: Sequence[Absorptions], ends: Sequence[int]) -> TopologicalSorter[int]:
    graph: TopologicalSorter[int] = TopologicalSorter()
    for each, end in zip(batch, ends, strict=True):
        first = end - len(each.kid)
        for i, read in enumerate(each.sources.tolist(), first):
            graph.add(i, *(first + j for j in read if j >= 0))
    graph.prepare()
    return graph


def pack(
    batch: Sequence[Absorptions],
    automata: Sequence[Ints],
    placement: Placement,
    capacity: Capacity,
) -> Schedule:
    """Pack the absorptions of a batch into padded arrays.

    Args:
        automata: for each sentence, ``[n + 1]`` the automaton of each slot.

    Raises:
        ValueError: if the batch exceeds the capacity.
    """
    c = capacity
    words = sum(a.words for a in batch)
    if len(batch) > c.sentences or words > c.words or placement.steps > c.steps:
        raise ValueError(f"{len(batch)} sentences, {words} words, {placement.steps} steps > {c}")
    absorptions_in_all = c.steps * sum(c.lanes)
    lanes = tuple(_idle(c.steps, size, c.sentences) for size in c.lanes)
    schedule = Schedule(
        lanes=lanes,
        sentence_of_word=np.full(c.words, max(0, c.sentences - 1), np.int32),
        is_word=np.arange(c.words) < words,
        is_untouched=np.zeros(c.words, bool),
        # A padding sentence starts and ends in the empty slot and has weight one.
        last=np.full(c.sentences, c.slots + EMPTY, np.int32),
        last_slot=np.full(c.sentences, EMPTY, np.int32),
        factors=np.full((c.sentences, c.factors), absorptions_in_all + c.words, np.int32),
    )
    first = 0
    for b, (each, slots) in enumerate(zip(batch, automata, strict=True)):
        group, step, lane = placement.group[b], placement.step[b], placement.lane[b]
        row = c.results(placement, b)
        columns, schedule.last[b] = _columns(each, slots, 2 * c.slots + row, c.slots)
        columns = columns._replace(kid=first + each.kid, sentence=np.full(len(row), b))
        for g, table in enumerate(lanes):
            in_group = group == g
            for entries, column in zip(table, columns, strict=True):
                entries[step[in_group], lane[in_group]] = column[in_group]
        schedule.last_slot[b] = slots[-1]
        schedule.sentence_of_word[first : first + each.words] = b
        schedule.is_untouched[first : first + each.words] = each.untouched
        # Factors come from untouched nodes and from lanes whose outer slot is empty. Multiplying
        # them at the end keeps them out of the chain of absorptions.
        numbers = np.concatenate(
            [absorptions_in_all + first + np.flatnonzero(each.untouched), row[columns.closes]]
        )
        if len(numbers) > c.factors:
            raise ValueError(f"{len(numbers)} factors > {c.factors}")
        schedule.factors[b, : len(numbers)] = numbers
        first += each.words
    return schedule


def _columns(
    each: Absorptions, slots: Ints, rows: npt.NDArray[np.integer[Any]], automata: int
) -> tuple[Lanes, int]:
    """Return ``Lanes`` of one sentence, ``[absorptions]``, and the row of its last vector."""
    ends, begins = slots, automata + slots
    # Punctemes at a slot are multiplied from the inside out, starting from the automaton's vector.
    # A source of -1 reads the extra last entry, which ``read`` replaces.
    row = np.append(rows, 0)

    def read(source: Ints, otherwise: Ints) -> npt.NDArray[np.int64]:
        return np.where(source < 0, otherwise, row[source])

    left_slot, right_slot = slots[each.left_slot], slots[each.right_slot]
    # Left of a node, vectors are columns and start as final vectors of automata; right of it, they
    # are rows and start as initial vectors.
    at_left, at_right, meeting = each.sources.T
    running = np.where(each.from_left, ends[each.right_slot], begins[each.left_slot])
    columns = Lanes(
        kid=each.kid,
        from_left=each.from_left,
        left_slot=left_slot,
        right_slot=right_slot,
        at_left=read(at_left, ends[each.left_slot]).astype(np.int32),
        at_right=read(at_right, begins[each.right_slot]).astype(np.int32),
        meeting=read(meeting, running).astype(np.int32),
        closes=np.where(each.from_left, left_slot, right_slot) == EMPTY,
        sentence=np.zeros(len(rows), np.int32),
    )
    # The root is absorbed into the initial vector of the first slot. If the result is a number, the
    # last slot is empty, and its initial vector is one.
    return columns, int(begins[-1] if each.last < 0 else row[each.last])


def _idle(steps: int, lanes: int, sentences: int) -> Lanes:
    """Return idle lanes, which absorb node 0 between empty slots."""
    kinds = {"from_left": bool, "closes": bool}
    zeros = (np.zeros((steps, lanes), kinds.get(name, np.int32)) for name in Lanes._fields)
    return Lanes(*zeros)._replace(sentence=np.full((steps, lanes), sentences, np.int32))
