"""Character n-grams and shapes of words: what an unseen form has in common with others.

The n-grams are its beginnings, its ends, and the pieces between (Bojanowski et al. 2017, section
3.2); the shape tells capitals, digits and other characters.
"""

from __future__ import annotations

from collections.abc import Iterator

_AFFIXES = (1, 2, 3, 4)
_PIECES = (3, 2, 1)
_SHAPE = 8
"""Kinds of characters that make up the shape of a word, the first ones."""

_RUN = {"0": 4}
"""So many characters of one kind count where they stand in a row, 2 of other kinds."""

_LONGEST = 64
"""Characters of a word that are looked at for pieces."""


def ngrams(form: str) -> list[str]:
    """Return the n-grams of a word in lower case, each once after a letter or digit for its kind.

    Beginnings and ends come first, then the pieces, long ones before short ones.

    Args:
        form: the word.
    """
    return list(dict.fromkeys(_ngrams(form.lower())))


def _ngrams(form: str) -> Iterator[str]:
    # Affixes are of the whole word with its edges: one as long as the word says that it ends there.
    for size in _AFFIXES:
        yield "p" + f"{form[:size]}>"[:size]
        yield "f" + f"<{form[-size:]}"[-size:]
    marked = f"<{form[:_LONGEST]}>"
    for size in _PIECES:
        for start in range(len(marked) - size + 1):
            yield str(size) + marked[start : start + size]


def shape(form: str) -> str:
    """Return the kinds of the characters of a word, of which few in a row and few in all count.

    Args:
        form: the word.
    """
    found = ""
    for char in form[:_LONGEST]:
        kind = _kind(char)
        if not found.endswith(kind * _RUN.get(kind, 2)):
            found += kind
    return found[:_SHAPE]


def _kind(char: str) -> str:
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    return "0" if char.isdigit() else "x" if char.isalpha() else "-"
