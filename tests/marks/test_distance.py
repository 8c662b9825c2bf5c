"""Distances compared with their definitions."""

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import Puncteme
from semipunct.marks.edits import common_tokens, edit_distance

tokens = st.sampled_from([",", ".", "“", "”", "''", "<abbr>"])
punctemes = st.lists(tokens, max_size=5).map(tuple)


@lru_cache(None)
def levenshtein(a: Puncteme, b: Puncteme) -> int:
    """Compute the distance recursively from its definition."""
    if not a or not b:
        return len(a) + len(b)
    return min(
        levenshtein(a[1:], b) + 1,
        levenshtein(a, b[1:]) + 1,
        levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
    )


@given(punctemes, punctemes)
def test_edit_distance_is_a_distance(a: Puncteme, b: Puncteme):
    distance = edit_distance(a, b)
    assert distance == edit_distance(b, a) == levenshtein(a, b)


@lru_cache(None)
def subsequence(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common subsequence by its definition."""
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + subsequence(a[1:], b[1:])
    return max(subsequence(a[1:], b), subsequence(a, b[1:]))


@given(punctemes, punctemes)
def test_common_tokens_keep_their_order(a: Puncteme, b: Puncteme):
    assert common_tokens(a, b) == subsequence(a, b)
    assert common_tokens((",", ".", "”"), ("”", ",", "”")) == 2
