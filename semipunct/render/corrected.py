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

def corrected_as_dict(
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
