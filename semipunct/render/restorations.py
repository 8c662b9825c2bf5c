"""Restored sentences for files and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.render.outputs import Restored, output
from semipunct.tasks.restore import Restoration


def as_dict(found: Restoration, text: str, word_ids: Sequence[int], strings: int) -> dict[str, Any]:
    """Return words, restored strings and posteriors of slots as values that JSON can hold.

    Args:
        found: the restored sentence.
        text: its plain text, with the spaces of its file.
        word_ids: ``[n]`` the number of each word in the file.
        strings: how many of the most probable strings of a slot to list.
    """
    return output(Restored, {**found.as_dict(strings), "text": text, "word_ids": word_ids})
