"""The schedule of ``inside``: list scheduling of absorptions of constituents, on the host.

The absorptions of a batch (``order``) are packed into steps of a fixed number of *lanes*: a step is
one iteration of a compiled scan, a lane one of its parallel absorptions. Each width of vectors has
a group of lanes. List scheduling (Graham 1969) prefers the absorptions with the longest chain of
successors (Hu 1961), which keeps idle lanes and steps few (docs/decisions/recursions.md).
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
"""Indices as a NumPy array or a traced array."""

EMPTY = 0
"""The automaton of an empty slot."""


class Lanes(NamedTuple):
    """Absorptions by step and lane, all ``[steps, lanes]``; see ``Absorptions``.

    Attributes:
        left_slot: index of the automaton at the left edge.
        right_slot: index of the automaton at the right edge.
        at_left: row of the store with the kid's vector at the left edge.
        at_right: row of the store with the kid's vector at the right edge.
        meeting: row of the store with its parent's vector.
        closes: whether the slot at the outer edge is empty.
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

    The *store* of ``inside`` is one array of vectors. No row is written twice, or read before it is
    written:

    | Rows                    | Hold                                                           |
    | ----------------------- | -------------------------------------------------------------- |
    | ``[0, slots)``          | final vectors of the automata                                  |
    | ``[slots, 2 * slots)``  | initial vectors of the automata                                |
    | from ``2 * slots`` on   | results of all lanes, by group and step                        |

    Attributes:
        lanes: one ``Lanes`` for each vector width, ascending.
        sentence_of_word: ``[words]``; padding is assigned to the last sentence.
        is_word: ``[words]`` whether a row is a word rather than padding.
        is_untouched: ``[words]`` nodes between two empty slots.
        last: ``[sentences]`` row of each sentence's last vector.
        last_slot: ``[sentences]`` automaton at the sentence's end.
        factors: ``[sentences, factors]`` indices of the numbers to multiply, in the concatenation
            of the numbers of all lanes, the numbers of all words, and a one for padding.
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

    Attributes:
        sentences: maximal number of sentences.
        words: maximal number of words in all sentences.
        slots: maximal number of different automata, the empty slot included.
        factors: maximal number of factors of a sentence.
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
        step: for each sentence ``[absorptions]``.
        group: for each sentence ``[absorptions]``, the index of the vector width.
        lane: for each sentence ``[absorptions]``, within the group.
    """

    steps: int
    step: Sequence[Ints]
    group: Sequence[Ints]
    lane: Sequence[Ints]


def place(batch: Sequence[Absorptions], groups: Sequence[Ints], lanes: Sequence[int]) -> Placement:
    """Schedule the absorptions of all sentences, longest remaining chain first.

    Args:
        batch: one per sentence.
        groups: for each sentence ``[absorptions]`` the width group of each absorption.
    """
    # Absorptions are numbered consecutively through the batch.
    ends = np.cumsum([len(a.kid) for a in batch]).tolist()
    group: list[int] = [g for each in groups for g in each.tolist()]
    height: list[int] = [h for a in batch for h in a.height.tolist()]
    step, lane = [0] * len(group), [0] * len(group)
    # Every step computes all of its lanes, idle or not, so that a schedule costs as much as it has
    # steps. Few steps need early starts of long chains.
    # An absorption has at most one successor, so the graph is a forest that leads to the roots, and
    # every task takes one step. With one group of lanes, the longest remaining chain first then
    # needs the fewest steps possible (Hu 1961). With several groups this is a heuristic, as all
    # rules that look at one step are. It is never far off: in each step a group is full, or every
    # task that is ready runs and all remaining chains become shorter. So there are at most as many
    # steps as in the longest chain plus, for each group, its tasks divided by its lanes.
    graph = _graph(batch, ends)
    queues: list[list[tuple[int, int]]] = [[] for _ in lanes]
    time = 0
    while graph.is_active():
        # Ready are those whose predecessors ran in earlier steps: lanes of one step cannot read
        # results of each other. Ties go to the smaller number, so a batch has one schedule.
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
    """Return the prepared dependency graph of a batch."""
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
    """Store the absorptions of a batch in padded arrays.

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
    # Indices of the results of all lanes; each group starts at its offset.
    offset = np.cumsum([0, *(c.steps * size for size in c.lanes)])
    absorptions_in_all = int(offset[-1])
    # Lanes that are not filled below stay idle: nobody reads their results, since the lanes of
    # a group are rows of the same arrays, which cannot branch one by one.
    lanes = tuple(_idle(c.steps, size, c.sentences) for size in c.lanes)
    schedule = Schedule(
        lanes=lanes,
        sentence_of_word=np.full(c.words, max(0, c.sentences - 1), np.int32),
        is_word=np.arange(c.words) < words,
        is_untouched=np.zeros(c.words, bool),
        # A padding sentence starts and ends in the empty slot, and has weight one.
        last=np.full(c.sentences, c.slots + EMPTY, np.int32),
        last_slot=np.full(c.sentences, EMPTY, np.int32),
        factors=np.full((c.sentences, c.factors), absorptions_in_all + c.words, np.int32),
    )
    first = 0
    for b, (each, slots) in enumerate(zip(batch, automata, strict=True)):
        group, step, lane = placement.group[b], placement.step[b], placement.lane[b]
        row = offset[group] + step * np.array(c.lanes)[group] + lane
        columns, schedule.last[b] = _columns(each, slots, 2 * c.slots + row, c.slots)
        columns = columns._replace(kid=first + each.kid, sentence=np.full(len(row), b))
        for g, table in enumerate(lanes):
            in_group = group == g
            for entries, column in zip(table, columns, strict=True):
                entries[step[in_group], lane[in_group]] = column[in_group]
        schedule.last_slot[b] = slots[-1]
        schedule.sentence_of_word[first : first + each.words] = b
        schedule.is_untouched[first : first + each.words] = each.untouched
        # A sentence is a product of numbers of two origins: nodes outside the recursion, and lanes
        # whose outer slot is empty, where a vector has one entry. Multiplied at the end, all at
        # once, they need no place in the chain of absorptions.
        numbers = np.concatenate(
            [absorptions_in_all + first + np.flatnonzero(each.untouched), row[columns.closes]]
        )
        if len(numbers) > c.factors:
            raise ValueError(f"{len(numbers)} factors > {c.factors}")
        schedule.factors[b, : len(numbers)] = numbers
        first += each.words
    return schedule


def _columns(
    each: Absorptions, slots: Ints, rows: npt.NDArray[np.int64], automata: int
) -> tuple[Lanes, int]:
    """Compute automata and rows of the store for the absorptions of one sentence.

    Args:
        each: the absorptions.
        slots: ``[n + 1]`` the automaton of each slot.
        rows: ``[absorptions]`` the row that each absorption writes.

    Returns:
        Columns ``[absorptions]`` of ``Lanes``, with nodes counted from 0 and sentence 0, and the
        row of the sentence's last vector.
    """
    ends, begins = slots, automata + slots
    # The punctemes that meet at a slot are multiplied from the inside out: next to the word is the
    # vector of the automaton, and each absorption multiplies the puncteme of the next larger
    # constituent to it. So whoever has no earlier absorption starts from the automaton.
    # A source of -1 reads the additional last entry here, which is then replaced.
    row = np.append(rows, 0)

    def read(source: Ints, otherwise: Ints) -> npt.NDArray[np.int64]:
        return np.where(source < 0, otherwise, row[source])

    left_slot, right_slot = slots[each.left_slot], slots[each.right_slot]
    # On the left of a node vectors are columns, which start as final vectors of automata; on its
    # right they are rows, which start as initial vectors.
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
        sentence=np.zeros(len(rows), np.int32),
    )
    # The root is absorbed into the initial vector of the first slot. If no vector results, the last
    # slot is empty, and the initial vector of its automaton is one.
    return columns, int(begins[-1] if each.last < 0 else row[each.last])


def _idle(steps: int, lanes: int, sentences: int) -> Lanes:
    """Return idle lanes, which absorb node 0 between empty slots; their results are not used."""

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
