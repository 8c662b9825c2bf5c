"""Counts of tokens; rare tokens are replaced by ``marks.UNK``."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from semipunct.marks import OPEN, START, UNK, Puncteme

MINIMUM_COUNT = 5
"""A token that occurs fewer times in the training portion becomes ``marks.UNK``.

Li, Wang and Eisner (2019), section 4.
"""


def token_counts(slots: Iterable[Puncteme]) -> Counter[str]:
    """Count the tokens in slots."""
    return Counter(token for slot in slots for token in slot)


def frequent_tokens(counts: Mapping[str, int], minimum: int = MINIMUM_COUNT) -> tuple[str, ...]:
    """Return the tokens that are not replaced, most frequent first, without ``marks.UNK``.

    Args:
        counts: counts of the tokens in the slots of training sentences.
        minimum: the count that a token must reach. The abbreviation dot is a token like any other.
    """
    frequent = [(-n, t) for t, n in counts.items() if n >= minimum and t not in (START, UNK, OPEN)]
    return tuple(token for _, token in sorted(frequent))


def with_unknown(puncteme: Puncteme, vocabulary: Set[str]) -> Puncteme:
    """Replace every token that is not known by ``marks.UNK``.

    Args:
        puncteme: a string of tokens.
        vocabulary: the tokens that are kept.
    """
    if all(token in vocabulary for token in puncteme):
        return puncteme
    return tuple(token if token in vocabulary else UNK for token in puncteme)
