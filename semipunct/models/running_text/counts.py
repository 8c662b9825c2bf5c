"""Counts of the words and strings of passages, from which the vocabulary is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np

from semipunct.corpus.word_streams import TextPassage, WordStream, marks_of
from semipunct.marks import Puncteme

_COUNTED = 2**20
"""The words that are counted at a time."""


def counts_of(passages: Iterable[TextPassage]) -> tuple[Counter[str], Counter[Puncteme]]:
    """Count the words and strings of passages."""
    forms: Counter[str] = Counter()
    slots: Counter[Puncteme] = Counter()
    for stream, spans in groupby(_spans(passages), key=itemgetter(0)):
        words, strings = np.zeros(len(stream.forms), int), np.zeros(len(stream.strings), int)
        for _, start, stop in spans:
            for first in range(start, stop, _COUNTED):
                last = min(first + _COUNTED, stop)
                words += np.bincount(stream.words[first:last], minlength=len(words))
                strings += np.bincount(stream.slots[first:last], minlength=len(strings))
        forms.update(dict(zip(stream.forms, words.tolist(), strict=True)))
        for string, count in zip(stream.strings, strings.tolist(), strict=True):
            slots[marks_of(string)] += count
    return forms, slots


def _spans(passages: Iterable[TextPassage]) -> Iterator[tuple[WordStream, int, int]]:
    """Yield the words of passages, those of adjacent ones together."""
    last: tuple[WordStream, int, int] | None = None
    for passage in passages:
        if last is not None and last[0] is passage.stream and last[2] == passage.start:
            last = (passage.stream, last[1], passage.stop)
            continue
        if last is not None:
            yield last
        last = (passage.stream, passage.start, passage.stop)
    if last is not None:
        yield last
