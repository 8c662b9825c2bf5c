"""Places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semipunct.corpus.passages import Span
from semipunct.marks import ABBREVIATION, Puncteme, spacing

_FAR = 40
"""Characters within which a token is searched: the text of a file may differ from its tokens."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of words and marks in the text of a sentence.

    Attributes:
        words: ``[n]`` ends of words, with the dot of an abbreviation.
        marks: ``[n + 1]`` places of the tokens of each slot, without that dot.
        start: the place of the first token.
    """

    words: tuple[int, ...]
    marks: tuple[tuple[Span, ...], ...]
    start: int

    @classmethod
    def of(cls, text: str, forms: Sequence[str], slots: Sequence[Puncteme]) -> Places:
        """Find words and marks in a text, one after another.

        Args:
            text: of the sentence.
            forms: ``[n]`` its words, as spelt in the text; empty for words that are part of the
                preceding one there.
            slots: ``[n + 1]`` its marks, as spelt in the text.
        """
        place = len(text) - len(text.lstrip())
        start, ends, marks = place, list[int](), list[tuple[Span, ...]]()

        def find_span(token: str) -> Span:
            nonlocal place
            at = text.find(token, place, place + len(token) + _FAR)
            if at < 0:
                return place, place
            place = at + len(token)
            return at, place

        for slot, tokens in enumerate(slots):
            if slot:
                form = forms[slot - 1]
                find_span(form)
                if form and ABBREVIATION in tokens and text[place : place + 1] == ".":
                    place += 1
                ends.append(place)
            (visible,) = spacing.visible([tokens])
            marks.append(tuple(find_span(token) for token in visible))
        return cls(tuple(ends), tuple(marks), start)

    def place(self, slot: int, start: int, stop: int) -> Span:
        """Return the place of tokens of a slot; it is empty for an insertion.

        Args:
            slot: its number.
            start: the first of the tokens, the dot of an abbreviation not counted.
            stop: the one after the last.
        """
        spans = self.marks[slot]
        if start < stop:
            return spans[start][0], spans[stop - 1][1]
        if start:
            return spans[start - 1][1], spans[start - 1][1]
        at = self.words[slot - 1] if slot else self.start
        return at, at
