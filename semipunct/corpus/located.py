"""Sentences of plain text with their positions, and replacement of punctuation in the text."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import add
from typing import NamedTuple

from semipunct.corpus.fixed_parts import NOTHING_FIXED, FixedParts
from semipunct.corpus.passages import Span
from semipunct.corpus.sentences import Words, check_slots
from semipunct.corpus.treebank import EMPTY, Omitted
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, SILENT, SPECIAL_TOKENS, UNK, Puncteme, spacing
from semipunct.marks.quotes import Gap, Mark, directional, kept_tokens, rewritten
from semipunct.marks.tokens import carries_dot
from semipunct.wording import quantity

BLANKS = re.compile("[\\s\\x00-\\x1f\\x7f-\\x9f\\ufeff]+")
"""White space and control characters, which no token begins or ends with."""

_DASHES = re.compile("[–—―…]|--")

# Tags that may be within a word.
_INLINE = re.compile(
    r"</?(?:[abciqsuv]|del|em|font|ins|lang|mark|small|span|strong|su[bp])\b[^<>]*>|<\d[^<>]*>"
)

# Markup that closes directly after a word, unless more markup follows.
_CLOSING = re.compile(r"(?:</[^<>\n]*>|[*_~]{1,3}|\]\([^()\n]*\)|\{\\[a-z]+0?\})+(?![<{])")


class RawText(NamedTuple):
    """A text and its source.

    Attributes:
        is_text: whether it has sentences; code has none.
    """

    text: str
    path: str = "text"
    line: int = 1
    is_text: bool = True


class Piece(NamedTuple):
    """A token of a text: its position, whether it is a mark, and the words of a multiword token."""

    span: Span
    mark: bool
    words: tuple[str, ...] = ()


# A replacement of text: start and end; blanks and marks in turn; the slot, or None for a word.
_Change = tuple[int, int, Sequence[str], int | None]


@dataclass(frozen=True, slots=True)
class Located:
    """A sentence, and the part of a text that contains it.

    Attributes:
        text: the part, including white space around the sentence.
        spans: ``[n]`` positions of words in it, without abbreviation dots; the words of a multiword
            token share its position.
        marks: ``[n + 1]`` positions of the tokens of each slot, without abbreviation dots.
        offset: the start of the part in the text.
        ends_text: whether the speaker changes after the part.
        tail: the length of the text after the sentence that does not belong to it.
    """

    content: Words | Omitted
    text: str
    spans: tuple[Span, ...] = ()
    marks: tuple[tuple[Span, ...], ...] = ()
    offset: int = 0
    ends_text: bool = False
    tail: int = 0

    @property
    def ends_line(self) -> bool:
        return self.text.endswith("\n")

    def punctuate(
        self, slots: Sequence[Puncteme] | None = None, forms: Sequence[str] | None = None
    ) -> str:
        """Return the part with other marks or capitals.

        A mark inside a multiword token is moved behind it.

        Args:
            slots: ``[n + 1]`` strings of tokens; by default unchanged.
            forms: ``[n]`` the words with other capitals; by default unchanged.
        """
        if isinstance(self.content, Omitted):
            if slots is None and forms is None:
                return self.text
            raise UsageError(f"{self.content.where}: {self.content.reason}; write it unchanged")
        requested = self.content.slots if slots is None else tuple(slots)
        shown = spacing.visible(self.content.slots)
        check_slots(self.content.where, shown, requested, lambda token: BLANKS.sub("", token))
        if forms is not None and len(forms) != len(self.spans):
            raise UsageError(
                f"{self.content.where}: {quantity(len(forms), 'form')} for "
                f"{quantity(len(self.spans), 'word')}"
            )
        if requested == self.content.slots and forms is None:
            return self.text
        pieces: list[str] = []
        place = 0
        for start, end, new, _ in self._changes(self.content.slots, requested, forms):
            pieces += (self.text[place:start], *new)
            place = end
        return "".join((*pieces, self.text[place:]))

    def relocate(self, slots: Sequence[Puncteme]) -> "Located":
        """Return the part with other marks, and the new positions of all words and marks."""
        text, content = self.punctuate(slots), self.content
        if isinstance(content, Omitted):
            return self
        marks, ends, shifts = dict[int, tuple[Span, ...]](), list[int](), [0]
        for start, end, new, slot in self._changes(content.slots, slots, None):
            edges = [*accumulate(map(len, new), initial=start + shifts[-1])]
            if slot is not None:
                marks[slot] = tuple(zip(edges[1:-1:2], edges[2:-1:2], strict=True))
            ends.append(end)
            shifts.append(edges[-1] - end)

        def shifted(spans: Sequence[Span]) -> tuple[Span, ...]:
            by = [shifts[bisect_right(ends, start)] for start, _ in spans]
            return tuple((a + n, b + n) for (a, b), n in zip(spans, by, strict=True))

        places = tuple(
            marks[slot] if slot in marks else shifted(old) for slot, old in enumerate(self.marks)
        )
        content = replace(content, slots=tuple(self.outside(slots)))
        return replace(self, content=content, text=text, spans=shifted(self.spans), marks=places)

    def _changes(
        self, before: Sequence[Puncteme], after: Sequence[Puncteme], forms: Sequence[str] | None
    ) -> Iterator[_Change]:
        shown, visible_before = self.outside(spacing.visible(after)), spacing.visible(before)
        words = (self.text[slice(*span)] for span in self.spans)
        dots = ("." * (ABBREVIATION in string) for string in after[1:])
        rows = spacing.slot_spaces([*map(add, words, dots)], shown)
        inside = [*map(self._inside, range(len(self.spans))), False]
        for slot in range(len(before)):
            if slot and not inside[slot - 1]:
                start, end = self.spans[slot - 1]
                if forms is not None:
                    spelt = self._spelt(slot - 1, forms[slot - 1])
                    if spelt != self.text[start:end]:
                        yield start, end, (spelt,), None
                following = slot
                while inside[following]:
                    following += 1
                dot, is_dotted = ABBREVIATION in before[following], ABBREVIATION in after[following]
                if dot != is_dotted:
                    yield end, end + dot, ("." * is_dotted,), None
            if not inside[slot] and shown[slot] != visible_before[slot]:
                gap, start, stop = self._gap(slot, visible_before[slot], self.end_of_word(slot))
                # Words without a space between them get none: only the mark is inserted.
                is_joint = start == stop and 0 < slot < len(self.spans)
                row = (False,) * len(rows[slot]) if is_joint else rows[slot]
                yield start, stop, rewritten(gap, shown[slot], row), slot

    def recase(self, forms: Sequence[str]) -> "Located":
        """Return the part with other capitals; all positions stay the same."""
        text = self.punctuate(None, forms)
        words = () if isinstance(self.content, Omitted) else self.content.forms
        if list(map(len, forms)) != list(map(len, words)) or len(text) != len(self.text):
            raise UsageError(
                f"{self.content.where}: the words given differ from it in more than case"
            )
        return replace(self, content=replace(self.content, forms=tuple(forms)), text=text)

    def surround(self, before: str, after: str) -> "Located":
        """Return the part with more text around it, outside of the sentence."""

        def shifted(spans: Sequence[Span]) -> tuple[Span, ...]:
            return tuple((start + len(before), end + len(before)) for start, end in spans)

        text, marks = before + self.text + after, tuple(map(shifted, self.marks))
        return replace(self, text=text, spans=shifted(self.spans), marks=marks, tail=len(after))

    def place(self, slot: int, start: int, stop: int) -> Span:
        """Return the position in the part of slot tokens that a correction replaces.

        The position of an insertion is empty: after the preceding token or, at the very beginning,
        before the following one. Abbreviation dots do not count as tokens.
        """
        marks_in_slot = len(self.marks[slot]) if 0 <= slot < len(self.marks) else -1
        if isinstance(self.content, Omitted) or not 0 <= start <= stop <= marks_in_slot:
            raise UsageError(
                f"{self.content.where}: there are no tokens {start} to {stop} in slot {slot}; give "
                "places in the original sentence"
            )
        spans = self.marks[slot]
        if start < stop:
            return spans[start][0], spans[stop - 1][1]
        if start:
            place = spans[start - 1][1]
        elif slot:
            place = self.end_of_word(slot)
        else:
            place = (spans[0] if spans else self.spans[0])[0]
        return place, place

    def spell_marks(self, slots: Sequence[Puncteme]) -> list[Puncteme]:
        """Return slots in which unchanged marks are spelt as in the part."""
        original = () if isinstance(self.content, Omitted) else self.content.slots
        spelt: list[Puncteme] = []
        for requested, present, spans in zip(slots, original, self.marks, strict=True):
            if not requested or not present:
                spelt.append(requested)
                continue
            stays = iter(kept_tokens(*spacing.visible((present, requested))))
            numbers = [0 if token in SILENT else next(stays) for token in requested]
            pairs = zip(requested, numbers, strict=True)
            spelt.append(tuple(self.text[slice(*spans[i - 1])] if i else t for t, i in pairs))
        return spelt

    def outside(self, slots: Sequence[Puncteme]) -> list[Puncteme]:
        """Move marks inside a multiword token behind it."""
        moved: list[Puncteme] = []
        waiting: Puncteme = ()
        for slot, tokens in enumerate(slots):
            inner = slot < len(self.spans) and self._inside(slot)
            moved.append(() if inner else (*waiting, *tokens))
            waiting = (*waiting, *tokens) if inner else ()
        return moved

    def end_of_word(self, slot: int) -> int:
        """Return the end of the word before a slot, with its dot and closing markup."""
        if not slot or isinstance(self.content, Omitted):
            return 0
        end = self.spans[slot - 1][1] + (ABBREVIATION in self.content.slots[slot])
        closing = _CLOSING.match(self.text, end, len(self.text) - self.tail)
        return closing.end() if closing else end

    def _inside(self, word: int) -> bool:
        return word > 0 and self.spans[word] == self.spans[word - 1]

    def _spelt(self, word: int, form: str) -> str:
        written = self.text[slice(*self.spans[word])]
        if form == written:
            return written
        if form.lower() == BLANKS.sub(" ", written).lower() and len(form) == len(written):
            pairs = zip(written, form, strict=True)
            return "".join(
                old_char if BLANKS.match(old_char) else new_char for old_char, new_char in pairs
            )
        # A multiword token may be spelt differently from its words. Some letters have a capital
        # of two characters.
        capital = written[:1].upper()
        return capital + written[1:] if form[:1].isupper() and len(capital) == 1 else written

    def _gap(self, slot: int, tokens: Puncteme, start: int) -> tuple[Gap, int, int]:
        last = slot == len(self.spans)
        end = len(self.text) if last else self.spans[slot][0]
        spans = self.marks[slot]
        spelt = tuple(self.text[a:b] for a, b in spans)
        edges = [start, *(x for span in spans for x in span), end]
        spaces = tuple(self.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
        return Gap(tokens, spelt, spaces, opens=slot == 0, closes=last), start, end


def located_sentence(
    name: str,
    path: str,
    line: int,
    text: str,
    pieces: Sequence[Piece],
    offset: int = 0,
    fixed: FixedParts = NOTHING_FIXED,
) -> Located:
    """Make a sentence from tokens, with marks in slots.

    As in treebanks, straight quotation marks become directional, the dot of an abbreviation becomes
    ``marks.ABBREVIATION``, and a token spelt like a special token becomes ``marks.UNK``. Slots are
    closed if they are empty and within an orthographic word, or fixed.
    """
    # A number may contain a blank other than a space.
    spelt = [BLANKS.sub(" ", text[slice(*piece.span)]) for piece in pieces]
    marks, _, _ = directional(
        [Mark(form) if p.mark else None for form, p in zip(spelt, pieces, strict=True)]
    )
    forms: list[str] = []
    spans: list[Span] = []
    slots: list[list[str]] = [[]]
    places: list[list[Span]] = [[]]
    for form, mark, piece in zip(spelt, marks, pieces, strict=True):
        if mark is not None:
            slots[-1].append(UNK if mark in SPECIAL_TOKENS else mark)
            places[-1].append(piece.span)
            continue
        words = piece.words or (form,)
        dotted = len(words) == 1 and carries_dot(form)
        start, end = piece.span
        for word in words:
            forms.append(word[:-1] if dotted else word)
            spans.append((start, end - dotted))
            slots.append([ABBREVIATION] if dotted else [])
            places.append([])
    if not forms:
        omitted = Omitted("nothing but punctuation" if pieces else EMPTY, name, path, line)
        return Located(omitted, text, offset=offset)
    closed = {
        slot
        for slot, ((start, end), following) in enumerate(pairwise(spans), start=1)
        if not slots[slot]
        and ((start, end) == following or is_within_word(text, end, following[0]))
    }
    edges = [0, *(x for span in spans for x in span), len(text)]
    for slot, (before, after) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        # Empty slots at the edges of a sentence are not closed.
        if (places[slot] or 0 < slot < len(spans)) and fixed.closes(before, after, places[slot]):
            closed.add(slot)
    strings = tuple(map(tuple, slots))
    words = Words(name, path, line, tuple(forms), strings, frozenset(closed), "text")
    return Located(words, text, tuple(spans), tuple(map(tuple, places)), offset)


def is_within_word(text: str, end: int, start: int) -> bool:
    """Return whether two words are parts of one orthographic word.

    Only marks are between them, without blanks or dashes, in a script with spaces.
    """
    between = _INLINE.sub("", text[end:start])
    if "<" in between or BLANKS.search(between) or _DASHES.search(between):
        return False
    return spacing.are_spaced(text[end - 1], text[start])


def is_mark(form: str) -> bool:
    """Return whether a token consists only of punctuation characters."""
    return all(unicodedata.category(char)[0] == "P" for char in form)
