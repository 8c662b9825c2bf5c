"""Representations of restored sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semipunct.marks import SILENT, Puncteme
from semipunct.tasks.restoration import Restoration, S


def in_own_characters(restoration: Restoration[S], spelt: Sequence[Puncteme]) -> Restoration[S]:
    """Return a restoration with the characters of the file instead of the model's tokens.

    A file may have straight quotation marks for directional ones of the model.

    Args:
        restoration: the restored sentence.
        spelt: ``[n + 1]`` what is written for ``found.written`` (``Writer.spell_marks``).
    """
    strings: list[Puncteme] = []
    for string, posterior, row in zip(
        restoration.slots, restoration.posteriors, spelt, strict=True
    ):
        # From the end: the dot of an abbreviation may have absorbed the first token.
        forms = iter([token for token in reversed(row) if token not in SILENT])
        backwards = [t if t in SILENT else next(forms, t) for t in reversed(string)]
        in_own = tuple(reversed(backwards))
        # If the file has both, each keeps its own form.
        strings.append(string if in_own in posterior.strings else in_own)
    names = [{string: in_own} for string, in_own in zip(restoration.slots, strings, strict=True)]
    return replace(
        restoration,
        slots=tuple(strings),
        posteriors=tuple(
            replace(posterior, strings=tuple(name.get(s, s) for s in posterior.strings))
            for posterior, name in zip(restoration.posteriors, names, strict=True)
        ),
        nbest=tuple(
            (tuple(name.get(s, s) for s, name in zip(draw, names, strict=True)), share)
            for draw, share in restoration.nbest
        ),
    )


def restored_as_dict(
    restoration: Restoration[Any], text: str, word_ids: Sequence[int], strings: int
) -> dict[str, Any]:
    """Return words, restored strings and posteriors of slots as values for JSON.

    Args:
        restoration: the restored sentence.
        text: its plain text, with the spaces of the file.
        word_ids: ``[n]`` the number of each word in the file.
        strings: the number of the most probable strings of a slot to list.
    """
    values = restoration.as_dict(strings)
    slots = values.pop("slots")
    named = {**values, "text": text, "word_ids": list(word_ids), "slots": slots}
    nbest = {"nbest": named.pop("nbest")} if "nbest" in named else {}
    return {"schema": "semipunct.restore/1", **named, **nbest}
