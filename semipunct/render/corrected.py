"""Representations of corrected sentences: JSON with offsets, differences, M2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct.corpus.located import Located
from semipunct.corpus.passages import Span
from semipunct.formats.m2 import m2_sentence
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.render.reasons.catalogue import rule
from semipunct.render.reasons.marks import reason_of_correction
from semipunct.render.reasons.place import Line
from semipunct.tasks.correction import Corrected

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


def as_dict(
    corrected: Corrected,
    before: str,
    after: str,
    spelt: tuple[Sequence[Puncteme], Sequence[Puncteme]],
    word_ids: Sequence[int],
    places: Places | Located,
    offset: int | None,
) -> dict[str, Any]:
    """Return a corrected sentence as values for JSON.

    Args:
        corrected: the sentence.
        before: its text as it was read.
        after: its text with corrected punctuation.
        spelt: its slots as they were read, and with corrected punctuation, in the characters of the
            file (``Writer.spell_marks``).
        word_ids: ``[n]`` the number of each word in the file.
        places: of its tokens in ``before``.
        offset: where ``before`` begins in the file; None for files other than running text.
    """
    rows: list[dict[str, Any]] = []
    visible = [spacing.visible(slots) for slots in spelt]
    line = Line(corrected.sentence.forms, spacing.visible(corrected.slots))
    for explained in corrected.corrections:
        correction = explained.correction
        start, end = places.place(correction.slot, correction.start, correction.stop)
        before_slots, after_slots = (
            slots[correction.slot][correction.start :] for slots in visible
        )
        attached = () if explained.reason is None else explained.reason.attached
        edits = () if explained.reason is None else explained.reason.edits
        rows.append(
            {
                "slot": correction.slot,
                "start": start,
                "end": end,
                "before": list(before_slots[: len(correction.before)]),
                "after": list(after_slots[: len(correction.after)]),
                "error": correction.error,
                "probability": explained.probability,
                "probability_of_written": explained.written,
                "underlying": [
                    {"word": a.word, "side": a.side, "tokens": list(a.tokens)} for a in attached
                ],
                "edits": [{"edit": e.name, "a": e.a, "b": e.b} for e in edits],
                "rule": rule(edits),
                "reason": reason_of_correction(corrected, explained, line).text,
            }
        )
    return {
        "schema": "semipunct.correct/1",
        "sent_id": corrected.sentence.sentence_id,
        "input": before,
        "offset": offset,
        "text": after,
        "words": list(corrected.sentence.forms),
        "word_ids": list(word_ids),
        "corrections": rows,
    }


def difference(corrected: Corrected, before: str, after: str) -> str:
    """Return a corrected sentence as lines of a diff; empty if nothing was corrected.

    Args:
        corrected: the sentence.
        before: its text as it was read.
        after: its text with corrected punctuation.
    """
    if not corrected.corrections:
        return ""
    sentence = corrected.sentence
    # A file name need not be valid UTF-8.
    path = sentence.path.encode("utf-8", "backslashreplace").decode("utf-8")
    head = f"@@ {path}:{sentence.line} {sentence.sentence_id} @@"
    sides = (("-", before), ("+", after))  # a sentence of running text may have several lines
    lines = (sign + line for sign, text in sides for line in re.split(r"\r?\n|\r", text))
    return "".join(f"{line}\n" for line in (head, *lines))


def m2(corrected: Corrected, before: Sequence[Puncteme], after: Sequence[Puncteme]) -> str:
    """Return a sentence with its corrections as M2, including the empty line after it.

    Args:
        corrected: the sentence.
        before: its slots as they were read, in the characters of the file.
        after: those with corrected punctuation.
    """
    return m2_sentence(corrected.sentence.forms, before, [after])


def unchanged_to_m2(tokens: Sequence[str]) -> str:
    """Return a sentence that was left unchanged as M2, so that all sentences keep their numbers.

    Args:
        tokens: of the sentence.
    """
    return m2_sentence((), (tuple(tokens),), [(tuple(tokens),)])
