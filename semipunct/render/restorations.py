"""Restored sentences for files and for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from semipunct.marks import SILENT, Puncteme
from semipunct.render.outputs import output
from semipunct.render.outputs.sentences import Restored
from semipunct.tasks.restoration import Restoration


def in_own_characters(found: Restoration, spelt: Sequence[Puncteme]) -> Restoration:
    """Return a restoration with the characters of the file in place of the model's tokens.

    A file may have straight quotation marks where the model knows directional ones.

    Args:
        found: the restored sentence.
        spelt: ``[n + 1]`` what is written for ``found.written`` (``Writer.spelt``).
    """
    own: list[Puncteme] = []
    for string, known, row in zip(found.slots, found.posteriors, spelt, strict=True):
        # From the end: the dot of an abbreviation may have absorbed the first token.
        forms = iter([token for token in reversed(row) if token not in SILENT])
        backwards = [t if t in SILENT else next(forms, t) for t in reversed(string)]
        mine = tuple(reversed(backwards))
        # Where the file has both, each keeps its name.
        own.append(string if mine in known.strings else mine)
    names = [{string: mine} for string, mine in zip(found.slots, own, strict=True)]
    return replace(
        found,
        slots=tuple(own),
        posteriors=tuple(
            replace(known, strings=tuple(name.get(s, s) for s in known.strings))
            for known, name in zip(found.posteriors, names, strict=True)
        ),
        nbest=tuple(
            (tuple(name.get(s, s) for s, name in zip(draw, names, strict=True)), share)
            for draw, share in found.nbest
        ),
    )


def as_dict(found: Restoration, text: str, word_ids: Sequence[int], strings: int) -> dict[str, Any]:
    """Return words, restored strings and posteriors of slots as values that JSON can hold.

    Args:
        found: the restored sentence.
        text: its plain text, with the spaces of its file.
        word_ids: ``[n]`` the number of each word in the file.
        strings: how many of the most probable strings of a slot to list.
    """
    return output(Restored, {**found.as_dict(strings), "text": text, "word_ids": word_ids})
