import random
from itertools import combinations

import pytest
from hypothesis import example, given, settings

from semipunct.trees import DependencyTree, lift_arcs
from tests.trees.cases import dominates, plain, trees


def crosses(heads):
    """Tell whether two arcs cross, including that of the artificial root, by definition."""
    arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, start=1)]
    return any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def lift_slowly(heads):
    """Lift the shortest arc whose head does not dominate a word below it, one at a time."""
    heads, lifts = list(heads), 0
    while True:
        crossing = [
            (abs(head - word), word)
            for word, head in enumerate(heads, start=1)
            if not all(
                dominates(heads, head, between)
                for between in range(min(head, word) + 1, max(head, word))
            )
        ]
        if not crossing:
            return tuple(heads), lifts
        _, word = min(crossing)
        heads[word - 1] = heads[heads[word - 1] - 1]
        lifts += 1


# Lifting word 7 away from word 4 takes word 2 along; only then the arc from 4 to 1 crosses.
@example((4, 7, 4, 8, 4, 8, 4, 0))
@settings(max_examples=100)
@given(trees())
def test_agrees_with_lifting_one_arc_at_a_time(heads):
    tree = plain(heads)
    expected, lifts = lift_slowly(heads)
    assert lift_arcs(tree) == (DependencyTree(expected, tree.relations), lifts)


@given(trees())
def test_no_arcs_cross_afterwards(heads):
    tree, lifts = lift_arcs(plain(heads))
    assert not crosses(tree.heads)
    assert (lifts > 0) == crosses(heads)
    assert tree.heads.count(0) == 1


@pytest.mark.parametrize(
    "heads",
    [range(100_000), [*range(2, 100_001), 0], [0, *([1] * 99_999)], [*([100_000] * 99_999), 0]],
    ids=["chain to the right", "chain to the left", "star from the left", "star from the right"],
)
def test_long_projective_trees_stay_as_they_are(heads):
    tree = plain(tuple(heads))
    lifted, lifts = lift_arcs(tree)
    assert lifts == 0
    assert lifted is tree


def test_a_long_tree_full_of_crossing_arcs_takes_seconds():
    draw = random.Random(0)
    heads = [0, *(max(1, word - draw.randint(1, 3)) for word in range(2, 50_001))]
    tree, lifts = lift_arcs(plain(tuple(heads)))
    assert lifts > 10_000
    assert lift_arcs(tree) == (tree, 0)
