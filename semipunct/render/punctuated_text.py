"""Texts that know their marks: what was decided at each place, and with what probability."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Self

from semipunct.corpus.located import Located
from semipunct.marks import Puncteme, shown_string, spacing
from semipunct.render.corrected import Places
from semipunct.tasks.slot_posteriors import SlotPosterior

LEFT_OUT = 0.1
"""The probability from which a mark that was left out is listed."""

_LISTED = 4  # alternatives of a mark

_STYLE = "border-radius:.2em;padding:0 .1em;background:rgba(255,170,0,{shade:.2f})"


@dataclass(frozen=True, slots=True)
class Mark:
    """The decision at one place of a text.

    Attributes:
        start: the place of the marks in the text, as an index of characters.
        end: their end; equal to ``start`` where there are none.
        before: the marks that stood there, separated by blanks; empty if there were none.
        after: the marks that stand there.
        probability: of these.
        alternatives: other strings and their probabilities, the most probable first.
    """

    start: int
    end: int
    before: str
    after: str
    probability: float
    alternatives: tuple[tuple[str, float], ...]

    @property
    def is_changed(self) -> bool:
        """True if other marks stand there than before."""
        return self.before != self.after

    def __str__(self) -> str:
        listed = [(self.after, self.probability), *self.alternatives]
        return ", ".join(f"{string or 'nothing'} {share:.2f}" for string, share in listed)


class PunctuatedText(str):
    """A text with restored or corrected punctuation, which is a string like any other.

    Attributes:
        marks: what was decided, in the order of the text: marks that stand there, marks that were
            removed, and places where marks were left out although they had some probability.
    """

    marks: tuple[Mark, ...]
    __slots__ = ("marks",)

    def __new__(cls, text: str, marks: Iterable[Mark] = ()) -> Self:
        """Make a text of characters and marks."""
        punctuated = super().__new__(cls, text)
        punctuated.marks = tuple(marks)
        return punctuated

    @classmethod
    def join_parts(cls, parts: Iterable[PunctuatedText]) -> PunctuatedText:
        """Return the concatenation of texts."""
        texts: list[str] = []
        marks: list[Mark] = []
        length = 0
        for part in parts:
            texts.append(part)
            marks += (
                Mark(m.start + length, m.end + length, m.before, m.after, m.probability,
                     m.alternatives)
                for m in part.marks
            )  # fmt: skip
            length += len(part)
        return cls("".join(texts), marks)

    def _repr_html_(self) -> str:
        """Return the text with its changed marks shaded, the darker the less certain.

        A caret stands where a mark was left out; the alternatives are shown when the pointer rests
        on a mark.
        """
        pieces: list[str] = []
        place = 0
        for mark in self.marks:
            if not mark.is_changed and mark.start < mark.end:
                continue
            pieces.append(escape(self[place : mark.start]))
            style = _STYLE.format(shade=0.15 + 0.6 * (1 - mark.probability))
            shown = escape(self[mark.start : mark.end]) or "‸"
            pieces.append(f'<span title="{escape(str(mark))}" style="{style}">{shown}</span>')
            place = mark.end
        pieces.append(escape(self[place:]))
        return f'<div style="white-space:pre-wrap">{"".join(pieces)}</div>'


def punctuate_part(
    part: Located,
    written: Sequence[Puncteme],
    chosen: Sequence[Puncteme],
    posteriors: Sequence[SlotPosterior],
) -> PunctuatedText:
    """Return a part of a text with other marks.

    Args:
        part: with the capitals that it is to have.
        written: ``[n + 1]`` strings of tokens to write.
        chosen: ``[n + 1]`` the strings that these represent, as the posteriors have them.
        posteriors: ``[n + 1]`` the distributions of the slots.
    """
    text = part.punctuate(written)
    outside = part.outside(written)
    forms = [
        "" if word and span == part.spans[word - 1] else part.text[slice(*span)]
        for word, span in enumerate(part.spans)
    ]
    places = Places.of(text, forms, part.spell_marks(outside))
    words_end = (places.start, *places.words)
    content: Any = part.content
    before, after = spacing.visible(content.slots), spacing.visible(outside)
    marks: list[Mark] = []
    for slot, (marks_before, marks_after, spans) in enumerate(
        zip(before, after, places.marks, strict=True)
    ):
        posterior = posteriors[slot]
        alternatives = [
            (shown_string(spacing.visible([string])[0]), share)
            for string, share in zip(posterior.strings, posterior.probability, strict=True)
            if string != chosen[slot]
        ]
        if marks_before or marks_after or (alternatives and alternatives[0][1] >= LEFT_OUT):
            start, end = (spans[0][0], spans[-1][1]) if spans else (words_end[slot],) * 2
            probability = posterior.of(chosen[slot])
            listed = tuple((string, float(share)) for string, share in alternatives[:_LISTED])
            marks.append(
                Mark(
                    start,
                    end,
                    shown_string(marks_before),
                    shown_string(marks_after),
                    probability,
                    listed,
                )
            )
    return PunctuatedText(text, marks)
