"""Edited trees compared with plain recursion over the same orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.trees import Arrangement, DependencyTree, lift_arcs, without_words
from tests.trees.cases import dominates, plain, trees

CHAIN = DependencyTree((2, 0, 2, 3, 3), ("a", "root", "b", "c", "d"))
"""1 and 3 depend on 2, 4 and 5 on 3."""


def linearised(orders: dict[int, list[int]], word: int) -> list[int]:
    """Return the words below a word, in the order of its items."""
    return [
        each
        for item in orders[word]
        for each in ([item] if item == word else linearised(orders, item))
    ]


@given(trees())
def test_a_tree_that_is_taken_apart_is_the_same(heads: tuple[int, ...]):
    tree, _ = lift_arcs(plain(heads))
    arrangement = Arrangement(tree)
    assert arrangement.words == tuple(range(1, tree.words + 1))
    assert arrangement.tree() == tree


@given(trees(), st.data())
def test_orders_of_heads_are_those_of_words(heads: tuple[int, ...], data: st.DataObject):
    tree, _ = lift_arcs(plain(heads))
    orders = {}
    for word in range(1, tree.words + 1):
        below = [i for i, head in enumerate(tree.heads, 1) if head == word]
        orders[word] = data.draw(st.permutations([word, *below]))
    arrangement = Arrangement(tree)
    arrangement.reorder(orders)
    assert list(arrangement.words) == linearised(orders, tree.root)
    new_tree = arrangement.tree()
    assert lift_arcs(new_tree)[1] == 0
    # Relations are unique, so that heads can be compared by them.
    for place, word in enumerate(arrangement.words):
        head = tree.heads[word - 1]
        assert new_tree.relations[place] == f"r{word}"
        assert new_tree.heads[place] == (arrangement.words.index(head) + 1 if head else 0)


@given(trees(), st.data())
def test_constituents_are_deleted(heads: tuple[int, ...], data: st.DataObject):
    tree, _ = lift_arcs(plain(heads))
    word = data.draw(st.integers(1, tree.words))
    arrangement = Arrangement(tree)
    if word == tree.root:
        with pytest.raises(UsageError, match="is the root and cannot be deleted"):
            arrangement.delete(word)
        return
    arrangement.delete(word)
    assert arrangement.tree() == without_words(
        tree, {*range(1, tree.words + 1)} - {*arrangement.words}
    )
    remaining = [w for w in range(1, tree.words + 1) if not dominates(tree.heads, word, w)]
    assert list(arrangement.words) == remaining


@pytest.mark.parametrize(
    "place, expected",
    [
        ("first", (4, 1, 2, 3, 5)), ("before", (1, 4, 2, 3, 5)), ("after", (1, 2, 4, 3, 5)),
        ("last", (1, 2, 3, 5, 4)),
    ],
)  # fmt: skip
def test_places_written_out(place, expected: tuple[int, ...]):
    arrangement = Arrangement(CHAIN)
    arrangement.move(4, 2, place)
    assert arrangement.words == expected
    assert arrangement.head_of(4) == 2
    assert arrangement.tree().relations[expected.index(4)] == "c"


def test_what_cannot_be_is_told():
    arrangement = Arrangement(CHAIN)
    for wrong, message in (
        (lambda: arrangement.delete(6), "there is no word 6; the words of the tree are 1 to 5"),
        (lambda: arrangement.delete(0), "there is no word 0"),
        (lambda: arrangement.move(2, 1, "first"), "word 2 is the root and cannot be moved"),
        (lambda: arrangement.move(3, 4, "first"), "word 3 cannot be moved below word 4"),
        (lambda: arrangement.move(3, 3, "first"), "the same word or one of its descendants"),
        (lambda: arrangement.reorder({3: [3, 4]}), r"\[3, 4\] is not one of word 3 and"),
    ):
        with pytest.raises(UsageError, match=message):
            wrong()
    arrangement.delete(3)
    with pytest.raises(UsageError, match="word 4 was deleted with word 3"):
        arrangement.move(4, 2, "first")
    assert arrangement.words == (1, 2)
