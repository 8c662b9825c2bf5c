"""Comparison of running text before and after a command, character by character.

Characters are marks (Unicode's category P, and the grave accent, for the sake of quotation marks in
the manner of TeX), blanks, or what words are made of: everything else, so also digits, symbols,
emoji and combining marks. What stands between two characters of words is a gap. Marks in a gap
without a blank belong to the word around them (*self-awareness*, *10:02*), except dashes and except
in scripts that do not write blanks between words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from round_trip.spaces import lost_space
from round_trip.treebanks import Difference

_DASHES = frozenset("-–—―‒…")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC")
_SHOWN = 30
"""Characters of context shown on either side of a difference."""


def compare_texts(before: str, after: str, *, deletions: bool) -> list[Difference]:
    """Compare a text with the output of a command that may change its punctuation.

    Args:
        before: the input.
        after: the output.
        deletions: whether the command may delete and change marks.
    """
    old, new = _words(before), _words(after)
    if [char for char, _ in old] != [char for char, _ in new]:
        return [_first_difference(before, after, old, new)]
    found: list[Difference] = []
    places = [-1, *(place for _, place in old), len(before)]
    own = [-1, *(place for _, place in new), len(after)]
    for number in range(len(places) - 1):
        gap = before[places[number] + 1 : places[number + 1]]
        other = after[own[number] + 1 : own[number + 1]]
        if gap == other:
            continue
        inside = 0 < number < len(places) - 2
        joined = inside and not _is_unspaced(before[places[number]], before[places[number + 1]])
        for kind in _gap_differences(gap, other, joined=joined, deletions=deletions):
            line = before.count("\n", 0, max(places[number], 0)) + 1
            told = _around(before, places[number]), _around(after, own[number])
            found.append(Difference(kind, f"line {line}", *told))
    return found


def same_characters(before: str, after: str) -> list[Difference]:
    """Compare all characters but blanks, for commands that do not change punctuation.

    Args:
        before: the input.
        after: the output.
    """
    old, new = ("".join(text.split()) for text in (before, after))
    if old == new:
        return []
    place = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    return [
        Difference("characters", f"character {place}", _around(old, place), _around(new, place))
    ]


def _gap_differences(gap: str, other: str, *, joined: bool, deletions: bool) -> Iterator[str]:
    """Yield the kinds of differences between two different gaps."""
    if joined and not gap:
        yield "inside a word"
        return
    is_word = gap and not any(char.isspace() for char in gap)
    if joined and is_word and ((len(gap) == 1 and gap == "-") or not _DASHES & set(gap)):
        yield "joining mark"
        return
    (old, spaces), (new, own) = _pieces(gap), _pieces(other)
    if old == new:
        yield "spaces"
        return
    if not deletions and not _is_subsequence("".join(old), "".join(new)):
        yield "mark lost"
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    pairs = {a + i: b + i for a, b, size in matcher.get_matching_blocks() for i in range(size)}
    for one, place in pairs.items():
        if pairs.get(one + 1) == place + 1 and spaces[one + 1] != own[place + 1]:
            yield "spaces between unchanged marks"
    if pairs.get(0) == 0 and spaces[0] != own[0]:
        yield "spaces before an unchanged mark"
    if pairs.get(len(old) - 1) == len(new) - 1 and old and spaces[-1] != own[-1]:
        yield "spaces after an unchanged mark"
    if lost := lost_space(spaces, own):
        yield f"spaces: {lost}"


def _pieces(gap: str) -> tuple[list[str], list[str]]:
    """Return the marks of a gap, and the blanks before, between and after them.

    Equal characters without a blank between them are one mark (an ellipsis, a double hyphen).
    """
    spaces, marks = [""], list[str]()
    for char in gap:
        if char.isspace():
            spaces[-1] += char
        elif marks and not spaces[-1] and marks[-1][-1] == char:
            marks[-1] += char
        else:
            marks.append(char)
            spaces.append("")
    return marks, spaces


def _words(text: str) -> list[tuple[str, int]]:
    return [
        (char, place)
        for place, char in enumerate(text)
        if not char.isspace() and not _is_mark(char)
    ]


def has_letters(form: str) -> bool:
    """Return whether a form has characters that words are made of."""
    return any(not _is_mark(char) for char in form)


def _is_mark(char: str) -> bool:
    return char == "`" or unicodedata.category(char).startswith("P")


def _is_unspaced(*chars: str) -> bool:
    return any(unicodedata.name(char, "").startswith(_UNSPACED) for char in chars)


def _is_subsequence(old: str, new: str) -> bool:
    rest = iter(new)
    return all(char in rest for char in old)


def _around(text: str, place: int) -> str:
    return text[max(0, place - _SHOWN) : place + _SHOWN]


def _first_difference(
    before: str,
    after: str,
    old: Sequence[tuple[str, int]],
    new: Sequence[tuple[str, int]],
) -> Difference:
    for (one, place), (other, own) in zip(old, new, strict=False):
        if one != other:
            line = before.count("\n", 0, place) + 1
            return Difference("words", f"line {line}", _around(before, place), _around(after, own))
    return Difference("words", "end", before[-_SHOWN:], after[-_SHOWN:])
