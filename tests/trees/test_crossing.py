"""Heads of punctuation where arcs of words cross."""

from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from semipunct.trees.crossing import is_sound, settled_heads
from tests.trees.cases import dominates, trees


def crosses_nothing(heads: Sequence[int], mark: int) -> bool:
    """Compare the arc of a mark with each other arc, and with the words that it spans."""
    low, high = sorted((mark, heads[mark - 1]))
    if not all(dominates(heads, heads[mark - 1], word) for word in range(low + 1, high)):
        return False
    arcs = [sorted((word, head)) for word, head in enumerate(heads, 1) if head and word != mark]
    # Arcs over the mark; one that passes over its head as well crosses without it, too.
    return all(a <= low and high <= b for a, b in arcs if a < mark < b)


@given(st.data())
def test_an_arc_is_sound_if_it_crosses_no_other(data: st.DataObject):
    heads = data.draw(trees(8))
    leaves = [n for n, head in enumerate(heads, 1) if head and n not in heads]
    assume(leaves)
    mark = data.draw(st.sampled_from(leaves))
    assert is_sound(heads, mark) == crosses_nothing(heads, mark)


@given(st.data())
def test_a_sound_head_is_found_if_there_is_one(data: st.DataObject):
    heads = data.draw(trees(8))
    leaves = [n for n, head in enumerate(heads, 1) if head and n not in heads]
    assume(leaves)
    mark = data.draw(st.sampled_from(leaves))
    words = {n for n in range(1, len(heads) + 1) if n != mark}
    settled = settled_heads(heads, words, [mark], {})
    assert [h for n, h in enumerate(settled, 1) if n != mark] == [
        h for n, h in enumerate(heads, 1) if n != mark
    ]
    drafts = [
        [*heads[: mark - 1], head, *heads[mark:]]
        for head in range(1, len(heads) + 1)
        if head != mark
    ]
    if any(crosses_nothing(draft, mark) for draft in drafts):
        assert crosses_nothing(settled, mark)
    else:
        assert settled == list(heads)


WORDS = {2, 3, 5, 6}


def test_a_pair_of_marks():
    # The constituent of 3 is the words 3 and 5, and 2 is its head: “ 2 3 ” 5.
    assert settled_heads([3, 3, 0, 3, 3], WORDS, [1, 4], {1: 4, 4: 1}) == [3, 3, 0, 3, 3]
    # The arc from 1 to 3 passes over the root: both marks get the head that both can have.
    assert settled_heads([3, 0, 2, 3, 2], WORDS, [1, 4], {1: 4, 4: 1}) == [2, 0, 2, 2, 2]
    # From 4 only 3 can be reached, since the arc from 3 to 6 passes over 4.
    assert settled_heads([3, 0, 2, 3, 2, 3], WORDS, [1, 4], {1: 4, 4: 1}) == [2, 0, 2, 3, 2, 3]
    # The head of a mark that was there is not changed.
    assert settled_heads([3, 0, 2, 3, 2], WORDS, [1], {1: 4, 4: 1}) == [2, 0, 2, 3, 2]


def test_a_mark_is_no_head():
    # Between the words 1 and 4 are the mark 2, whose head is out of reach, and the mark 3.
    heads = [4, 5, 4, 0, 1]
    assert not is_sound(heads, 2)
    settled = settled_heads(heads, {1, 4, 5}, [2], {})
    assert settled[1] in {1, 4}
    assert is_sound(settled, 2)
