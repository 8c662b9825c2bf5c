"""Distances between strings of tokens.

"Edits operate on punctuation tokens" (Li, Wang and Eisner 2019, section 6.1); the paper gives no
weights, so each edit costs 1. The library for distances is loaded only when needed.
"""

from functools import lru_cache

from semipunct.marks.tokens import Puncteme


@lru_cache(maxsize=1 << 16)
def edit_distance(a: Puncteme, b: Puncteme) -> int:
    """Return the Levenshtein distance: the number of insertions, deletions and substitutions.

    Args:
        a: a string of tokens.
        b: another string of tokens.
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(a, b)


def common_tokens(a: Puncteme, b: Puncteme) -> int:
    """Return the length of the longest common subsequence.

    Args:
        a: a string of tokens.
        b: another string of tokens.
    """
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(a, b)
