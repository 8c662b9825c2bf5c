import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.trees import (
    DependencyTree,
    lift_arcs,
    tree_fault,
    without_leaves,
    without_words,
)
from tests.trees.cases import plain, trees

# the cat , that sleeps , purrs
CAT = DependencyTree(
    (2, 7, 5, 5, 2, 5, 0), ("det", "nsubj", "punct", "nsubj", "acl", "punct", "root")
)


def test_punctuation_is_removed():
    assert without_leaves(CAT, {3, 6}) == DependencyTree(
        (2, 5, 4, 2, 0), ("det", "nsubj", "nsubj", "acl", "root")
    )
    assert without_leaves(CAT, ()) == CAT


def test_heirs_take_over_what_depends_on_removed_words():
    # Without "sleeps" and "purrs" the cat becomes the root; "that" attaches to it.
    assert without_words(CAT, {3, 5, 6, 7}) == DependencyTree((2, 0, 2), ("det", "root", "nsubj"))
    # "that" and the comma lose their root: the first heir becomes the root of the others.
    tree = DependencyTree((2, 0, 2, 2), ("a", "root", "b", "c"))
    assert without_words(tree, {2}) == DependencyTree((0, 1, 1), ("root", "b", "c"))
    assert without_words(CAT, {3, 6}) == without_leaves(CAT, {3, 6})
    with pytest.raises(UsageError, match="no word would be left"):
        without_words(tree, {1, 2, 3, 4})


@given(trees(), st.sets(st.integers(1, 12)))
def test_a_tree_without_words_is_a_tree_and_stays_projective(heads, removed):
    tree = lift_arcs(plain(heads))[0]
    removed = {word for word in removed if word <= tree.words}
    if len(removed) < tree.words:
        reduced = without_words(tree, removed)
        assert tree_fault(reduced.heads) is None
        assert lift_arcs(reduced)[1] == 0


def test_a_word_with_dependents_is_not_removed_alone():
    with pytest.raises(UsageError, match="word 5 is the head of word 4: only words without"):
        without_leaves(CAT, {3, 5, 6})
    # It can be removed together with all of its dependents.
    purrs = DependencyTree((2, 3, 0), ("det", "nsubj", "root"))
    assert without_leaves(CAT, {3, 4, 5, 6}) == purrs


def test_a_word_must_be_left():
    with pytest.raises(UsageError, match="no word would be left"):
        without_leaves(plain((0,)), {1})
