"""Codes of words: their number in the vocabulary, and hashes of their beginnings and endings."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]

_PARTS = (slice(-2, None), slice(-3, None), slice(-4, None), slice(3), slice(4))
"""The endings and beginnings of a word between its boundary signs."""

CODES = 1 + len(_PARTS)
"""The number of codes of a word."""


def codes_of(forms: Sequence[str], vocabulary: dict[str, int], ngrams: int) -> Codes:
    """Return the codes of words, ``[forms, CODES]``.

    The first is their number in the vocabulary, 0 if they are not in it; the others are hashes.

    Args:
        forms: words in lower case.
        vocabulary: the numbers of frequent words, from 1.
        ngrams: the number of hashes.
    """
    codes = np.zeros((len(forms), CODES), np.int32)
    for row, form in zip(codes, forms, strict=True):
        row[0] = vocabulary.get(form, 0)
        bounded = f"<{form}>"
        for place, part in enumerate(_PARTS):
            key = f"{place}{bounded[part]}".encode("utf-8", "surrogatepass")
            row[place + 1] = crc32(key) % ngrams
    return codes
