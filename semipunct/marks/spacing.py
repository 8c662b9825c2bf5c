"""Spacing around punctuation: words and slots as plain text.

Unicode categories and a table of exceptions determine the side on which a mark is attached without
a space; a partner or position determines it for ambiguous quotation marks. The language is not
used.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from semipunct.marks.matching import TYPOGRAPHIC, matched_pairs
from semipunct.marks.tokens import ABBREVIATION, SILENT, STRAIGHT, Puncteme, is_emoticon, is_picture

# The side on which a token is attached without a space.
Side = Literal["left", "right", "both", "neither"]

# A hyphen, attached on both sides, or a substitute for a dash, with spaces.
HYPHEN = "-"

_BY_CATEGORY: dict[str, Side] = {
    "Ps": "right",
    "Pi": "right",
    "Pe": "left",
    "Pf": "left",
    "Po": "left",
}
# Exceptions to the categories: the characters of each side.
_EXCEPTIONS: tuple[tuple[Side, str], ...] = (
    ("right", "¿¡#`"),
    ("both", "/\\_‐‑־⁄·‧・"),
    ("neither", "&*@§¶†‡•‣⁂※"),
)
_BY_CHARACTER: dict[str, Side] = {char: side for side, chars in _EXCEPTIONS for char in chars}

_WORD: tuple[Side] = ("neither",)
_TO_THE_LEFT: frozenset[Side] = frozenset({"left", "both"})
_TO_THE_RIGHT: frozenset[Side] = frozenset({"right", "both"})

# Prefixes of the names of characters of scripts without spaces between words.
_UNSPACED_NAMES = (
    "BOPOMOFO",
    "CJK",
    "FULLWIDTH",
    "HIRAGANA",
    "IDEOGRAPHIC",
    "KATAKANA",
    "KHMER",
    "LAO",
    "MYANMAR",
    "THAI",
)

# Relations of a following dependent that is set off rather than part of a word.
_LOOSE = frozenset(
    {
        "acl",
        "advcl",
        "appos",
        "cc",
        "conj",
        "discourse",
        "dislocated",
        "list",
        "parataxis",
        "vocative",
    }
)


def visible(slots: Sequence[Puncteme]) -> list[Puncteme]:
    """Remove the tokens of ``SILENT``, which are not visible between words."""
    return [tuple(token for token in slot if token not in SILENT) for slot in slots]


def token_sides(slots: Sequence[Puncteme]) -> list[list[Side]]:
    """Return the side on which each token of a sentence is attached, by slot."""
    sides: list[list[Side]] = [[*map(_side, tokens)] for tokens in slots]
    for (slot, index), (last_slot, last_index) in matched_pairs(slots):
        sides[slot][index], sides[last_slot][last_index] = "right", "left"
    # A straight mark without a partner closes after the last word, and opens anywhere else.
    for index, token in enumerate(slots[-1]):
        if token in STRAIGHT:
            sides[-1][index] = "left"
    return sides


@lru_cache(maxsize=4096)
def _side(token: str) -> Side:
    """Return the side of a token without a partner."""
    opens, closes = token in TYPOGRAPHIC.openings, token in TYPOGRAPHIC.partners
    if opens != closes:
        return "right" if opens else "left"
    if token in STRAIGHT:
        return "right"
    sides: list[Side] = [_character_side(char) for char in token]
    return sides[0] if len(set(sides)) == 1 else "neither"


def _character_side(char: str) -> Side:
    return _BY_CHARACTER.get(char) or _BY_CATEGORY.get(unicodedata.category(char), "neither")


def is_dash(token: str) -> bool:
    """Return whether a token consists of dashes and hyphens only."""
    return all(unicodedata.category(char) == "Pd" for char in token) and bool(token)


def are_spaced(before: str, after: str) -> bool:
    """Return whether the script has a space between two neighbouring words or marks."""
    # Korean has spaces, although it also uses Han characters.
    last, first = _script(before[-1:]), _script(after[:1])
    return "unspaced" not in (last, first) or "hangul" in (last, first)


@lru_cache(maxsize=4096)
def _script(char: str) -> Literal["unspaced", "hangul", "other"]:
    name = unicodedata.name(char, "") if char else ""
    if name.startswith("HANGUL"):
        return "hangul"
    wide_mark = bool(char) and (
        unicodedata.category(char)[0] == "P" and unicodedata.east_asian_width(char) in "WF"
    )
    return "unspaced" if wide_mark or name.startswith(_UNSPACED_NAMES) else "other"


def compound_slots(heads: Sequence[int], relations: Sequence[str]) -> frozenset[int]:
    """Find the slots where a hyphen would form a compound of two words (*text-based*, *al-Qaida*).

    An arc links the two words, except to a following dependent with a loose relation, which a
    hyphen sets off as a dash (*Lagos - home of ...*).
    """
    return frozenset(
        word
        for word in range(1, len(heads))
        if heads[word - 1] == word + 1
        or (heads[word] == word and relations[word].partition(":")[0] not in _LOOSE)
    )


def slot_spaces(
    forms: Sequence[str],
    slots: Sequence[Puncteme],
    spaced: Sequence[bool | None] | None = None,
    compounds: Set[int] = frozenset(),
) -> list[list[bool]]:
    """Determine the spaces around words and marks by typographic rules.

    Args:
        slots: ``[n + 1]`` ``visible`` strings.
        spaced: whether a space follows a word if the slot after it is empty; by default the script
            decides.
        compounds: slots where a single hyphen is attached on both sides (see ``compound_slots``).

    Returns:
        ``[n + 1]`` for each slot, whether there is a space before each token and after the last.
    """
    rows: list[list[bool]] = []
    last = len(forms)
    for slot, (tokens, sides) in enumerate(zip(slots, token_sides(slots), strict=True)):
        attested = spaced[slot - 1] if spaced is not None and 0 < slot < last else None
        if not tokens and attested is not None:
            rows.append([attested])
            continue
        if not tokens and 0 < slot < last:
            rows.append([are_spaced(forms[slot - 1], forms[slot])])
            continue
        if slot in compounds and tokens == (HYPHEN,):
            sides = ["both"]
        texts = (*forms[slot - 1 : slot], *tokens, *forms[slot : slot + 1])
        words_before, words_after = min(slot, 1), int(slot < last)
        glued = [*_WORD[:words_before], *sides, *_WORD[:words_after]]
        inner = [
            left_unit[1] not in _TO_THE_RIGHT
            and right_unit[1] not in _TO_THE_LEFT
            and are_spaced(left_unit[0], right_unit[0])
            for left_unit, right_unit in pairwise(zip(texts, glued, strict=True))
        ]
        rows.append([*[False] * (1 - words_before), *inner, *[False] * (1 - words_after)])
    return rows


def revised_spaces(
    rows: Sequence[Sequence[bool]],
    slots: Sequence[Puncteme],
    units: Sequence[Sequence[int]],
    forms: Sequence[str],
    spaces: Sequence[bool | None],
) -> list[list[bool]]:
    """Restore the spaces of an original text between remaining neighbours.

    A dash has the spacing of the original dash in its slot. Words stay separated if the marks
    between them are deleted.

    Args:
        rows: from ``slot_spaces``.
        units: ``[n + 1]`` for each slot the original numbers, from 1, of the word before it, its
            tokens and the word after it; 0 if new or beyond an edge.
        forms: the original words and marks.
        spaces: whether a space follows each of them; None if unknown.
    """
    revised = [list(row) for row in rows]
    for row, tokens, numbers in zip(revised, slots, units, strict=True):
        if not tokens and numbers[0] and spaces[numbers[0] - 1]:
            row[0] = True
        for index, token in enumerate(tokens):
            if is_dash(token):
                _keep(row, index, _around_dash(numbers, index, forms, spaces), spaces)
        for gap, (left_number, right_number) in enumerate(pairwise(numbers)):
            if left_number and right_number == left_number + 1:
                _keep(row, gap, (left_number,), spaces)
    _keep(revised[-1], len(slots[-1]), (len(forms),), spaces)
    return revised


def _around_dash(
    numbers: Sequence[int], index: int, forms: Sequence[str], spaces: Sequence[bool | None]
) -> Sequence[int]:
    """Find the original units whose following spaces apply to both sides of a dash."""
    before, unit, after = numbers[0], numbers[index + 1], numbers[-1] or len(forms) + 1
    dashes = (number for number in range(before + 1, after) if is_dash(forms[number - 1]))
    source = unit or next(dashes, 0)
    if source:
        return source - 1, source
    glued = before and after == before + 1 and spaces[before - 1] is False
    return (before, before) if glued else ()


def _keep(row: list[bool], gap: int, numbers: Sequence[int], spaces: Sequence[bool | None]) -> None:
    """Copy known spaces after the original units ``numbers`` to a row, from ``gap`` on."""
    for place, number in enumerate(numbers, start=gap):
        attested = spaces[number - 1] if number else None
        row[place] = row[place] if attested is None else attested


def text(
    forms: Sequence[str], slots: Sequence[Puncteme], spaced: Sequence[bool | None] | None = None
) -> str:
    """Write words and the tokens of their slots as plain text.

    The dot of an abbreviation is attached to its word; boundary marks are left out.
    """
    dotted = [
        form + "." * slot.count(ABBREVIATION) for form, slot in zip(forms, slots[1:], strict=True)
    ]
    shown = visible(slots)
    pieces: list[str] = []
    for slot, row in enumerate(slot_spaces(dotted, shown, spaced)):
        for piece, space in zip((*shown[slot], *dotted[slot : slot + 1]), row, strict=False):
            pieces += [" ", piece] if space else [piece]
    return "".join(pieces)


# Minimal share of places without blanks for a mark to join words. Annotators and writers are
# inconsistent: English-EWT has hyphens and slashes with a blank.
SHARE = 2 / 3

# Minimal number of such places.
LEAST = 3


@dataclass(frozen=True, slots=True)
class JoiningMarks:
    """The marks that join words, each with whether its slot is between a word and its head.

    ``None`` means typographic rules.
    """

    places: frozenset[tuple[str, bool]] | None = None

    @classmethod
    def of(
        cls, joined: Counter[tuple[str, bool]], apart: Counter[tuple[str, bool]]
    ) -> JoiningMarks:
        """Choose the marks by how often they occur without and with blanks."""
        if not joined:
            return cls()
        return cls(
            frozenset(
                place
                for place, count in joined.items()
                if count >= LEAST and count >= SHARE * (count + apart[place])
            )
        )

    def join(self, token: str, *, is_compound: bool) -> bool:
        """Return whether a mark joins words."""
        if self.places is not None:
            return (token, is_compound) in self.places
        return _side(token) == "both" or (is_compound and token == HYPHEN)

    def may_part(self, string: Puncteme, *, is_compound: bool) -> bool:
        """Return whether a string may occur between two words that do not join."""
        return not any(self.join(token, is_compound=is_compound) for token in string)


# The marks that join words if their spacing is unknown.
BY_TYPOGRAPHY = JoiningMarks()


# Characters that end a sentence.
ENDS = frozenset(".!?…‼⁇⁈⁉。！？｡؟۔।॥։።፧၊။។៕")

# Characters that separate parts of a sentence.
SEPARATORS = frozenset(",;:，；：、､،؛፣፤፥·")

# Characters of markup, code and formulas, which treebanks may tag as punctuation.
SIGNS = frozenset("#%&@*\\§¶†‡‰‱•‣◦⁃_~^|+=<>$`{}′″‴©®™°")

_EXCLAMATIONS = frozenset("!?‼⁇⁈⁉！？؟")
_DOUBLE = frozenset('"“”„‟«»〝〞〟')


def may_stand_between(string: Puncteme, before: str, after: str) -> bool:
    """Return whether new marks may occur between two words; at the edges words are empty."""
    if not string:
        return True
    first, last = string[0][:1], string[-1][-1:]
    if before and is_doubled(before[-1], first):
        return False
    # A picture or an emoticon may end a sentence in place of a mark.
    if first in ENDS and (is_picture(before) or is_emoticon(before)):
        return False
    return not (after and last == after[0] and _is_mark(last))


def is_doubled(standing: str, following: str) -> bool:
    """Return whether a new mark directly after an existing one doubles it or is absorbed by it.

    A comma, semicolon or colon may follow an exclamation or question mark (*Yahoo!, which*).
    """
    if standing == following and _is_mark(following):
        return True
    if standing in _DOUBLE and following in _DOUBLE:
        return True
    if following in ENDS:
        return standing in ENDS or standing in SEPARATORS
    return following in SEPARATORS and (standing in SEPARATORS or standing in ENDS - _EXCLAMATIONS)


def _is_mark(char: str) -> bool:
    return len(char) == 1 and unicodedata.category(char)[0] == "P"
