"""Small projective trees for the tests of structures."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.oracle import constituent_slots


@st.composite
def projective_trees(draw: st.DrawFn, smallest: int = 1, largest: int = 9) -> tuple[int, ...]:
    """Draw heads of a projective tree: each word depends on one whose constituent it may join."""
    words = draw(st.integers(smallest, largest))
    heads = [0] * words
    # Spans without a head so far, each with the head outside it.
    spans = [(1, words, 0)]
    while spans:
        first, last, head = spans.pop()
        if first > last:
            continue
        # A span is split into constituents; the first of them is headed by one of its words.
        end = draw(st.integers(first, last)) if head else last
        root = draw(st.integers(first, end))
        heads[root - 1] = head
        spans += [(first, root - 1, root), (root + 1, end, root), (end + 1, last, head)]
    return tuple(heads)


def edges(heads: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the slots at the left and at the right edge of every word's constituent."""
    left, right = zip(*constituent_slots(heads), strict=True)
    return left, right
