"""Restored sentences for files and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.marks import ABBREVIATION, Puncteme
from semipunct.tasks.base import Slots
from semipunct.tasks.restore import Restoration, SlotPosterior


def as_dict(found: Restoration, text: str, strings: int) -> dict[str, Any]:
    """Return words, restored strings and posteriors of slots as values that JSON can hold.

    Args:
        found: the restored sentence.
        text: its plain text.
        strings: the number of the most probable strings of a slot to list.
    """
    slots = zip(found.slots, found.posteriors, strict=True)
    result: dict[str, Any] = {
        "sent_id": found.sentence.sentence_id,
        "text": text,
        "words": list(found.sentence.forms),
        "slots": [_slot(string, known, strings) for string, known in slots],
    }
    if found.nbest:
        result["nbest"] = [
            {"slots": [" ".join(string) for string in draw], "share": share}
            for draw, share in found.nbest
        ]
    return result


def written_slots(found: Restoration) -> Slots:
    """Return the restored strings, with the dots of abbreviations, parts of words, as they were."""
    result: list[Puncteme] = []
    for before, string in zip(found.sentence.slots, found.slots, strict=True):
        dot = tuple(t for t in before if t == ABBREVIATION)
        result.append((*dot, *(t for t in string if t != ABBREVIATION)))
    return tuple(result)


def _slot(string: Sequence[str], known: SlotPosterior, strings: int) -> dict[str, Any]:
    listed = dict(zip(known.strings[:strings], known.probability.tolist(), strict=False))
    listed.setdefault(tuple(string), known.of(tuple(string)))
    return {
        "string": " ".join(string),
        "probability": known.of(tuple(string)),
        "entropy": known.entropy,
        "alternatives": {" ".join(s): p for s, p in listed.items()},
    }
