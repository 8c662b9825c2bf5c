"""Words of passages: codes, padded batches, and counts for the vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from semipunct.corpus.word_streams import TextPassage, marks_of
from semipunct.marks import Puncteme

Codes = npt.NDArray[np.int32]

# The suffixes and prefixes of a word with boundary signs.
_PARTS = (slice(-2, None), slice(-3, None), slice(-4, None), slice(3), slice(4))

CODES = 1 + len(_PARTS)
"""The number of codes of a word."""


def codes_of(forms: Sequence[str], vocabulary: dict[str, int], ngrams: int) -> Codes:
    """Return the codes of lower-cased words, ``[forms, CODES]``.

    The first code is the index in the vocabulary, 0 for unknown words; others are hashes.
    """
    codes = np.zeros((len(forms), CODES), np.int32)
    for row, form in zip(codes, forms, strict=True):
        row[0] = vocabulary.get(form, 0)
        bounded = f"<{form}>"
        for place, part in enumerate(_PARTS):
            key = f"{place}{bounded[part]}".encode("utf-8", "surrogatepass")
            row[place + 1] = crc32(key) % ngrams
    return codes


class TextBatch(NamedTuple):
    """Padded passages."""

    codes: Codes  # [distinct, CODES], of the distinct words
    words: Codes  # [batch, length], rows of ``codes``
    shapes: Codes  # [batch, length]
    possible: npt.NDArray[np.bool_]  # [batch, length, SHAPES]
    named: npt.NDArray[np.bool_]  # [batch, length], whether spelt so inside sentences, too
    tags: Codes  # [batch, length + 1], strings
    # [batch, length + 1], log-probability of a string given its tag
    spelling: npt.NDArray[np.float32]
    ends: npt.NDArray[np.bool_]  # [batch, length + 1], whether a sentence ends there
    lengths: Codes  # [batch]; 0 in padding rows


def counts_of(passages: Iterable[TextPassage]) -> tuple[Counter[str], Counter[Puncteme]]:
    """Count the words and strings of passages."""
    forms: Counter[str] = Counter()
    slots: Counter[Puncteme] = Counter()
    for stream, of_stream in groupby(passages, key=attrgetter("stream")):
        words, strings = np.zeros(len(stream.forms), int), np.zeros(len(stream.strings), int)
        for passage in of_stream:
            np.add.at(words, stream.words[passage.start : passage.stop], 1)
            np.add.at(strings, stream.slots[passage.start : passage.stop], 1)
        forms.update(dict(zip(stream.forms, words.tolist(), strict=True)))
        for string, count in zip(stream.strings, strings.tolist(), strict=True):
            slots[marks_of(string)] += count
    return forms, slots
