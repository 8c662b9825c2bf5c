import random
from itertools import combinations

import pytest
from hypothesis import example, given, settings

from semipunct.trees.lifting import projectivise
from tests.formats.conllu.builders import dominates, trees


def crosses(heads):
    """The textbook's definition: two arcs, the artificial root's included, cross each other."""
    arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, start=1)]
    return any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def lift_slowly(heads):
    """Lift the shortest arc whose head fails to dominate a word below it, one at a time."""
    heads, lifts = list(heads), 0
    while True:
        found = [
            (abs(head - word), word)
            for word, head in enumerate(heads, start=1)
            if not all(
                dominates(heads, head, between)
                for between in range(min(head, word) + 1, max(head, word))
            )
        ]
        if not found:
            return tuple(heads), lifts
        _, word = min(found)
        heads[word - 1] = heads[heads[word - 1] - 1]
        lifts += 1


def relations_of(heads):
    return tuple(f"r{i}" for i in range(len(heads)))


# Lifting word 7 away from word 4 takes word 2 along, and only then the arc from 4 to 1 crosses.
@example((4, 7, 4, 8, 4, 8, 4, 0))
@settings(max_examples=100)
@given(trees())
def test_agrees_with_lifting_one_arc_at_a_time(heads):
    expected, lifts = lift_slowly(heads)
    assert projectivise(heads, relations_of(heads)) == (expected, relations_of(heads), lifts)


@given(trees())
def test_no_arcs_cross_afterwards(heads):
    lifted, _, lifts = projectivise(heads, relations_of(heads))
    assert not crosses(lifted)
    assert (lifts > 0) == crosses(heads)
    assert lifted.count(0) == 1


@given(trees())
def test_a_new_head_is_an_ancestor_of_the_old_one(heads):
    lifted, _, _ = projectivise(heads, relations_of(heads))
    for new, old in zip(lifted, heads, strict=True):
        assert new == old or dominates(heads, new, old)


@given(trees())
def test_a_second_time_nothing_is_left_to_lift(heads):
    lifted, relations, _ = projectivise(heads, relations_of(heads))
    assert projectivise(lifted, relations) == (lifted, relations, 0)


def test_the_crossing_arc_of_a_small_tree_is_lifted():
    # Word 4 depends on word 2 across the root, word 3.
    assert projectivise((2, 3, 0, 2), "abcd") == ((2, 3, 0, 3), ("a", "b", "c", "d"), 1)


@pytest.mark.parametrize(
    "heads",
    [range(100_000), [*range(2, 100_001), 0], [0, *([1] * 99_999)], [*([100_000] * 99_999), 0]],
    ids=["chain to the right", "chain to the left", "star from the left", "star from the right"],
)
def test_long_projective_trees_stay_as_they_are(heads):
    lifted, _, lifts = projectivise(heads, ["dep"] * len(heads))
    assert lifts == 0
    assert lifted == tuple(heads)


def test_a_long_tree_full_of_crossing_arcs_takes_seconds():
    draw = random.Random(0)
    heads = [0, *(max(1, word - draw.randint(1, 3)) for word in range(2, 50_001))]
    lifted, relations, lifts = projectivise(heads, heads)
    assert lifts > 10_000
    assert projectivise(lifted, relations) == (lifted, relations, 0)
