"""The text between two words, rewritten when its marks change."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from semipunct.marks.tokens import Puncteme


class Gap(NamedTuple):
    """The text between two words, or at an edge of a sentence, as it was.

    Attributes:
        tokens: ``[k]`` its marks as models know them.
        spelt: ``[k]`` the same as they are in the text.
        spaces: ``[k + 1]`` everything before, between and after them.
        opens: whether it is before the first word.
        closes: whether it is after the last one.
    """

    tokens: Puncteme
    spelt: tuple[str, ...]
    spaces: tuple[str, ...]
    opens: bool = False
    closes: bool = False

    @property
    def text(self) -> str:
        """The characters, as they were."""
        pieces = (x for pair in zip(self.spaces, self.spelt, strict=False) for x in pair)
        return "".join(pieces) + self.spaces[-1]


def kept_tokens(old: Puncteme, new: Puncteme) -> list[int]:
    """Return for each new token which old one it is, counted from 1; 0 for none.

    Args:
        old: the tokens that were there.
        new: those that are wanted.
    """
    found = [0] * len(new)
    for first, place, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        found[place : place + size] = range(first + 1, first + size + 1)
    return found


def rewritten(gap: Gap, tokens: Puncteme, row: Sequence[bool]) -> str:
    """Return the text of a gap with other marks.

    Neighbours that were neighbours keep what was between them, and the edges of a sentence what is
    outside. Where a space is wanted, one that has lost a neighbour is taken, whatever characters
    it is of. What is more than a space (a tab, a line break) is never lost.

    Args:
        gap: as it was.
        tokens: ``[m]`` the marks that are wanted.
        row: ``[m + 1]`` whether a space stands before, between and after them, as
            ``spacing.slot_spaces`` says.
    """
    if tokens == gap.tokens:
        return gap.text
    number = kept_tokens(gap.tokens, tokens)
    around = [0, *(old or None for old in number), len(gap.tokens) + 1]
    found: list[str | None] = []
    used: set[int] = set()
    last = len(tokens)
    for place, (one, other) in enumerate(pairwise(around)):
        kept: int | None = None
        if one is not None and other == one + 1:
            kept = one
        elif gap.opens and place == 0:
            kept = 0
        elif gap.closes and place == last and len(gap.tokens) not in used:
            kept = len(gap.tokens)  # which is at the other edge as well where there is nothing else
        found.append(None if kept is None else gap.spaces[kept])
        used |= set() if kept is None else {kept}
    free = [space for i, space in enumerate(gap.spaces) if space and i not in used]
    for place, wanted in enumerate(row):
        if found[place] is None:
            found[place] = (free.pop(0) if free else " ") if wanted else ""
    rest = "".join(space for space in free if space.strip(" "))
    spelt = [gap.spelt[old - 1] if old else new for old, new in zip(number, tokens, strict=True)]
    pieces = (x or "" for pair in zip(found, spelt, strict=False) for x in pair)
    return "".join(pieces) + (found[-1] or "") + rest
