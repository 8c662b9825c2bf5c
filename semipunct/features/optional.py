"""Attributes of the written punctuation (for correction) and of a parser's predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.features.attributes import Attribute, Attributes, Single
from semipunct.features.vocabulary import Vocabulary
from semipunct.features.words import SPANS, span_class
from semipunct.marks import Puncteme

# Classes of string lengths: none, one, more; codes also distinguish the first and last token.
_LENGTHS = 3

# Cap on the number of marked slots.
_MOST = 6

# The code if the written punctuation is unknown.
_UNKNOWN = 0


def _strings(vocabulary: Vocabulary) -> int:
    return 1 + _LENGTHS * (vocabulary.size("token") + 1) ** 2


def _string_codes(strings: Iterable[Puncteme], vocabulary: Vocabulary) -> Ints:
    tokens = vocabulary.size("token") + 1
    code_of: dict[Puncteme, int] = {}
    codes: list[int] = []
    for string in strings:
        if string not in code_of:
            ends = [tokens - 1, tokens - 1]
            if string:
                ends = vocabulary.code("token", (string[0], string[-1])).tolist()
            length = min(len(string), _LENGTHS - 1)
            code_of[string] = 1 + (length * tokens + ends[0]) * tokens + ends[1]
        codes.append(code_of[string])
    return np.array(codes, np.int64)


def _marks(vocabulary: Vocabulary) -> int:
    return vocabulary.size("token") + 3


def _mark_codes(strings: Sequence[Puncteme], vocabulary: Vocabulary) -> Ints:
    """Code the last token of each string; the code for no slot is appended."""
    nothing = vocabulary.size("token") + 1
    codes = 1 + vocabulary.code("token", (s[-1] if s else "" for s in strings))
    empty = np.array([not s for s in strings], bool)
    return np.append(np.where(empty, nothing, codes), nothing + 1)


def _written(table: Attributes) -> dict[str, Ints]:
    w = table.words
    parts: list[dict[str, Ints]] = []
    for i, sentence in enumerate(w.sentences):
        words = slice(int(w.start[i]), int(w.start[i + 1]))
        if sentence.written is None:
            unknown = np.full(words.stop - words.start, _UNKNOWN, np.int64)
            parts.append(dict.fromkeys(WRITTEN, unknown))
            continue
        slots = sentence.written.slots
        left, right = w.left[words], w.right[words]
        strings = _string_codes(slots, table.vocabulary)
        marks = _mark_codes(slots, table.vocabulary)
        marked = np.array([bool(s) for s in slots], np.int64)
        so_far = np.concatenate([np.zeros(1, np.int64), marked.cumsum()])
        place = np.arange(len(slots))
        last = np.maximum.accumulate(np.where(marked > 0, place, -1))
        before = np.concatenate([[-1], last[:-1]])
        following = np.where(marked > 0, place, len(slots))
        following = np.append(np.minimum.accumulate(following[::-1])[::-1][1:], len(slots))
        end = len(slots)
        parts.append(
            {
                "written_left": strings[left],
                "written_right": strings[right],
                "written_before": marks[np.where(left > 0, left - 1, end)],
                "written_second": marks[left + 1],
                "written_last_but_one": marks[right - 1],
                "written_after": marks[right + 1],
                "written_since": 1 + span_class(left - before[left]),
                "written_until": 1 + span_class(following[right] - right),
                "written_inside": 1 + np.minimum(so_far[right] - so_far[left + 1], _MOST),
                "written_final": np.full(len(left), marks[end - 1]),
                "written_marks": np.full(len(left), 1 + min(int(so_far[-2]), _MOST)),
            }
        )
    nothing = np.zeros(0, np.int64)
    return {name: np.concatenate([nothing, *(part[name] for part in parts)]) for name in WRITTEN}


def _analysed(table: Attributes) -> dict[str, Ints]:
    pairs: list[tuple[Puncteme, Puncteme] | None] = []
    for s in table.words.sentences:
        analysed_pairs = None if s.written is None else s.written.pairs
        pairs += analysed_pairs if analysed_pairs is not None else [None] * len(s.forms)
    is_known = np.array([pair is not None for pair in pairs], bool)
    sides = [_string_codes((p[i] if p else () for p in pairs), table.vocabulary) for i in (0, 1)]
    left, right = (np.where(is_known, codes, _UNKNOWN) for codes in sides)
    return {"analysed_left": left, "analysed_right": right}


_MARKS = ("before", "second", "last_but_one", "after", "final")

WRITTEN: dict[str, Attribute] = {
    **{name: Single(_strings, _written) for name in ("written_left", "written_right")},
    **{f"written_{name}": Single(_marks, _written) for name in _MARKS},
    **{name: Single(lambda _: SPANS + 1, _written) for name in ("written_since", "written_until")},
    **{name: Single(lambda _: _MOST + 2, _written) for name in ("written_inside", "written_marks")},
}

ANALYSED: dict[str, Attribute] = {
    name: Single(_strings, _analysed) for name in ("analysed_left", "analysed_right")
}


# Lower bounds of the classes of a head's probability.
_SURE = (0.5, 0.8, 0.95)

# Lower bounds of the classes of a mark's probability.
_LIKELY = (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)

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
    w = table.words
    codes: list[Ints] = []
    for s in w.sentences:
        if s.expected is None:
            codes.append(np.zeros(len(s.slots), np.int64))
            continue
        first = (string[0] if string else "" for string in s.expected.strings)
        mark = table.vocabulary.code("token", first)
        likely = np.searchsorted(_LIKELY, s.expected.probabilities, "right")
        # Marks of negligible probability share one code.
        codes.append(1 + np.where(likely > 0, mark * _CLASSES + likely, 0))
    slots = np.concatenate([np.zeros(0, np.int64), *codes])
    base = w.first_word + w.sentence  # each preceding sentence has one slot more than words
    return {"expected_left": slots[base + w.left], "expected_right": slots[base + w.right]}


def _expected_marks(vocabulary: Vocabulary) -> int:
    return 1 + _CLASSES * vocabulary.size("token")


EXPECTATIONS: dict[str, Attribute] = {
    "sure": Single(lambda _: len(_SURE) + 2, _sure),
    "expected_left": Single(_expected_marks, _expected),
    "expected_right": Single(_expected_marks, _expected),
}
