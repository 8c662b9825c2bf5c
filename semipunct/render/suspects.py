"""Suspicious marks: lines for people, columns, JSON, and attributes of CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp
from typing import Any
from unicodedata import normalize

from semipunct.formats.conllu.records import format_record, read_records
from semipunct.marks import shown_string, spacing
from semipunct.render.outputs import output
from semipunct.render.outputs.treebanks import Suspected
from semipunct.render.reasons.marks import reason_of_mark
from semipunct.render.reasons.place import Line, Place
from semipunct.tasks.suspects import Suspect

ATTRIBUTE = "Suspect"
"""The attribute of MISC for a suspicious mark."""

_AROUND = 3
"""Words shown on each side of a slot."""

HEADINGS = ("score", "log_odds", "place", "sent_id", "token", "kind", "error", "text", "reason")
"""The columns of ``tsv``."""


def explain(suspect: Suspect) -> str:
    """Return the reason for a suspicion as a sentence.

    Args:
        suspect: a suspicious mark.
    """
    correction = suspect.correction
    if correction is None:
        return suspect.remark
    slots = list(suspect.sentence.slots)
    slots[suspect.slot] = suspect.proposed
    preferred = 1 / (1 + exp(-suspect.log_odds)) if suspect.log_odds > -_FAR else 0.0
    return reason_of_mark(
        Place(Line(suspect.sentence.forms, spacing.visible(slots)), suspect.slot),
        correction.before,
        correction.after,
        preferred,
        (),
        None if suspect.explanation is None else suspect.sentence,
        suspect.explanation,
    ).text


def reason_beyond_error(suspect: Suspect) -> str:
    """Return the reason for a suspicion; empty if it is the error itself.

    Args:
        suspect: a suspicious mark.
    """
    because = explain(suspect)
    return "" if because == suspect.error else because


_FAR = 700  # the exponential of a larger number is infinite


def excerpt(suspect: Suspect) -> str:
    """Return the words around a suspicious slot, with its marks as written in brackets.

    Args:
        suspect: a suspicious mark.
    """
    forms, slot = suspect.sentence.forms, suspect.slot
    marks = shown_string(suspect.written) if suspect.written else ""
    before, after = forms[max(0, slot - _AROUND) : slot], forms[slot : slot + _AROUND]
    return " ".join((*before, f"[{marks}]", *after))


def line(suspect: Suspect) -> str:
    """Write a suspect with its place, its score, the error and the reason.

    Args:
        suspect: a suspicious mark.
    """
    sentence = suspect.sentence
    because = reason_beyond_error(suspect)
    remark = f" ({because})" if because else ""
    return (
        f"{sentence.path}:{suspect.line}: sentence {sentence.sentence_id}: {suspect.score:.2f} "
        f"{suspect.error}: {excerpt(suspect)}{remark}"
    )


def columns(suspect: Suspect) -> str:
    """Write a suspect as values separated by tabs (``HEADINGS``).

    Args:
        suspect: a suspicious mark.
    """
    sentence = suspect.sentence
    values = (
        f"{suspect.score:.4f}", f"{suspect.log_odds:.4f}", f"{sentence.path}:{suspect.line}",
        sentence.sentence_id, str(suspect.token), suspect.kind, suspect.error, excerpt(suspect),
        explain(suspect),
    )  # fmt: skip
    return "\t".join(" ".join(value.split()) for value in values)


def as_dict(suspects: Sequence[Suspect], files: Iterable[str]) -> dict[str, Any]:
    """Return suspects as values for JSON.

    Args:
        suspects: suspicious marks.
        files: the names of their files.
    """
    rows = [
        {
            "path": suspect.sentence.path,
            "line": suspect.line,
            "sent_id": suspect.sentence.sentence_id,
            "token": suspect.token,
            "slot": suspect.slot,
            "kind": suspect.kind,
            "score": suspect.score,
            "log_odds": suspect.log_odds,
            "error": suspect.error,
            "written": list(suspect.written),
            "proposed": list(suspect.proposed),
            "reason": explain(suspect),
        }
        for suspect in suspects
    ]
    return output(Suspected, {"files": list(files), "suspects": rows})


def annotate(suspects: Sequence[Suspect], files: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of files with suspicious marks in MISC; all else is as it was.

    The value is the score and the error: ``Suspect=9.48:superfluous%20,``. A missing mark is on the
    word before it.

    Args:
        suspects: suspicious marks.
        files: the names of their files.
    """
    values_of: dict[tuple[str, int], dict[int, list[str]]] = {}
    for suspect in suspects:
        place = suspect.sentence.path, suspect.sentence.line
        values = values_of.setdefault(place, {}).setdefault(max(suspect.token, 1), [])
        # MISC is in the normal form C, whatever the forms of the file are in.
        values.append(normalize("NFC", f"{suspect.score:.2f}:{suspect.error}"))
    for path in files:
        for record in read_records(path):
            attributes = values_of.get((record.path, record.line), {})
            misc = {token: {ATTRIBUTE: ";".join(values)} for token, values in attributes.items()}
            yield format_record(record, misc, replaces=(f"{ATTRIBUTE}=",))
