"""Texts whose marks carry the decision of the model and its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, Self

from semipunct.corpus.located import Located
from semipunct.corpus.passages import Span
from semipunct.corpus.word_streams import is_final
from semipunct.marks import ABBREVIATION, Puncteme, shown_string, spacing
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.limits import LEFT_OUT
from semipunct.pipelines.reasons.marks import MarkReason, reason_of_mark
from semipunct.pipelines.reasons.place import Line, Place

if TYPE_CHECKING:
    from semipunct.pipelines.results import Analysed


_STYLE = "border-radius:.2em;padding:0 .1em;background:rgba(255,170,0,{shade:.2f})"


class PunctuatedText(str):
    """A string with restored or corrected punctuation.

    Attributes:
        marks: the decisions in text order: present marks, deleted marks, and probable omissions.
    """

    marks: tuple[Mark, ...]
    __slots__ = ("marks",)

    def __new__(cls, text: str, marks: Iterable[Mark] = ()) -> Self:
        punctuated = super().__new__(cls, text)
        punctuated.marks = tuple(marks)
        return punctuated

    @classmethod
    def join_parts(cls, parts: Iterable[PunctuatedText]) -> PunctuatedText:
        texts: list[str] = []
        marks: list[Mark] = []
        length = 0
        for part in parts:
            texts.append(part)
            marks += (
                replace(mark, start=mark.start + length, end=mark.end + length)
                for mark in part.marks
            )
            length += len(part)
        return cls("".join(texts), marks)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the marks as rows of a table: ``pandas.DataFrame(text.to_records())``."""
        rows: list[tuple[str, Mark]] = []
        line, place = 1, 0
        for mark in self.marks:
            line, place = line + self.count("\n", place, mark.start), mark.start
            rows.append((f"#{line}", mark))
        return mark_records(rows)

    def _repr_html_(self) -> str:
        """Return the text with its changes shaded, the darker the less certain.

        A caret indicates an omitted mark; alternatives appear when the pointer rests on a mark.
        """
        pieces: list[str] = []
        place = 0
        for mark in self.marks:
            if not mark.is_changed and mark.start < mark.end:
                continue
            pieces.append(escape(self[place : mark.start]))
            style = _STYLE.format(shade=0.15 + 0.6 * (1 - mark.probability))
            shown = escape(self[mark.start : mark.end]) or "‸"
            title = escape("\n".join(filter(None, (str(mark), mark.reason))))
            pieces.append(f'<span title="{title}" style="{style}">{shown}</span>')
            place = mark.end
        pieces.append(escape(self[place:]))
        return f'<div style="white-space:pre-wrap">{"".join(pieces)}</div>'


def punctuate_part(
    part: Located,
    written: Sequence[Puncteme],
    chosen: Sequence[Puncteme],
    posteriors: Sequence[SlotPosterior],
    least: float = LEFT_OUT,
    analysis: Analysed | None = None,
) -> PunctuatedText:
    """Return a part of a text with other marks.

    Args:
        chosen: ``[n + 1]`` the strings ``written`` in the encoding of the posteriors.
        least: the probability from which an omitted mark is listed.
    """
    new = part.relocate(written)
    content: Any = part.content
    after: Any = new.content
    words = tuple(new.end_of_word(slot) for slot in range(1, len(written)))
    places = Places(words, new.marks, new.spans[0][0])
    slots = content.slots, after.slots
    marks = decided_marks(content.forms, slots, places, chosen, posteriors, least, analysis)
    return PunctuatedText(new.text, marks)


Decision = Literal["inserted", "kept", "removed", "replaced", "left out"]

_ALTERNATIVES = 4

_UNKNOWN = MarkReason("", "")


@dataclass(frozen=True, slots=True)
class Mark:
    """The decision at one place of a text.

    Attributes:
        start: the index of the first character of the marks in the text.
        end: the index after them; equal to ``start`` where there are none.
        before: the original marks, separated by spaces.
        after: the new marks.
        probability: of ``after``.
        alternatives: other strings and their probabilities, the most probable first.
        why: the reason as a sentence, and its key in the catalogue.
        slot: the index of the slot in its sentence, 0 before the first word.
        word: the word before the slot, if any.
    """

    start: int
    end: int
    before: str
    after: str
    probability: float
    alternatives: tuple[tuple[str, float], ...]
    why: MarkReason = _UNKNOWN
    slot: int = 0
    word: str = ""

    @property
    def is_changed(self) -> bool:
        return self.before != self.after

    @property
    def reason(self) -> str:
        """The reason, or else the decision of the model, in sentences for a writer."""
        return self.why.text

    @property
    def decision(self) -> Decision:
        if self.before == self.after:
            return "kept" if self.after else "left out"
        if not self.before:
            return "inserted"
        return "replaced" if self.after else "removed"

    def __str__(self) -> str:
        listed = [(self.after, self.probability), *self.alternatives]
        return ", ".join(f"{string or 'nothing'} {share:.2f}" for string, share in listed)


def decided_marks(
    forms: Sequence[str],
    slots: tuple[Sequence[Puncteme], Sequence[Puncteme]],
    places: Places,
    chosen: Sequence[Puncteme],
    posteriors: Sequence[SlotPosterior],
    least: float = LEFT_OUT,
    analysis: Analysed | None = None,
) -> list[Mark]:
    """Return the decisions in the slots of a sentence of ``n`` words.

    Args:
        slots: ``[n + 1]`` the marks in the original and in the new text.
        chosen: ``[n + 1]`` the chosen strings in the encoding of the posteriors.
        least: the probability from which an omitted mark is listed.
    """
    before, after = map(spacing.visible, slots)
    line = Line(forms, after)
    words_end = (places.start, *places.words)
    marks: list[Mark] = []
    for slot, (marks_before, marks_after, spans) in enumerate(
        zip(before, after, places.marks, strict=True)
    ):
        posterior = posteriors[slot]
        # Few slots of a text are listed.
        other = int(posterior.strings[0] == chosen[slot])
        is_doubted = other < len(posterior.strings) and posterior.probability[other] >= least
        if not (marks_before or marks_after or is_doubted):
            continue
        alternatives = tuple(
            (shown_string(spacing.visible([string])[0]), float(share))
            for string, share in zip(posterior.strings, posterior.probability, strict=True)
            if string != chosen[slot]
        )
        start, end = (spans[0][0], spans[-1][1]) if spans else (words_end[slot],) * 2
        probability = posterior.of(chosen[slot])
        sentence, reason = (
            (None, None) if analysis is None else (analysis.sentence, analysis.reasons[slot])
        )
        place = Place(line, slot)
        why = reason_of_mark(
            place, marks_before, marks_after, probability, alternatives, sentence, reason
        )
        shown = shown_string(marks_before), shown_string(marks_after)
        word = forms[slot - 1] if slot else ""
        listed = alternatives[:_ALTERNATIVES]
        marks.append(Mark(start, end, *shown, probability, listed, why, slot, word))
    return marks


# Characters searched for a token: the text of a file may differ from its tokens.
_FAR = 40


@dataclass(frozen=True, slots=True)
class Places:
    """The offsets of words and marks in the text of a sentence.

    Attributes:
        words: ``[n]`` ends of words, with the dot of an abbreviation.
        marks: ``[n + 1]`` places of tokens, without that dot.
    """

    words: tuple[int, ...]
    marks: tuple[tuple[Span, ...], ...]
    start: int

    @classmethod
    def of(cls, text: str, forms: Sequence[str], slots: Sequence[Puncteme]) -> Places:
        """Locate words and marks in a text, from left to right.

        Args:
            forms: ``[n]`` empty for words that share the spelling of the preceding one.
        """
        place = len(text) - len(text.lstrip())
        start, ends, marks = place, list[int](), list[tuple[Span, ...]]()

        def find_span(token: str) -> Span:
            nonlocal place
            at = text.find(token, place, place + len(token) + _FAR)
            if at < 0:
                return place, place
            place = at + len(token)
            return at, place

        for slot, tokens in enumerate(slots):
            if slot:
                form = forms[slot - 1]
                find_span(form)
                if form and ABBREVIATION in tokens and text[place : place + 1] == ".":
                    place += 1
                ends.append(place)
            (visible,) = spacing.visible([tokens])
            marks.append(tuple(find_span(token) for token in visible))
        return cls(tuple(ends), tuple(marks), start)

    def place(self, slot: int, start: int, stop: int) -> Span:
        spans = self.marks[slot]
        if start < stop:
            return spans[start][0], spans[stop - 1][1]
        if start:
            return spans[start - 1][1], spans[start - 1][1]
        at = self.words[slot - 1] if slot else self.start
        return at, at


RECORDED = ("slot", "word", "start", "end", "before", "after", "decision", "probability")


def mark_records(marks: Iterable[tuple[str, Mark]]) -> list[dict[str, Any]]:
    """Return marks as rows of a table with fixed columns of texts and numbers."""
    rows: list[dict[str, Any]] = []
    for sentence, mark in marks:
        alternative, share = mark.alternatives[0] if mark.alternatives else (None, None)
        row = {"sentence": sentence, **{name: getattr(mark, name) for name in RECORDED}}
        row |= {"alternative": alternative, "alternative_probability": share}
        rows.append(row | {"reason": mark.reason, "key": mark.why.key})
    return rows


@dataclass(frozen=True, slots=True)
class Change:
    """The replacement of characters ``start`` to ``end`` of the source.

    Attributes:
        place: the start of the replacement in the new text.
        marks: the decisions within it.
    """

    start: int
    end: int
    replacement: str
    place: int
    marks: tuple[Mark, ...]


def changes(source: str, text: PunctuatedText) -> list[Change]:
    """Return the parts of a text whose marks, or the spaces beside them, changed.

    Both texts have the same letters in the same order, up to capitals.
    """
    spans = list(_differences(source, str(text)))
    marks = [mark for mark in text.marks if mark.is_changed]
    found: list[Change] = []
    next_mark = 0
    for start, end, place, stop in spans:
        own_marks: list[Mark] = []
        while next_mark < len(marks) and marks[next_mark].start <= stop:
            own_marks.append(marks[next_mark])
            next_mark += 1
        if own_marks:
            found.append(Change(start, end, str(text)[place:stop], place, tuple(own_marks)))
    return found


def places_in_source(source: str, text: str, places: Sequence[int]) -> list[int]:
    """Map offsets in a text with other marks to offsets in its source."""
    spans = iter([*_differences(source, text), (len(source), len(source), len(text), len(text))])
    start, end, place, stop = next(spans)
    shift = 0
    places_before: list[int] = []
    for wanted in places:
        while wanted > stop:
            shift = end - stop
            start, end, place, stop = next(spans)
        within = min(start + wanted - place, end)
        places_before.append(wanted + shift if wanted <= place else within)
    return places_before


# The next letter or digit of a line.
_NEXT = re.compile(r"[^\w\n]*(\w)")


def sentence_ends(source: str, text: PunctuatedText) -> list[int]:
    """Return where sentences end in a source: at final marks and at ends of lines.

    Abbreviations, initials and marks before a word in lower case end none.
    """
    ends = [line.end() for line in re.finditer("\n", text)]
    for mark in text.marks:
        is_dot = mark.why.key == "period.abbreviation" or (mark.after == "." and len(mark.word) < 2)
        following = _NEXT.match(text, mark.end)
        if is_final((mark.after,)) and not (is_dot or (following and following[1].islower())):
            ends.append(mark.end)
    return places_in_source(source, str(text), sorted(ends))


def _differences(source: str, text: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield the spans of differences in both texts, between equal letters or digits."""
    i = j = 0
    while i < len(source) or j < len(text):
        if i < len(source) and j < len(text) and _are_equal(source[i], text[j]):
            i, j = i + 1, j + 1
            continue
        start, place = i, j
        while i < len(source) and not source[i].isalnum():
            i += 1
        while j < len(text) and not text[j].isalnum():
            j += 1
        if i == start and j == place:  # a capital of two characters
            i, j = min(i + 1, len(source)), min(j + 1, len(text))
            continue
        end, stop = i, j
        while end > start and stop > place and source[end - 1] == text[stop - 1]:
            end, stop = end - 1, stop - 1
        yield start, end, place, stop


def _are_equal(a: str, b: str) -> bool:
    return a == b or a.lower() == b.lower()
