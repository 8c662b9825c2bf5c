"""Schedules: each operation once, after its dependencies, within the capacity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.structures.given_tree import (
    Absorptions,
    Capacity,
    absorptions,
    mirrored_absorptions,
    pack,
    place,
)
from tests.structures.trees import edges, projective_trees

CAPACITY = Capacity(sentences=4, words=40, slots=44, steps=40, lanes=(2, 1), factors=20)


def build(heads: Sequence[int], empty: Sequence[bool], *, mirrored: bool = False) -> Absorptions:
    left, right = (np.asarray(x, np.int32) for x in edges(heads))
    return (mirrored_absorptions if mirrored else absorptions)(heads, left, right, empty)


@st.composite
def trees_with_slots(draw: st.DrawFn) -> tuple[tuple[int, ...], list[bool]]:
    heads = draw(projective_trees())
    size = len(heads) + 1
    return heads, draw(st.lists(st.booleans(), min_size=size, max_size=size))


def orders(heads: Sequence[int], touched: set[int]) -> set[tuple[int, int]]:
    """Return which touched nodes (from 0) must be absorbed before which others."""
    pairs: set[tuple[int, int]] = set()
    for kid in touched:
        parent = heads[kid] - 1
        if parent in touched:
            pairs.add((kid, parent))
        for node in touched:
            nearer = abs(node - parent) < abs(kid - parent)
            if heads[node] - 1 == parent and (node < parent) == (kid < parent) and nearer:
                pairs.add((node, kid))
    return pairs


def sources(p: Absorptions) -> list[list[int]]:
    return [[j for j in read if j >= 0] for read in p.sources.tolist()]


@given(trees_with_slots(), st.booleans())
def test_a_program_absorbs_what_touches_a_slot_once_and_in_order(
    drawn: tuple[tuple[int, ...], list[bool]], mirrored: bool
):
    heads, empty = drawn
    p = build(heads, empty, mirrored=mirrored)
    left, right = edges(heads)
    untouched = [empty[i] and empty[j] for i, j in zip(left, right, strict=True)]
    assert p.words == len(heads)
    np.testing.assert_array_equal(p.untouched, untouched)
    assert sorted(p.kid.tolist()) == np.flatnonzero(~np.array(untouched)).tolist()
    place_of = {kid: i for i, kid in enumerate(p.kid.tolist())}
    for first, later in orders(heads, set(place_of)):
        assert place_of[first] < place_of[later]
    for i, kid in enumerate(p.kid.tolist()):
        on_left = heads[kid] != 0 and kid < heads[kid] - 1
        on_right = heads[kid] != 0 and kid > heads[kid] - 1
        if mirrored:
            assert p.from_left[i] == on_right
            assert (p.left_slot[i], p.right_slot[i]) == (
                len(heads) - right[kid], len(heads) - left[kid]
            )  # fmt: skip
        else:
            assert p.from_left[i] == on_left
            assert (p.left_slot[i], p.right_slot[i]) == (left[kid], right[kid])
        assert all(source < i for source in sources(p)[i])
    used = [r for read in [*sources(p), [p.last]] for r in read if r >= 0]
    assert len(set(used)) == len(used), "a result is read once at most"


@given(trees_with_slots())
def test_heights_count_the_longest_chain(drawn: tuple[tuple[int, ...], list[bool]]):
    p = build(*drawn)
    readers: list[list[int]] = [[] for _ in p.kid]
    for i, read in enumerate(sources(p)):
        for j in read:
            readers[j].append(i)
    for i, following in enumerate(readers):
        assert p.height[i] == 1 + max((p.height[j] for j in following), default=0)


@given(st.lists(trees_with_slots(), min_size=1, max_size=4), st.integers(0, 99))
def test_every_absorption_has_a_lane_of_its_own_after_its_dependencies(
    drawn: list[tuple[tuple[int, ...], list[bool]]], seed: int
):
    generator = np.random.default_rng(seed)
    programs = [build(*d) for d in drawn]
    groups = [generator.integers(0, 2, len(p.kid)).astype(np.int32) for p in programs]
    placement = place(programs, groups, CAPACITY.lanes)
    occupied: set[tuple[int, int, int]] = set()
    for b, p in enumerate(programs):
        steps, lanes = placement.step[b], placement.lane[b]
        np.testing.assert_array_equal(placement.group[b], groups[b])
        for i in range(len(p.kid)):
            occupied.add((int(steps[i]), int(groups[b][i]), int(lanes[i])))
            assert 0 <= lanes[i] < CAPACITY.lanes[groups[b][i]]
            assert 0 <= steps[i] < placement.steps
            assert all(steps[j] < steps[i] for j in sources(p)[i])
    assert len(occupied) == sum(len(p.kid) for p in programs)


@given(st.lists(trees_with_slots(), min_size=1, max_size=4))
def test_packing_keeps_every_absorption_and_factor(
    drawn: list[tuple[tuple[int, ...], list[bool]]],
):
    programs = [build(*d) for d in drawn]
    groups = [np.zeros(len(p.kid), np.int32) for p in programs]
    placement = place(programs, groups, CAPACITY.lanes)
    # Automaton 0 is that of the empty slot; all other slots have separate automata.
    automata: list[np.ndarray] = []
    for _, empty in drawn:
        number = 1 + np.cumsum(~np.array(empty)) + sum(len(a) for a in automata)
        automata.append(np.where(empty, 0, number).astype(np.int32))
    schedule = pack(programs, automata, placement, CAPACITY)
    narrow, wide = schedule.lanes
    assert (wide.sentence == CAPACITY.sentences).all()
    busy = narrow.sentence < CAPACITY.sentences
    assert busy.sum() == sum(len(p.kid) for p in programs)
    base = 0
    for b, ((heads, empty), p, slots) in enumerate(zip(drawn, programs, automata, strict=True)):
        of_sentence = narrow.sentence == b
        np.testing.assert_array_equal(np.sort(narrow.kid[of_sentence]), base + np.sort(p.kid))
        words = slice(base, base + len(heads))
        np.testing.assert_array_equal(schedule.sentence_of_word[words], b)
        np.testing.assert_array_equal(schedule.is_untouched[words], p.untouched)
        assert schedule.last_slot[b] == slots[-1]
        left, right = edges(heads)
        numbers = [base + i for i in np.flatnonzero(p.untouched).tolist()]
        taken_out = {narrow.kid.size + wide.kid.size + i for i in numbers}
        for step, lane in np.argwhere(of_sentence).tolist():
            kid = int(narrow.kid[step, lane]) - base
            on_left = kid + 1 < heads[kid]
            assert bool(narrow.from_left[step, lane]) == on_left
            outer = left[kid] if on_left else right[kid]
            assert bool(narrow.closes[step, lane]) == empty[outer]
            if empty[outer]:
                taken_out.add(step * CAPACITY.lanes[0] + lane)
            assert narrow.left_slot[step, lane] == slots[left[kid]]
            assert narrow.right_slot[step, lane] == slots[right[kid]]
            # Rows of the storage: ends, beginnings, then results of earlier steps.
            for table, bound in (
                (narrow.at_left, slots[left[kid]]),
                (narrow.at_right, CAPACITY.slots + slots[right[kid]]),
            ):
                row = int(table[step, lane])
                assert row == bound or 0 <= row - 2 * CAPACITY.slots < step * CAPACITY.lanes[0]
        index_of_one = narrow.kid.size + wide.kid.size + CAPACITY.words
        used = [int(i) for i in schedule.factors[b] if i != index_of_one]
        assert sorted(used) == sorted(taken_out)
        base += len(heads)
    assert schedule.is_word.sum() == base


def test_what_exceeds_the_capacity_is_refused():
    heads, empty = (0, 1, 2), [False] * 4
    p = build(heads, empty)
    groups = [np.zeros(3, np.int32)]
    automata = [np.arange(1, 5, dtype=np.int32)]
    placement = place([p], groups, CAPACITY.lanes)
    for small in ({"words": 2}, {"sentences": 0}, {"steps": 1}):
        with pytest.raises(ValueError, match="3 words"):
            pack([p], automata, placement, replace(CAPACITY, **small))
    p = build(heads, [True] * 4)
    placement = place([p], [np.zeros(0, np.int32)], CAPACITY.lanes)
    with pytest.raises(ValueError, match="3 factors > 2"):
        pack([p], [np.zeros(4, np.int32)], placement, replace(CAPACITY, factors=2))


def test_a_chain_of_10_000_words_is_programmed():
    # Each word dominates all following words.
    left, right = np.arange(10_000, dtype=np.int32), np.full(10_000, 10_000, np.int32)
    p = absorptions(range(10_000), left, right, [False] * 10_001)
    assert p.kid.tolist() == list(range(9_999, -1, -1))
    assert p.height.max() == 10_000
