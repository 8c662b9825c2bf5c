import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.trees import (
    DependencyTree,
    lift_arcs,
    reorder_words,
    tree_fault,
    without_constituent,
    without_leaves,
    without_words,
)
from tests.trees.cases import dominates, plain, trees

# the cat , that sleeps , purrs
CAT = DependencyTree(
    (2, 7, 5, 5, 2, 5, 0), ("det", "nsubj", "punct", "nsubj", "acl", "punct", "root")
)


def arcs(tree: DependencyTree) -> dict[str, str]:
    """Return the arcs as pairs of relations, which `plain` makes unique."""
    names = ("", *tree.relations)
    return {names[word]: names[head] for word, head in enumerate(tree.heads, start=1)}


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
    assert without_leaves(CAT, {3, 4, 5, 6}) == without_constituent(CAT, 5)


def test_a_constituent_is_deleted():
    assert without_constituent(CAT, 5) == DependencyTree((2, 3, 0), ("det", "nsubj", "root"))
    assert without_constituent(CAT, 2) == DependencyTree((0,), ("root",))


@pytest.mark.parametrize("word", [0, 7, 8, -1])
def test_the_root_cannot_be_deleted(word: int):
    with pytest.raises(UsageError, match=f"word {word} cannot be deleted: give a word of 1 to 7"):
        without_constituent(CAT, word)


def test_another_order():
    # purrs the cat
    tree = DependencyTree((2, 3, 0), ("det", "nsubj", "root"))
    assert reorder_words(tree, (3, 1, 2)) == DependencyTree((0, 3, 1), ("root", "det", "nsubj"))


@pytest.mark.parametrize("order", [(1, 2), (1, 2, 2), (0, 1, 2), (1, 2, 3, 4)])
def test_what_is_no_order_is_refused(order: tuple[int, ...]):
    with pytest.raises(UsageError, match="is not a permutation of the words 1 to 3"):
        reorder_words(DependencyTree((2, 3, 0), ("a", "b", "root")), order)


def test_a_word_must_be_left():
    with pytest.raises(UsageError, match="no word would be left"):
        without_leaves(plain((0,)), {1})


@given(trees(), st.data())
def test_arcs_stay_with_their_words(heads: tuple[int, ...], data: st.DataObject):
    tree = plain(heads)
    words = range(1, tree.words + 1)
    order = data.draw(st.permutations(words))
    moved = reorder_words(tree, order)
    assert arcs(moved) == arcs(tree)
    assert moved.relations == tuple(tree.relations[word - 1] for word in order)
    back = [order.index(word) + 1 for word in words]
    assert reorder_words(moved, back) == tree


@given(trees().filter(lambda heads: len(heads) > 1), st.data())
def test_what_is_left_hangs_as_before(heads: tuple[int, ...], data: st.DataObject):
    tree = plain(heads)
    words = range(1, tree.words + 1)
    chosen = data.draw(st.sampled_from([word for word in words if heads[word - 1]]))
    remaining = [word for word in words if not dominates(heads, chosen, word)]
    left = without_constituent(tree, chosen)
    assert tree_fault(left.heads) is None
    assert left.relations == tuple(tree.relations[word - 1] for word in remaining)
    assert arcs(left).items() <= arcs(tree).items()
    leaves = [word for word in words if word not in heads]
    removed = data.draw(st.sets(st.sampled_from(leaves)))
    without_removed = without_leaves(tree, removed)
    assert without_removed.words == tree.words - len(removed)
    assert arcs(without_removed).items() <= arcs(tree).items()


def test_a_sentence_of_100000_words_takes_seconds():
    n = 100_000
    tree = plain(tuple(range(n)))
    assert without_constituent(tree, n // 2).words == n // 2 - 1
    assert reorder_words(tree, range(n, 0, -1)).heads[-1] == 0
