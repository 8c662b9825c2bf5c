"""The changes between a text and the same text with other marks, as places in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semipunct.render.decided_marks import Mark
from semipunct.render.punctuated_text import PunctuatedText


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a text that is replaced; positions are indices of characters.

    Attributes:
        start: of the part in the source.
        end: of the part in the source; equal to the start for an insertion.
        replacement: what is written instead.
        place: the start of the replacement in the new text.
        marks: the decisions on marks in it.
    """

    start: int
    end: int
    replacement: str
    place: int
    marks: tuple[Mark, ...]


def changes(source: str, text: PunctuatedText) -> list[Change]:
    """Return the parts of a text in which marks, and the blanks beside them, were changed.

    Letters may have other capitals, but are otherwise the same in both texts, and in order.

    Args:
        source: the text as it was.
        text: with other marks.
    """
    spans = list(_differences(source, str(text)))
    marks = [mark for mark in text.marks if mark.is_changed]
    found: list[Change] = []
    next_mark = 0
    for start, end, place, stop in spans:
        own_marks: list[Mark] = []
        while next_mark < len(marks) and marks[next_mark].start <= stop:
            own_marks.append(marks[next_mark])
            next_mark += 1
        if own_marks:
            found.append(Change(start, end, str(text)[place:stop], place, tuple(own_marks)))
    return found


def places_in_source(source: str, text: str, places: Sequence[int]) -> list[int]:
    """Return where places of a text with other marks are in its source.

    Args:
        source: the text as it was.
        text: with other marks.
        places: indices of characters of the text, in ascending order.
    """
    spans = iter([*_differences(source, text), (len(source), len(source), len(text), len(text))])
    start, end, place, stop = next(spans)
    shift = 0
    places_before: list[int] = []
    for wanted in places:
        while wanted > stop:
            shift = end - stop
            start, end, place, stop = next(spans)
        within = min(start + wanted - place, end)
        places_before.append(wanted + shift if wanted <= place else within)
    return places_before


def _differences(source: str, text: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield places of differences in both texts: from one equal letter or digit to the next."""
    i = j = 0
    while i < len(source) or j < len(text):
        if i < len(source) and j < len(text) and _are_equal(source[i], text[j]):
            i, j = i + 1, j + 1
            continue
        start, place = i, j
        while i < len(source) and not source[i].isalnum():
            i += 1
        while j < len(text) and not text[j].isalnum():
            j += 1
        if i == start and j == place:  # a capital of two characters
            i, j = min(i + 1, len(source)), min(j + 1, len(text))
            continue
        end, stop = i, j
        while end > start and stop > place and source[end - 1] == text[stop - 1]:
            end, stop = end - 1, stop - 1
        yield start, end, place, stop


def _are_equal(a: str, b: str) -> bool:
    return a == b or a.lower() == b.lower()
