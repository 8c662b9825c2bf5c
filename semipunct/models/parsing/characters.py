"""Character n-grams of words, as rows of a table that they share by their hash.

A form that training never saw still has n-grams that it did see: its beginning, its end, its shape,
and the pieces between (Bojanowski et al. 2017, section 3.2).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

import numpy as np
import numpy.typing as npt

MOST = 20
"""N-grams of a word that count: its whole, its ends, and then the pieces from left to right."""

_AFFIXES = (1, 2, 3, 4)
_PIECES = (3, 2, 1)
_SHAPE = 8
"""Characters of a word whose kind makes up its shape."""

_REMEMBERED = 2**17


def codes(forms: Iterable[str], buckets: int) -> npt.NDArray[np.int32]:
    """Return the rows of the n-grams of words, ``[words, MOST]``; row 0 is padding.

    Args:
        forms: words.
        buckets: rows of the table, the padding included.
    """
    return np.array([_codes(form, buckets) for form in forms], np.int32).reshape(-1, MOST)


@lru_cache(_REMEMBERED)
def _codes(form: str, buckets: int) -> tuple[int, ...]:
    rows = [
        1 + zlib.crc32(gram.encode("utf-8", "surrogatepass")) % (buckets - 1)
        for gram in islice(_ngrams(form), MOST)
    ]
    return (*rows, *[0] * (MOST - len(rows)))


def _ngrams(form: str) -> Iterator[str]:
    """Yield n-grams, each after a letter for its kind, the most telling ones first."""
    yield "w" + form
    yield "s" + "".join(map(_kind, form[:_SHAPE]))
    # Affixes are of the whole word with its edges: one as long as the word says that it ends there.
    for size in _AFFIXES:
        yield "p" + f"{form}>"[:size]
        yield "f" + f"<{form}"[-size:]
    marked = f"<{form}>"
    for size in _PIECES:
        for start in range(min(len(marked) - size + 1, MOST)):
            yield str(size) + marked[start : start + size]


def _kind(char: str) -> str:
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    return "0" if char.isdigit() else "x" if char.isalpha() else "-"
