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

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Program:
    """The absorptions of one sentence, in an order that respects their dependencies.

    Nodes count from 0; the root's parent is -1. Slots count from 0 to n.

    Attributes:
        words: number of words.
        kid, parent, from_left, left_slot, right_slot: one entry per absorption.
        successor: ``[absorptions, 2]`` later absorptions that wait for it, or -1.
        height: length of the longest chain of absorptions that begins with it.
        untouched: ``[words]`` whether a node lies between two empty slots.
        left_of_word, right_of_word: ``[words]`` the slots beside each word.
    """

    words: int
    kid: Ints
    parent: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    successor: Ints
    height: Ints
    untouched: npt.NDArray[np.bool_]
    left_of_word: Ints
    right_of_word: Ints


class Lanes(NamedTuple):
    """Absorptions by step and lane, all ``[steps, lanes]``.

    Attributes:
        kid, parent: rows of the absorbed node and of its parent.
        from_left: whether the kid is on its parent's left.
        left_slot, right_slot: automata at the kid's two edges.
        closes: whether the slot at the kid's outer edge is empty.
        sentence: the sentence, or the number of sentences for an idle lane.
    """

    kid: Ints
    parent: Ints
    from_left: npt.NDArray[np.bool_]
    left_slot: Ints
    right_slot: Ints
    closes: npt.NDArray[np.bool_]
    sentence: Ints


class Schedule(NamedTuple):
    """The packed programs of a batch.

    Attributes:
        lanes: one ``Lanes`` for each vector width, ascending.
        left_of_word, right_of_word: ``[words]`` automata of the slots beside each word.
        sentence_of_word: ``[words]``; padding belongs to the last sentence.
        is_word: ``[words]`` whether a row is a word, not padding.
        is_untouched: ``[words]`` nodes between two empty slots (no padding).
        first_slot, last_slot: ``[sentences]`` automata at the sentence's edges.
        factors: ``[sentences, factors]`` indices into the numbers taken out of lanes (group by
            group, step by step), then of words, then a one.
    """

    lanes: tuple[Lanes, ...]
    left_of_word: Ints
    right_of_word: Ints
    sentence_of_word: Ints
    is_word: npt.NDArray[np.bool_]
    is_untouched: npt.NDArray[np.bool_]
    first_slot: Ints
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
        left, right: ``[n]`` the slots at the edges of each word's constituent.
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

    successor = np.full((len(touched), 2), -1, np.int32)
    chains: dict[tuple[int, bool], list[int]] = {}
    for w in touched.tolist():
        chains.setdefault((int(parent[w]), bool(from_left[w])), []).append(w)
    for (p, on_left), kids in chains.items():
        kids.sort(reverse=on_left)  # nearest to the head first
        for kid, following in zip(kids, kids[1:], strict=False):
            successor[index[kid], 0] = index[following]
        if p >= 0 and index[p] >= 0:
            successor[index[kids[-1]], 1] = index[p]
    order = _topological(successor)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    successor = np.where(successor >= 0, rank[successor], -1)[order].astype(np.int32)
    touched = touched[order]
    height = np.ones(len(touched), np.int32)
    for i in range(len(touched) - 1, -1, -1):
        for j in successor[i].tolist():
            if j >= 0:
                height[i] = max(height[i], height[j] + 1)
    return Program(
        words,
        touched.astype(np.int32),
        parent[touched].astype(np.int32),
        from_left[touched],
        left[touched],
        right[touched],
        successor,
        height,
        untouched,
        np.arange(words, dtype=np.int32),
        np.arange(1, words + 1, dtype=np.int32),
    )


def mirrored_program(
    heads: Sequence[int], left: Ints, right: Ints, empty: Sequence[bool]
) -> Program:
    """The program of the mirror image of a tree; nodes keep their numbers, slots are mirrored.

    Args:
        heads, left, right, empty: of the tree in text order, as for ``program``.
    """
    words = len(heads)
    mirrored_heads = [words + 1 - h if h else 0 for h in reversed(heads)]
    p = program(mirrored_heads, words - right[::-1], words - left[::-1], list(reversed(empty)))
    return replace(
        p,
        kid=(words - 1 - p.kid).astype(np.int32),
        parent=np.where(p.parent < 0, -1, words - 1 - p.parent).astype(np.int32),
        untouched=p.untouched[::-1],
        left_of_word=p.left_of_word[::-1],
        right_of_word=p.right_of_word[::-1],
    )


def _topological(successor: Ints) -> npt.NDArray[np.int64]:
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


def place(
    programs: Sequence[Program], groups: Sequence[Ints], lanes: Sequence[int]
) -> Placement:
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
    lanes = [_idle(c.steps, size, c.words, c.sentences) for size in c.lanes]
    left_of_word = np.zeros(c.words, np.int32)
    right_of_word = np.zeros(c.words, np.int32)
    sentence_of_word = np.full(c.words, max(0, c.sentences - 1), np.int32)
    is_untouched = np.zeros(c.words, bool)
    first_slot = np.zeros(c.sentences, np.int32)
    last_slot = np.zeros(c.sentences, np.int32)
    lane_base = np.cumsum([0, *(c.steps * size for size in c.lanes)])
    one = int(lane_base[-1]) + c.words
    factors = np.full((c.sentences, c.factors), one, np.int32)
    base = 0
    for b, (p, slots) in enumerate(zip(programs, automata, strict=True)):
        span = slice(base, base + p.words)
        left_of_word[span] = slots[p.left_of_word]
        right_of_word[span] = slots[p.right_of_word]
        sentence_of_word[span] = b
        is_untouched[span] = p.untouched
        first_slot[b], last_slot[b] = slots[0], slots[-1]
        closes = np.where(p.from_left, slots[p.left_slot], slots[p.right_slot]) == 0
        taken_out = [lane_base[-1] + base + np.flatnonzero(p.untouched)]
        for g, lane in enumerate(lanes):
            mine = placement.group[b] == g
            at = placement.step[b][mine], placement.lane[b][mine]
            lane.kid[at] = base + p.kid[mine]
            lane.parent[at] = np.where(p.parent[mine] < 0, c.words + b, base + p.parent[mine])
            lane.from_left[at] = p.from_left[mine]
            lane.left_slot[at] = slots[p.left_slot[mine]]
            lane.right_slot[at] = slots[p.right_slot[mine]]
            lane.closes[at] = closes[mine]
            lane.sentence[at] = b
            closing = mine & closes
            flat = placement.step[b][closing] * c.lanes[g] + placement.lane[b][closing]
            taken_out.append(lane_base[g] + flat)
        indices = np.concatenate(taken_out)
        if len(indices) > c.factors:
            raise ValueError(f"{len(indices)} factors > {c.factors}")
        factors[b, : len(indices)] = indices
        base += p.words
    return Schedule(
        tuple(lanes), left_of_word, right_of_word, sentence_of_word,
        np.arange(c.words) < words, is_untouched,
        first_slot, last_slot, factors,
    )  # fmt: skip


def _idle(steps: int, lanes: int, words: int, sentences: int) -> Lanes:
    """Idle lanes read the row of zeros and write the row that nobody reads (``tree._start``)."""

    def full(value: int) -> Ints:
        return np.full((steps, lanes), value, np.int32)

    rows = words + sentences
    no = np.zeros((steps, lanes), bool)
    return Lanes(
        full(rows), full(rows + 1), no.copy(), full(0), full(0), no.copy(), full(sentences)
    )
