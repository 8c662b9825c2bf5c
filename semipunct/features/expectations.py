"""Attributes from a parser's predictions: the certainty of a word's head, and expected marks.

Templates define them: models trained on parsed text use them, others do not.
"""

from __future__ import annotations

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.features.attributes import Attribute, Attributes, Single
from semipunct.features.vocabulary import Vocabulary

_SURE = (0.5, 0.8, 0.95)
"""Lower bounds of the classes of the probability of a head."""

_LIKELY = (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
"""Lower bounds of the classes of the probability of a mark."""

_CLASSES = len(_LIKELY) + 1


def _sure(table: Attributes) -> dict[str, Ints]:
    columns = [
        np.zeros(len(s.forms), np.int64)
        if s.expected is None
        else 1 + np.searchsorted(_SURE, s.expected.heads, "right")
        for s in table.words.sentences
    ]
    return {"sure": np.concatenate([np.zeros(0, np.int64), *columns])}


def _expected(table: Attributes) -> dict[str, Ints]:
    """Return codes of the expected mark at either edge of each constituent and its probability."""
    w = table.words
    codes: list[Ints] = []
    for s in w.sentences:
        if s.expected is None:
            codes.append(np.zeros(len(s.slots), np.int64))
            continue
        first = (string[0] if string else "" for string in s.expected.strings)
        mark = table.vocabulary.code("token", first)
        likely = np.searchsorted(_LIKELY, s.expected.probabilities, "right")
        # If the probability is negligible, marks are not distinguished.
        codes.append(1 + np.where(likely > 0, mark * _CLASSES + likely, 0))
    slots = np.concatenate([np.zeros(0, np.int64), *codes])
    base = w.first_word + w.sentence  # each preceding sentence has one slot more than words
    return {"expected_left": slots[base + w.left], "expected_right": slots[base + w.right]}


def _marks(vocabulary: Vocabulary) -> int:
    return 1 + _CLASSES * vocabulary.size("token")


EXPECTATIONS: dict[str, Attribute] = {
    "sure": Single(lambda _: len(_SURE) + 2, _sure),
    "expected_left": Single(_marks, _expected),
    "expected_right": Single(_marks, _expected),
}
