import pytest
from hypothesis import given

from semipunct.trees.lifting import projectivise
from semipunct.trees.tree import constituents, top_down, tree_fault
from tests.formats.conllu.builders import dominates, trees


@given(trees())
def test_trees_have_no_fault(heads):
    assert tree_fault(heads) is None


@given(trees())
def test_words_come_after_their_heads(heads):
    order = top_down(heads)
    assert sorted(order) == list(range(1, len(heads) + 1))
    place = {word: i for i, word in enumerate(order)}
    assert all(head == 0 or place[head] < place[word] for word, head in enumerate(heads, start=1))


@given(trees())
def test_constituents_are_what_a_word_dominates(heads):
    heads, _, _ = projectivise(heads, heads)
    left, right = constituents(heads)
    for word in range(1, len(heads) + 1):
        below = [other for other in range(1, len(heads) + 1) if dominates(heads, word, other)]
        assert below == list(range(left[word - 1] + 1, right[word - 1] + 1))


@pytest.mark.parametrize(
    "heads, word, problem",
    [
        ([0, 5], 2, "not a word of the sentence (0 to 2)"),
        ([0, -1], 2, "HEAD -1 is not a word"),
        ([0, 2], 2, "itself"),
        ([0, 0], 2, "second root (HEAD 0) beside word 1"),
        ([2, 1], 1, "cycle of HEADs (1 to 2 to 1)"),
        ([0, 3, 4, 2], 2, "cycle of HEADs (2 to 3 to 4 to 2)"),
        ([], 1, "no word of the sentence is the root"),
    ],
)
def test_what_is_no_tree_is_described(heads, word, problem):
    blamed, found = tree_fault(heads)
    assert blamed == word
    assert problem in found


def test_a_long_cycle_is_shown_in_part():
    n = 100_000
    _, found = tree_fault([n, *range(1, n)])
    assert "..." in found
    assert len(found) < 100


def test_a_long_chain_is_no_matter():
    n = 100_000
    assert tree_fault(range(n)) is None
    left, right = constituents(range(n))
    assert left == list(range(n))
    assert right == [n] * n
