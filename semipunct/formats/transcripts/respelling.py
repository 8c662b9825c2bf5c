"""Copies of a text that is spelt anew: marks and capitals that changed are changed in them, too.

A transcript says the same words several times: in the text of segments, word by word with times,
perhaps in one long text, in a list without segments. Copies are compared by their letters and
digits, which never change but for their case. Between two neighbouring ones, which may be in two
words of a list, stands a *gap*: marks and blanks. What follows the last blank of a gap belongs to
the next word, the rest to the word before.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise, takewhile
from typing import NamedTuple

from semipunct.formats.transcripts.places import Edit

_LAST_BLANK = re.compile(r"\s+(?=\S*\Z)")
_OPENING_CATEGORIES = ("Ps", "Pi")
_OPENING = "¿¡"


class Gap(NamedTuple):
    """The characters between two letters.

    Attributes:
        left: marks that belong to the word before, with the blanks among them.
        blank: the blanks that separate the words.
        right: marks that belong to the next word, with the blanks among them.
    """

    left: str
    blank: str
    right: str

    @property
    def has_marks(self) -> bool:
        """True if there is more than blanks."""
        return bool(self.left or self.right)


@dataclass(frozen=True, slots=True)
class Letters:
    """A text, divided into its letters and the gaps around them.

    Attributes:
        letters: ``[n]`` letters and digits as spelt.
        gaps: ``[n + 1]`` what stands before each letter, and after the last one.
    """

    letters: str
    gaps: tuple[Gap, ...]

    @classmethod
    def of(cls, text: str) -> Letters:
        """Divide the text of a segment, at whose edges nothing else stands."""
        places = letter_places(text)
        edges = [0, *(x for place in places for x in (place, place + 1)), len(text)]
        between = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        gaps = [divide_gap(gap) for gap in between]
        head = between[0].lstrip()
        gaps[0] = Gap("", between[0][: len(between[0]) - len(head)], head)
        if places:
            tail = between[-1].rstrip()
            gaps[-1] = Gap(tail, between[-1][len(tail) :], "")
        return cls("".join(text[place] for place in places), tuple(gaps))

    @classmethod
    def join(cls, parts: Sequence[Letters]) -> Letters:
        """Return the letters of consecutive segments, whose gaps meet."""
        gaps: list[Gap] = [Gap("", "", "")]
        for part in parts:
            (left, blank, right), head = gaps[-1], part.gaps[0]
            if right:  # after a segment without letters
                gaps[-1] = Gap(left, blank, right + head.blank + head.right)
            else:
                gaps[-1] = Gap(left, blank + head.blank, head.right)
            gaps += part.gaps[1:]
        return cls("".join(part.letters for part in parts), tuple(gaps))


@lru_cache(maxsize=2**14)
def is_letter(character: str) -> bool:
    """Return whether a character is a letter or a digit, in lower or in upper case."""
    return any(map(str.isalnum, character + character.upper() + character.lower()))


def letter_places(text: str) -> list[int]:
    """Return the places of the letters and digits of a text."""
    return [place for place, character in enumerate(text) if is_letter(character)]


def fold_letters(letters: str) -> str:
    """Return letters for comparison: in lower case, if that is one character."""
    return "".join(lower if len(lower := letter.lower()) == 1 else letter for letter in letters)


def divide_gap(gap: str) -> Gap:
    """Divide a gap within a text: at its last blanks or, without blanks, before opening marks."""
    if blank := _LAST_BLANK.search(gap):
        return Gap(gap[: blank.start()], blank[0], gap[blank.end() :])
    end = len(gap)
    while end and (
        gap[end - 1] in _OPENING or unicodedata.category(gap[end - 1]) in _OPENING_CATEGORIES
    ):
        end -= 1
    return Gap(gap[:end], "", gap[end:])


@dataclass(frozen=True, slots=True)
class Copy:
    """Strings that together spell consecutive letters of a text.

    Attributes:
        strings: their characters.
        first: the number of their first letter in the text.
    """

    strings: tuple[str, ...]
    first: int

    def count_marked_gaps(self, original: Letters) -> tuple[int, int]:
        """Count the gaps between letters that have marks in the text, and those that do here.

        Args:
            original: the letters of the text.
        """
        whole = "".join(self.strings)
        places = letter_places(whole)
        in_text = in_copy = 0
        for number, (before, place) in enumerate(pairwise(places), start=self.first + 1):
            if original.gaps[number].has_marks:
                in_text += 1
                in_copy += bool(whole[before + 1 : place].strip())
        return in_text, in_copy

    def edits(self, original: Letters, respelt: Letters) -> list[list[Edit]]:
        """Return what changes in each string, in order.

        Args:
            original: the letters of the text.
            respelt: the same letters with other marks and capitals.
        """
        strings = _Strings(self.strings)
        places = letter_places(strings.whole)
        end = -1
        for number, slot in enumerate(range(self.first, self.first + len(places) + 1)):
            start, is_last = end + 1, number == len(places)
            end = len(strings.whole) if is_last else places[number]
            before, after = original.gaps[slot], respelt.gaps[slot]
            if before != after:
                present = _divided_like(
                    strings.whole[start:end], before, is_first=number == 0, is_last=is_last
                )
                blank = start + len(present.left)
                right = blank + len(present.blank)
                # Words of a list may have no blanks around them; then none are added.
                is_bare = bool(before.blank) and not present.blank
                if number:
                    strings.change_end(start, present.left, after.left, is_bare=is_bare)
                if number and not is_last and present.blank == before.blank != after.blank:
                    strings.replace(blank, right, after.blank, right)
                if not is_last:
                    strings.change_start(right, present.right, after.right)
            if not is_last:
                letter, new = original.letters[slot], respelt.letters[slot]
                # Where a copy has another capital than the text it has a habit of its own.
                if letter != new and strings.whole[end] == letter:
                    strings.replace(end, end + 1, new, end)
        return strings.edits


def _divided_like(gap: str, model: Gap, *, is_first: bool, is_last: bool) -> Gap:
    """Divide a gap of a copy where the text is divided, if it has the same marks."""
    if is_first:
        right = model.right if gap.endswith(model.right) else gap.lstrip()
        return Gap("", gap[: len(gap) - len(right)], right)
    if is_last:
        left = model.left if gap.startswith(model.left) else gap.rstrip()
        return Gap(left, gap[len(left) :], "")
    inner = gap[len(model.left) : len(gap) - len(model.right)]
    if f"{model.left}{inner}{model.right}" == gap and not inner.strip():
        return Gap(model.left, inner, model.right)
    return divide_gap(gap)


class _Strings:
    """Strings that are changed from left to right, at places of their concatenation."""

    def __init__(self, strings: Sequence[str]) -> None:
        self.whole = "".join(strings)
        self.edits: list[list[Edit]] = [[] for _ in strings]
        self._has_letters = [any(map(is_letter, string)) for string in strings]
        self._ends = [*accumulate(map(len, strings))]
        self._starts = [0, *self._ends[:-1]]

    def _holder(self, place: int) -> int:
        """Return the number of the string with a character."""
        return bisect_right(self._ends, place)

    def replace(self, start: int, end: int, replacement: str, place: int) -> None:
        """Replace characters, which may be of several strings.

        Args:
            start: the first of them.
            end: the place after the last one.
            replacement: the new characters.
            place: a character of the string that gets these if none is replaced; else the first
                string of which a character is replaced gets them.
        """
        if start == end:
            holder = self._holder(place)
            offset = self._starts[holder]
            self.edits[holder].append(Edit(start - offset, end - offset, replacement))
            return
        for holder in range(self._holder(start), self._holder(end - 1) + 1):
            offset = self._starts[holder]
            last = min(end, self._ends[holder])
            if start < last:
                self.edits[holder].append(Edit(start - offset, last - offset, replacement))
                start, replacement = last, ""

    def change_end(self, start: int, before: str, after: str, *, is_bare: bool) -> None:
        """Replace the marks after a letter.

        Args:
            start: their place.
            before: these marks.
            after: those that replace them.
            is_bare: whether there shall be no blank at the end of a string.
        """
        if before == after:
            return
        same = _count_equal(before, after)
        rest = _count_equal(reversed(before[same:]), reversed(after[same:]))
        replacement = after[same : len(after) - rest]
        first, last = start + same, start + len(before) - rest
        if is_bare and last in self._ends:
            replacement = replacement.rstrip()
        # Some programs write what stands between words as items of their own.
        is_next = first < len(self.whole) and not self._has_letters[self._holder(first)]
        self.replace(first, last, replacement, first if is_next else first - 1)

    def change_start(self, start: int, before: str, after: str) -> None:
        """Replace the marks before a letter.

        Args:
            start: their place.
            before: these marks.
            after: those that replace them.
        """
        if before == after:
            return
        same = _count_equal(reversed(before), reversed(after))
        before, replacement = before[: len(before) - same], after[: len(after) - same]
        place = start + len(before)
        if (
            place
            and self.whole[place - 1].isspace()
            and not self._has_letters[self._holder(place - 1)]
        ):
            place -= 1
        self.replace(start, start + len(before), replacement, place)


def _count_equal(first: Iterable[str], second: Iterable[str]) -> int:
    """Count the equal characters with which two texts begin."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
