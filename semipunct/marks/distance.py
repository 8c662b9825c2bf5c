"""Distances between strings of tokens.

"Edits operate on punctuation tokens" (Li, Wang and Eisner 2019, section 6.1); the paper gives no
weights, so each edit costs 1. Commands that measure no distance do not load the library that does.
"""

from functools import lru_cache

from semipunct.marks.tokens import Puncteme


@lru_cache(maxsize=1 << 16)
def edit_distance(a: Puncteme, b: Puncteme) -> int:
    """Return the Levenshtein distance: the tokens to insert, delete or substitute.

    Args:
        a: a string of tokens.
        b: another one.
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(a, b)


def common_tokens(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common subsequence.

    Args:
        a: a string of tokens.
        b: another one.
    """
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(a, b)
