"""Character n-grams and shapes of words, which unseen forms share with known ones.

The n-grams are prefixes, suffixes, and inner n-grams (Bojanowski et al. 2017, section 3.2); the
shape describes capitals, digits and other characters.
"""

from __future__ import annotations

from collections.abc import Iterator

_AFFIXES = (1, 2, 3, 4)
_PIECES = (3, 2, 1)
_SHAPE = 8
"""The maximum length of a shape."""

_RUN = {"0": 4}
"""The maximum length of a run of characters of one kind in a shape; 2 for other kinds."""

_LONGEST = 64
"""The number of characters of a word from which inner n-grams and shapes are taken."""


def ngrams(form: str) -> list[str]:
    """Return the distinct n-grams of a word in lower case, each prefixed with its kind.

    Prefixes and suffixes come first, then inner n-grams in order of decreasing length.

    Args:
        form: the word.
    """
    return list(dict.fromkeys(_ngrams(form.lower())))


def _ngrams(form: str) -> Iterator[str]:
    # An affix longer than the word includes an edge marker, which tells that the word ends there.
    for size in _AFFIXES:
        yield "p" + f"{form[:size]}>"[:size]
        yield "f" + f"<{form[-size:]}"[-size:]
    marked = f"<{form[:_LONGEST]}>"
    for size in _PIECES:
        for start in range(len(marked) - size + 1):
            yield str(size) + marked[start : start + size]


def shape(form: str) -> str:
    """Return the character kinds of a word, with runs shortened and the whole truncated.

    Args:
        form: the word.
    """
    shape_of_form = ""
    for char in form[:_LONGEST]:
        kind = _kind(char)
        if not shape_of_form.endswith(kind * _RUN.get(kind, 2)):
            shape_of_form += kind
    return shape_of_form[:_SHAPE]


def _kind(char: str) -> str:
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    return "0" if char.isdigit() else "x" if char.isalpha() else "-"
