"""Marks as rows of a table, for data frames: only texts and numbers, the same columns always."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from semipunct.render.decided_marks import Decision, Mark


class MarkRecord(TypedDict):
    """A row: the decision at one slot.

    Attributes:
        sentence: the id of the sentence; of a text ``#`` and the number of the line, from 1.
        slot: the number of the slot in the sentence, 0 before its first word.
        word: the word before the slot; empty before the first one.
        start: the place of the marks in the text, as an index of characters.
        end: their end.
        before: the marks that stood there, separated by blanks.
        after: the marks that stand there.
        decision: in a word.
        probability: of these marks.
        alternative: the most probable other marks; None if there are none.
        alternative_probability: of these.
        reason: for the marks, as sentences.
        key: of the reason in the catalogue.
    """

    sentence: str
    slot: int
    word: str
    start: int
    end: int
    before: str
    after: str
    decision: Decision
    probability: float
    alternative: str | None
    alternative_probability: float | None
    reason: str
    key: str


def mark_records(marks: Iterable[tuple[str, Mark]]) -> list[MarkRecord]:
    """Return marks as rows.

    Args:
        marks: the id of its sentence, and the mark.
    """
    return [_record(sentence, mark) for sentence, mark in marks]


def _record(sentence: str, mark: Mark) -> MarkRecord:
    alternative, share = mark.alternatives[0] if mark.alternatives else (None, None)
    return MarkRecord(
        sentence=sentence,
        slot=mark.slot,
        word=mark.word,
        start=mark.start,
        end=mark.end,
        before=mark.before,
        after=mark.after,
        decision=mark.decision,
        probability=mark.probability,
        alternative=alternative,
        alternative_probability=share,
        reason=mark.reason,
        key=mark.why.key,
    )
