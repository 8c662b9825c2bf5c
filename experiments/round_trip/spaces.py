"""Blanks beside marks that were changed: single spaces may come and go, nothing else is lost."""

from __future__ import annotations

from collections.abc import Sequence


def lost_space(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the kind of blanks lost or added between two words, empty if there are none.

    Where a mark between two blanks is deleted, both or one of them may remain.

    Args:
        before: the blanks between two words and the marks between them, in the input.
        after: in the output.
    """
    for char in sorted({*"".join(before), *"".join(after)} - {" "}):
        counts = [space.count(char) for space in before]
        number = sum(space.count(char) for space in after)
        if not max(counts, default=0) <= number <= sum(counts):
            return "line breaks" if char in "\r\n" else "special blanks"
    return ""
