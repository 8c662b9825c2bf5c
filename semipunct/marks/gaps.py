"""Rewriting of the text between two words when its marks change."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from semipunct.marks.tokens import Puncteme


class Gap(NamedTuple):
    """The original text between two words, or at an edge of a sentence.

    Attributes:
        tokens: ``[k]`` its marks in the vocabulary of models.
        spelt: ``[k]`` the marks as spelt in the text.
        spaces: ``[k + 1]`` the text before, between and after them.
        opens: whether it is before the first word.
        closes: whether it is after the last word.
    """

    tokens: Puncteme
    spelt: tuple[str, ...]
    spaces: tuple[str, ...]
    opens: bool = False
    closes: bool = False

    @property
    def text(self) -> str:
        """The original characters."""
        pieces = (x for pair in zip(self.spaces, self.spelt, strict=False) for x in pair)
        return "".join(pieces) + self.spaces[-1]


def kept_tokens(old: Puncteme, new: Puncteme) -> list[int]:
    """Align new tokens with old ones: the number, from 1, of the old token of each; 0 for none.

    Args:
        old: the old tokens.
        new: the new tokens.
    """
    found = [0] * len(new)
    for first, place, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        found[place : place + size] = range(first + 1, first + size + 1)
    return found


def rewritten(gap: Gap, tokens: Puncteme, row: Sequence[bool]) -> str:
    """Return the text of a gap with new marks.

    The text between marks or words that remain neighbours is kept, and so is the text outside the
    sentence. Other required spaces are taken from the remaining whitespace, whatever its
    characters. Whitespace other than spaces (a tab, a line break) is never lost.

    Args:
        gap: the original gap.
        tokens: ``[m]`` the new marks.
        row: ``[m + 1]`` whether there is a space before, between and after them, as in
            ``spacing.slot_spaces``.
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
            kept = len(gap.tokens)  # without marks, the same text is at both edges
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
