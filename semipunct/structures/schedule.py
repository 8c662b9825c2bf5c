"""Which constituents are absorbed in which step of ``tree.inside``: list scheduling on the host.

Only constituents that touch a non-empty slot need a step. A sentence's *program* orders them; the
programs of a batch are packed into steps of a fixed number of lanes, those with the longest
chain of successors first, so that few lanes idle.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import jax
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

Indices = jax.Array | Ints
"""What a schedule's arrays are to the functions that read it: traced once compiled."""


@dataclass(frozen=True, slots=True)
class Program:
    """The absorptions of one sentence, in an order that respects their dependencies.

    Nodes count from 0, slots from 0 to n. A vector that an absorption reads is the result of
    an earlier absorption, or, marked -1, the one that its slot's automaton begins or ends with.

    Attributes:
        words: number of words.
        kid, from_left, left_slot, right_slot: one entry per absorption.
        at_left, at_right: where the kid's own vectors come from.
        meeting: where its parent's vector comes from.
        last: the absorption that leaves the sentence's last vector, or -1.
        successor: ``[absorptions, 2]`` later absorptions that wait for it, or -1.
        height: length of the longest chain of absorptions that begins with it.
        untouched: ``[words]`` whether a node lies between two empty slots.
    """

    words: int
    kid: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    at_left: Ints
    at_right: Ints
    meeting: Ints
    last: int
    successor: Ints
    height: Ints
    untouched: npt.NDArray[np.bool_]


class Lanes(NamedTuple):
    """Absorptions by step and lane, all ``[steps, lanes]``.

    Attributes:
        kid: the absorbed node.
        from_left: whether it is on its parent's left.
        left_slot, right_slot: automata at its two edges.
        at_left, at_right, meeting: rows of the store with its vectors and its parent's.
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
    """The packed programs of a batch.

    The store of ``tree.inside`` has a row for what each automaton ends with, for what each
    begins with, and for the result of every lane of every step, group by group.

    Attributes:
        lanes: one ``Lanes`` for each vector width, ascending.
        sentence_of_word: ``[words]``; padding belongs to the last sentence.
        is_word: ``[words]`` whether a row is a word, not padding.
        is_untouched: ``[words]`` nodes between two empty slots (no padding).
        last: ``[sentences]`` row of each sentence's last vector.
        last_slot: ``[sentences]`` automaton at the sentence's end.
        factors: ``[sentences, factors]`` indices into the numbers taken out of lanes (group by
            group, step by step), then of words, then a one.
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
        sentences, words, slots: rows; ``slots`` counts the empty slot 0.
        steps: steps of the scan.
        lanes: lanes of each width.
        factors: numbers multiplied up per sentence.
    """

    sentences: int
    words: int
    slots: int
    steps: int
    lanes: tuple[int, ...]
    factors: int


def program(heads: Sequence[int], left: Ints, right: Ints, empty: Sequence[bool]) -> Program:
    """Order the absorptions of a projective tree.

    Args:
        heads: head of each word, counting from 1, 0 for the root.
        left: ``[n]`` the slot at the left edge of each word's constituent.
        right: ``[n]`` the one at its right edge.
        empty: ``[n + 1]`` whether a slot's automaton has one state.
    """
    words = len(heads)
    is_empty = np.asarray(empty, bool)
    untouched = is_empty[left] & is_empty[right]
    parent = np.asarray(heads, np.int64) - 1
    index = np.full(words, -1, np.int64)
    touched = np.flatnonzero(~untouched)
    # Inner constituents first: a constituent is longer than any inside it.
    touched = touched[np.argsort((right - left)[touched], kind="stable")]
    index[touched] = np.arange(len(touched))
    from_left = (np.arange(words) < parent) & (parent >= 0)

    # On each side of a node its touched dependents form a chain, nearest to the head first.
    count = len(touched)
    at_left, at_right, meeting = (np.full(count, -1, np.int64) for _ in range(3))
    successor = np.full((count, 2), -1, np.int64)
    chains: dict[tuple[int, bool], list[int]] = {}
    for w in touched.tolist():
        chains.setdefault((int(parent[w]), bool(from_left[w])), []).append(w)
    last = -1
    for (p, on_left), kids in chains.items():
        kids.sort(reverse=on_left)
        places = [int(index[w]) for w in kids]
        outer = left if on_left else right
        for place_, kid, following in zip(places, kids, places[1:], strict=False):
            successor[place_, 0] = following
            if not is_empty[outer[kid]]:
                meeting[following] = place_
        if not is_empty[outer[kids[-1]]]:
            if p < 0:
                last = places[-1]
            elif index[p] >= 0 and outer[p] == outer[kids[-1]]:
                (at_left if on_left else at_right)[index[p]] = places[-1]
        if p >= 0 and index[p] >= 0:
            successor[places[-1], 1] = index[p]
    order = _topological(successor)
    rank = np.full(count + 1, -1, np.int64)  # rank[-1] keeps -1 what it is
    rank[order] = np.arange(count)
    successor = rank[successor][order].astype(np.int32)
    touched = touched[order]
    height = np.ones(count, np.int32)
    for i in range(count - 1, -1, -1):
        for j in successor[i].tolist():
            if j >= 0:
                height[i] = max(height[i], height[j] + 1)
    return Program(
        words,
        touched.astype(np.int32),
        from_left[touched],
        left[touched],
        right[touched],
        rank[at_left][order].astype(np.int32),
        rank[at_right][order].astype(np.int32),
        rank[meeting][order].astype(np.int32),
        int(rank[last]),
        successor,
        height,
        untouched,
    )


def mirrored_program(
    heads: Sequence[int], left: Ints, right: Ints, empty: Sequence[bool]
) -> Program:
    """The program of the mirror image of a tree; nodes keep their numbers, slots are mirrored.

    Args:
        heads: of the tree in text order, like all the rest, as for ``program``.
        left: slots at left edges.
        right: slots at right edges.
        empty: whether a slot's automaton has one state.
    """
    words = len(heads)
    mirrored_heads = [words + 1 - h if h else 0 for h in reversed(heads)]
    p = program(mirrored_heads, words - right[::-1], words - left[::-1], list(reversed(empty)))
    return replace(p, kid=(words - 1 - p.kid).astype(np.int32), untouched=p.untouched[::-1])


def _topological(successor: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    waiting = np.bincount(successor[successor >= 0], minlength=len(successor)).tolist()
    ready = [i for i, count in enumerate(waiting) if not count]
    order: list[int] = []
    following = successor.tolist()
    while ready:
        i = ready.pop()
        order.append(i)
        for j in following[i]:
            if j >= 0:
                waiting[j] -= 1
                if not waiting[j]:
                    ready.append(j)
    return np.array(order, np.int64)


@dataclass(slots=True)
class Placement:
    """Step, group and lane of every absorption of a batch; see ``place``."""

    steps: int
    step: list[Ints]
    group: list[Ints]
    lane: list[Ints]


def place(programs: Sequence[Program], groups: Sequence[Ints], lanes: Sequence[int]) -> Placement:
    """Greedy list scheduling, longest remaining chain first.

    Args:
        programs: one per sentence.
        groups: for each program, the width group of each absorption.
        lanes: capacity of each group.
    """
    steps: list[list[int]] = [[0] * len(p.kid) for p in programs]
    places: list[list[int]] = [[0] * len(p.kid) for p in programs]
    following = [p.successor.tolist() for p in programs]
    heights = [p.height.tolist() for p in programs]
    kinds = [g.tolist() for g in groups]
    waiting: list[list[int]] = []
    ready: list[list[tuple[int, int, int]]] = [[] for _ in lanes]
    for b, p in enumerate(programs):
        counts = np.bincount(p.successor[p.successor >= 0], minlength=len(p.kid)).tolist()
        waiting.append(counts)
        for i, count in enumerate(counts):
            if not count:
                ready[kinds[b][i]].append((-heights[b][i], b, i))
    for heap in ready:
        heapq.heapify(heap)
    time = 0
    while any(ready):
        done: list[tuple[int, int]] = []
        for heap, size in zip(ready, lanes, strict=True):
            for lane in range(min(size, len(heap))):
                _, b, i = heapq.heappop(heap)
                steps[b][i], places[b][i] = time, lane
                done.append((b, i))
        for b, i in done:
            for j in following[b][i]:
                if j >= 0:
                    waiting[b][j] -= 1
                    if not waiting[b][j]:
                        heapq.heappush(ready[kinds[b][j]], (-heights[b][j], b, j))
        time += 1
    as_ints = [np.array(s, np.int32) for s in steps]
    return Placement(time, as_ints, list(groups), [np.array(x, np.int32) for x in places])


def pack(
    programs: Sequence[Program],
    automata: Sequence[Ints],
    placement: Placement,
    capacity: Capacity,
) -> Schedule:
    """Lay programs out in padded arrays.

    Args:
        programs: one per sentence, no more than ``capacity.sentences``.
        automata: for each program, ``[n + 1]`` the automaton of each slot, 0 for the empty one.
        placement: from ``place`` with ``capacity.lanes``.
        capacity: padded sizes.

    Raises:
        ValueError: if the batch exceeds the capacity.
    """
    c = capacity
    words = sum(p.words for p in programs)
    if len(programs) > c.sentences or words > c.words or placement.steps > c.steps:
        raise ValueError(f"{len(programs)} sentences, {words} words, {placement.steps} steps > {c}")
    lanes = [_idle(c.steps, size, c.sentences) for size in c.lanes]
    sentence_of_word = np.full(c.words, max(0, c.sentences - 1), np.int32)
    is_untouched = np.zeros(c.words, bool)
    last = np.full(c.sentences, c.slots, np.int32)
    last_slot = np.zeros(c.sentences, np.int32)
    lane_base = np.cumsum([0, *(c.steps * size for size in c.lanes)])
    one = int(lane_base[-1]) + c.words
    factors = np.full((c.sentences, c.factors), one, np.int32)
    width = np.array(c.lanes)
    base = 0
    for b, (p, slots) in enumerate(zip(programs, automata, strict=True)):
        span = slice(base, base + p.words)
        sentence_of_word[span] = b
        is_untouched[span] = p.untouched
        last_slot[b] = slots[-1]
        left_slot, right_slot = slots[p.left_slot], slots[p.right_slot]
        group, step, place_ = placement.group[b], placement.step[b], placement.lane[b]
        # result[-1] is never used: -1 marks what the automata begin or end with.
        result = np.append(lane_base[group] + step * width[group] + place_, 0)
        row = 2 * c.slots + result
        ends, begins = slots, c.slots + slots
        at_left = np.where(p.at_left < 0, ends[p.left_slot], row[p.at_left])
        at_right = np.where(p.at_right < 0, begins[p.right_slot], row[p.at_right])
        met_slot = np.where(p.from_left, ends[p.right_slot], begins[p.left_slot])
        meeting = np.where(p.meeting < 0, met_slot, row[p.meeting])
        last[b] = begins[-1] if p.last < 0 else row[p.last]
        closes = np.where(p.from_left, left_slot, right_slot) == 0
        for g, lane in enumerate(lanes):
            mine = group == g
            at = step[mine], place_[mine]
            values = (
                base + p.kid, p.from_left, left_slot, right_slot,
                at_left, at_right, meeting, closes, np.full(len(p.kid), b),
            )  # fmt: skip
            for table, column in zip(lane, values, strict=True):
                table[at] = column[mine]
        untouched = lane_base[-1] + base + np.flatnonzero(p.untouched)
        indices = np.concatenate([untouched, result[:-1][closes]])
        if len(indices) > c.factors:
            raise ValueError(f"{len(indices)} factors > {c.factors}")
        factors[b, : len(indices)] = indices
        base += p.words
    return Schedule(
        tuple(lanes), sentence_of_word, np.arange(c.words) < words, is_untouched,
        last, last_slot, factors,
    )  # fmt: skip


def _idle(steps: int, lanes: int, sentences: int) -> Lanes:
    """Idle lanes absorb node 0 between empty slots into nothing: nobody reads their results."""

    def full(value: int) -> Ints:
        return np.full((steps, lanes), value, np.int32)

    def no() -> npt.NDArray[np.bool_]:
        return np.zeros((steps, lanes), bool)

    return Lanes(full(0), no(), full(0), full(0), full(0), full(0), full(0), no(), full(sentences))
