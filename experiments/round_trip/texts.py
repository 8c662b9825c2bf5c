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
    words_before, words_after = _words(before), _words(after)
    if [char for char, _ in words_before] != [char for char, _ in words_after]:
        return [_first_difference(before, after, words_before, words_after)]
    differences: list[Difference] = []
    places = [-1, *(place for _, place in words_before), len(before)]
    places_after = [-1, *(place for _, place in words_after), len(after)]
    for number in range(len(places) - 1):
        gap = before[places[number] + 1 : places[number + 1]]
        gap_after = after[places_after[number] + 1 : places_after[number + 1]]
        if gap == gap_after:
            continue
        inside = 0 < number < len(places) - 2
        joined = inside and not _is_unspaced(before[places[number]], before[places[number + 1]])
        for kind in _gap_differences(gap, gap_after, joined=joined, deletions=deletions):
            line = before.count("\n", 0, max(places[number], 0)) + 1
            excerpts = _around(before, places[number]), _around(after, places_after[number])
            differences.append(Difference(kind, f"line {line}", *excerpts))
    return differences


def same_characters(before: str, after: str) -> list[Difference]:
    """Compare all characters but blanks, for commands that do not change punctuation.

    Args:
        before: the input.
        after: the output.
    """
    chars_before, chars_after = ("".join(text.split()) for text in (before, after))
    if chars_before == chars_after:
        return []
    place = next(
        (i for i, (a, b) in enumerate(zip(chars_before, chars_after, strict=False)) if a != b),
        min(len(chars_before), len(chars_after)),
    )
    return [
        Difference(
            "characters",
            f"character {place}",
            _around(chars_before, place),
            _around(chars_after, place),
        )
    ]


def _gap_differences(gap: str, gap_after: str, *, joined: bool, deletions: bool) -> Iterator[str]:
    """Yield the kinds of differences between two different gaps."""
    if joined and not gap:
        yield "inside a word"
        return
    is_word = gap and not any(char.isspace() for char in gap)
    if joined and is_word and ((len(gap) == 1 and gap == "-") or not _DASHES & set(gap)):
        yield "joining mark"
        return
    (marks_before, spaces), (marks_after, spaces_after) = _pieces(gap), _pieces(gap_after)
    if marks_before == marks_after:
        yield "spaces"
        return
    if not deletions and not _is_subsequence("".join(marks_before), "".join(marks_after)):
        yield "mark lost"
    matcher = SequenceMatcher(None, marks_before, marks_after, autojunk=False)
    pairs = {a + i: b + i for a, b, size in matcher.get_matching_blocks() for i in range(size)}
    for number, place in pairs.items():
        if pairs.get(number + 1) == place + 1 and spaces[number + 1] != spaces_after[place + 1]:
            yield "spaces between unchanged marks"
    if pairs.get(0) == 0 and spaces[0] != spaces_after[0]:
        yield "spaces before an unchanged mark"
    if (
        pairs.get(len(marks_before) - 1) == len(marks_after) - 1
        and marks_before
        and spaces[-1] != spaces_after[-1]
    ):
        yield "spaces after an unchanged mark"
    if lost := lost_space(spaces, spaces_after):
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


def _is_subsequence(shorter: str, longer: str) -> bool:
    remaining = iter(longer)
    return all(char in remaining for char in shorter)


def _around(text: str, place: int) -> str:
    return text[max(0, place - _SHOWN) : place + _SHOWN]


def _first_difference(
    before: str,
    after: str,
    words_before: Sequence[tuple[str, int]],
    words_after: Sequence[tuple[str, int]],
) -> Difference:
    for (char_before, place), (char_after, place_after) in zip(
        words_before, words_after, strict=False
    ):
        if char_before != char_after:
            line = before.count("\n", 0, place) + 1
            return Difference(
                "words", f"line {line}", _around(before, place), _around(after, place_after)
            )
    return Difference("words", "end", before[-_SHOWN:], after[-_SHOWN:])
