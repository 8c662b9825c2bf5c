"""Blanks beside marks that were changed: single spaces may come and go, nothing else is lost."""

from __future__ import annotations

from collections.abc import Sequence


def lost_space(before: Sequence[str], after: Sequence[str]) -> str:
    """Return what was lost or added between two words, empty if nothing.

    Args:
        before: the blanks between two words and the marks between them, in the input.
        after: in the output.
    """
    old, new = (sorted(s for s in spaces if s not in ("", " ")) for spaces in (before, after))
    if _breaks(old) != _breaks(new):
        return "line breaks"
    if len(before) == len(after):
        return "" if old == new else "special blanks"
    return (
        "" if bool(old) == bool(new) and set(new) <= {*old, "".join(before)} else "special blanks"
    )


def _breaks(spaces: Sequence[str]) -> int:
    return sum(space.count("\n") for space in spaces)
