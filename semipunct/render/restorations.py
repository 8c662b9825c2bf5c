"""Restored sentences for files and for people."""

from __future__ import annotations

from typing import Any

from semipunct.tasks.restore import Restoration


def as_dict(found: Restoration, text: str, strings: int) -> dict[str, Any]:
    """Return words, restored strings and posteriors of slots as values that JSON can hold.

    Args:
        found: the restored sentence.
        text: its plain text, with the spaces of its file.
        strings: how many of the most probable strings of a slot to list.
    """
    return {**found.as_dict(strings), "text": text}
