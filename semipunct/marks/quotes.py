"""Directional quotation marks (Li, Wang and Eisner 2019, footnote 12), and gaps between words."""

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, NamedTuple

from semipunct.marks.tokens import Puncteme

Kind = Literal["double", "single"]

# The opening and the closing mark of each kind.
DIRECTIONAL: dict[Kind, tuple[str, str]] = {"double": ("“", "”"), "single": ("‘", "’")}

# Forms of either side, to be disambiguated by a tag or by the partner.
_STRAIGHT: dict[str, Kind] = {
    '"': "double",
    '""': "double",
    "``": "double",
    "''": "double",
    "'": "single",
    "`": "single",
}
_BY_TAG = {"``": 0, "''": 1}
# Forms that determine the side if there is no tag.
_BY_FORM = {"``": 0, "`": 0, "''": 1}


class Mark(NamedTuple):
    """A token that may be a quotation mark; only marks of the same group can be partners."""

    form: str
    tag: str = ""
    group: Hashable = None


def directional(tokens: Sequence[Mark | None]) -> tuple[list[str | None], int, int]:
    """Replace straight quotation marks by opening and closing ones.

    Tag or else form determine the side if they can; other marks of each kind and group open and
    close in turn. None is a token that is not punctuation.

    Returns:
        The forms, the number of marks replaced, and the number left straight.
    """
    forms = [None if token is None else token.form for token in tokens]
    waiting: dict[tuple[Hashable, Kind], int] = {}
    replaced = 0
    for index, token in enumerate(tokens):
        kind = _STRAIGHT.get(token.form) if token else None
        if token is None or kind is None:
            continue
        side = _BY_TAG.get(token.tag, _BY_FORM.get(token.form))
        if side is not None:
            forms[index] = DIRECTIONAL[kind][side]
            replaced += 1
            continue
        first = waiting.pop((token.group, kind), None)
        if first is None:
            waiting[token.group, kind] = index
        else:
            forms[first], forms[index] = DIRECTIONAL[kind]
            replaced += 2
    return forms, replaced, len(waiting)


class Gap(NamedTuple):
    """The original text between two words, or at an edge of a sentence.

    Attributes:
        tokens: ``[k]`` marks in the vocabulary of models.
        spelt: ``[k]`` marks as in the text.
        spaces: ``[k + 1]`` the text around them.
        opens: whether the gap is before the first word.
        closes: whether it is after the last word.
    """

    tokens: Puncteme
    spelt: tuple[str, ...]
    spaces: tuple[str, ...]
    opens: bool = False
    closes: bool = False


def kept_tokens(before: Puncteme, after: Puncteme) -> list[int]:
    """Align new tokens with old ones: for each the number of the old token, from 1, or 0."""
    if before == after:
        return [*range(1, len(after) + 1)]
    numbers = [0] * len(after)
    if not before or not after:  # most slots of a long text
        return numbers
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for first, place, size in matcher.get_matching_blocks():
        numbers[place : place + size] = range(first + 1, first + size + 1)
    return numbers


def rewritten(gap: Gap, tokens: Puncteme, row: Sequence[bool]) -> list[str]:
    """Return the text of a gap with new marks, with spaces where ``row`` is true.

    Text between remaining neighbours and outside the sentence is kept. Spaces are taken from the
    other whitespace; tabs, line breaks and markup are never lost.

    Returns:
        Blanks and marks in turn, blanks first and last.
    """
    number = kept_tokens(gap.tokens, tokens)
    around = [0, *(origin or None for origin in number), len(gap.tokens) + 1]
    spaces: list[str | None] = []
    used: set[int] = set()
    last = len(tokens)
    for place, (left_number, right_number) in enumerate(pairwise(around)):
        gap_number: int | None = None
        if left_number is not None and right_number == left_number + 1:
            gap_number = left_number
        elif gap.opens and place == 0:
            gap_number = 0
        elif gap.closes and place == last and len(gap.tokens) not in used:
            gap_number = len(gap.tokens)  # without marks, the same text is at both edges
        spaces.append(None if gap_number is None else gap.spaces[gap_number])
        used |= set() if gap_number is None else {gap_number}
    new_place = {origin: place for place, origin in enumerate(around) if origin is not None}
    for i, space in enumerate(gap.spaces):
        if space and i not in used and i in new_place and i + 1 in new_place:
            places = range(new_place[i], new_place[i + 1])
            spaces[next((place for place in places if row[place]), places[-1])] = space
            used.add(i)
    free = [space for i, space in enumerate(gap.spaces) if space and i not in used]
    for place, has_space in enumerate(row):
        if spaces[place] is None:
            spaces[place] = (free.pop(0) if free else " ") if has_space else ""
    leftover = "".join(space for space in free if space.strip(" "))
    spelt = [
        gap.spelt[origin - 1] if origin else token
        for origin, token in zip(number, tokens, strict=True)
    ]
    pieces = [x or "" for pair in zip(spaces, spelt, strict=False) for x in pair]
    # The text after the sentence stays last.
    end = (leftover, spaces[-1] or "") if gap.closes else (spaces[-1] or "", leftover)
    return [*pieces, "".join(end)]
