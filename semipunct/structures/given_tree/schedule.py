"""The schedule of ``inside``: list scheduling, on the host, of the absorption of constituents.

The absorptions of a batch (``order``) are packed into steps of a fixed number of *lanes*: a step
is one iteration of a compiled scan, a lane one of the absorptions that it does side by side. Lanes
come in groups, one for each width of vectors, so that the many absorptions at slots with short
vectors do not pay for the few with long ones. Of what may be done next, list scheduling (Graham
1969) takes first what has the longest chain of successors (Hu 1961): few lanes idle, and few steps
are needed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import NamedTuple

import jax
import numpy as np
import numpy.typing as npt

from semipunct.structures.given_tree.order import Absorptions, Ints

Indices = jax.Array | Ints
"""Indices in an array of the host, or traced."""

EMPTY = 0
"""The automaton of an empty slot."""


class Lanes(NamedTuple):
    """Absorptions by step and lane, all ``[steps, lanes]``.

    Attributes:
        kid: the absorbed node.
        from_left: whether it is on its parent's left.
        left_slot: automaton at its left edge.
        right_slot: automaton at its right edge.
        at_left: row of the store with its own vector at the left edge.
        at_right: row of the store with its own vector at the right edge.
        meeting: row of the store with its parent's vector.
        closes: whether the slot at its outer edge is empty.
        sentence: the sentence, or the number of sentences for an idle lane.
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

    The *store* of ``inside`` is one array of vectors, with three sections of rows. No row is
    written twice, and none is read before it is written:

    | Rows                    | Hold                                                           |
    | ----------------------- | -------------------------------------------------------------- |
    | ``[0, slots)``          | what each automaton ends with                                  |
    | ``[slots, 2 * slots)``  | what each automaton begins with                                |
    | from ``2 * slots`` on   | the result of every lane, group by group and step by step      |

    Attributes:
        lanes: one ``Lanes`` for each vector width, ascending.
        sentence_of_word: ``[words]``; padding belongs to the last sentence.
        is_word: ``[words]`` whether a row is a word, not padding.
        is_untouched: ``[words]`` nodes between two empty slots (no padding).
        last: ``[sentences]`` row of each sentence's last vector.
        last_slot: ``[sentences]`` automaton at the sentence's end.
        factors: ``[sentences, factors]`` the numbers that are multiplied up: indices into those
            of all lanes (as in the store), then of all words, then a one, which is padding.
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
    """The padded sizes of a batch: everything that decides a compiled shape.

    Attributes:
        sentences: most sentences.
        words: most words of all sentences together.
        slots: most different automata, that of the empty slot included.
        steps: steps of the scan.
        lanes: lanes of each width.
        factors: most numbers multiplied up in a sentence.
    """

    sentences: int
    words: int
    slots: int
    steps: int
    lanes: tuple[int, ...]
    factors: int


@dataclass(frozen=True, slots=True)
class Placement:
    """The step, group and lane of every absorption of a batch; see ``place``.

    Attributes:
        steps: how many steps there are.
        step: for each sentence ``[absorptions]``.
        group: for each sentence ``[absorptions]`` which width of vectors.
        lane: for each sentence ``[absorptions]`` within the group.
    """

    steps: int
    step: Sequence[Ints]
    group: Sequence[Ints]
    lane: Sequence[Ints]


def place(batch: Sequence[Absorptions], groups: Sequence[Ints], lanes: Sequence[int]) -> Placement:
    """Schedule the absorptions of all sentences, those with the longest remaining chain first.

    Args:
        batch: one per sentence.
        groups: for each sentence ``[absorptions]`` the width group of each absorption.
        lanes: the number of lanes of each group.
    """
    # Absorptions are numbered through the batch.
    ends = np.cumsum([len(a.kid) for a in batch]).tolist()
    group: list[int] = [g for each in groups for g in each.tolist()]
    height: list[int] = [h for a in batch for h in a.height.tolist()]
    step, lane = [0] * len(group), [0] * len(group)
    graph = _graph(batch, ends)
    queues: list[list[tuple[int, int]]] = [[] for _ in lanes]
    time = 0
    while graph.is_active():
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
    """Return what waits for what in a batch, ready to be asked."""
    graph: TopologicalSorter[int] = TopologicalSorter()
    for each, end in zip(batch, ends, strict=True):
        first = end - len(each.kid)
        for i, following in enumerate(each.successor.tolist(), first):
            graph.add(i)
            for j in following:
                if j >= 0:
                    graph.add(first + j, i)
    graph.prepare()
    return graph


def pack(
    batch: Sequence[Absorptions],
    automata: Sequence[Ints],
    placement: Placement,
    capacity: Capacity,
) -> Schedule:
    """Lay the absorptions of a batch out in padded arrays.

    Args:
        batch: one per sentence, no more than ``capacity.sentences``.
        automata: for each sentence ``[n + 1]`` the automaton of each slot, 0 for an empty one.
        placement: from ``place`` with ``capacity.lanes``.
        capacity: padded sizes.

    Raises:
        ValueError: if the batch exceeds the capacity.
    """
    c = capacity
    words = sum(a.words for a in batch)
    if len(batch) > c.sentences or words > c.words or placement.steps > c.steps:
        raise ValueError(f"{len(batch)} sentences, {words} words, {placement.steps} steps > {c}")
    # Numbers of the results of all lanes: those of a group begin at its offset.
    offset = np.cumsum([0, *(c.steps * size for size in c.lanes)])
    results = int(offset[-1])
    lanes = tuple(_idle(c.steps, size, c.sentences) for size in c.lanes)
    schedule = Schedule(
        lanes=lanes,
        sentence_of_word=np.full(c.words, max(0, c.sentences - 1), np.int32),
        is_word=np.arange(c.words) < words,
        is_untouched=np.zeros(c.words, bool),
        # A sentence of padding begins and ends in the empty slot, and weighs one.
        last=np.full(c.sentences, c.slots + EMPTY, np.int32),
        last_slot=np.full(c.sentences, EMPTY, np.int32),
        factors=np.full((c.sentences, c.factors), results + c.words, np.int32),
    )
    first = 0
    for b, (each, slots) in enumerate(zip(batch, automata, strict=True)):
        group, step, lane = placement.group[b], placement.step[b], placement.lane[b]
        result = offset[group] + step * np.array(c.lanes)[group] + lane
        columns, schedule.last[b] = _columns(each, slots, 2 * c.slots + result, c.slots)
        columns = columns._replace(kid=first + each.kid, sentence=np.full(len(result), b))
        for g, table in enumerate(lanes):
            mine = group == g
            for entries, column in zip(table, columns, strict=True):
                entries[step[mine], lane[mine]] = column[mine]
        schedule.last_slot[b] = slots[-1]
        schedule.sentence_of_word[first : first + each.words] = b
        schedule.is_untouched[first : first + each.words] = each.untouched
        # Nodes that take no part in the recursion, and what lanes take out at empty slots.
        numbers = np.concatenate(
            [results + first + np.flatnonzero(each.untouched), result[columns.closes]]
        )
        if len(numbers) > c.factors:
            raise ValueError(f"{len(numbers)} factors > {c.factors}")
        schedule.factors[b, : len(numbers)] = numbers
        first += each.words
    return schedule


def _columns(
    each: Absorptions, slots: Ints, results: npt.NDArray[np.int64], automata: int
) -> tuple[Lanes, int]:
    """Find automata and rows of the store for the absorptions of one sentence.

    Args:
        each: the absorptions.
        slots: ``[n + 1]`` the automaton of each slot.
        results: ``[absorptions]`` the row that each absorption writes.
        automata: the number of automata.

    Returns:
        Columns ``[absorptions]`` of ``Lanes``, with nodes counted from 0 and sentence 0, and the
        row of the sentence's last vector.
    """
    ends, begins = slots, automata + slots
    # A source of -1 reads the additional entry here, and what it reads is replaced.
    row = np.append(results, 0)

    def read(source: Ints, otherwise: Ints) -> npt.NDArray[np.int64]:
        return np.where(source < 0, otherwise, row[source])

    left_slot, right_slot = slots[each.left_slot], slots[each.right_slot]
    # On the left of a node vectors are columns, and start as what the automaton ends with; on its
    # right they are rows, and start as what the automaton begins with.
    meeting = np.where(each.from_left, ends[each.right_slot], begins[each.left_slot])
    columns = Lanes(
        kid=each.kid,
        from_left=each.from_left,
        left_slot=left_slot,
        right_slot=right_slot,
        at_left=read(each.at_left, ends[each.left_slot]).astype(np.int32),
        at_right=read(each.at_right, begins[each.right_slot]).astype(np.int32),
        meeting=read(each.meeting, meeting).astype(np.int32),
        closes=np.where(each.from_left, left_slot, right_slot) == EMPTY,
        sentence=np.zeros(len(results), np.int32),
    )
    # The root is absorbed into what the first slot begins with. Where it leaves no vector, the
    # last slot is empty, and its automaton begins with a one.
    return columns, int(begins[-1] if each.last < 0 else row[each.last])


def _idle(steps: int, lanes: int, sentences: int) -> Lanes:
    """Return lanes that absorb node 0 between empty slots; nobody reads their results."""

    def full(value: int) -> Ints:
        return np.full((steps, lanes), value, np.int32)

    def no() -> npt.NDArray[np.bool_]:
        return np.zeros((steps, lanes), bool)

    return Lanes(
        kid=full(0),
        from_left=no(),
        left_slot=full(EMPTY),
        right_slot=full(EMPTY),
        at_left=full(0),
        at_right=full(0),
        meeting=full(0),
        closes=no(),
        sentence=full(sentences),
    )
