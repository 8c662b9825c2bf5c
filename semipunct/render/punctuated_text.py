"""Texts that know their marks: what was decided at each place, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, Self

from semipunct.corpus.located import Located
from semipunct.marks import Puncteme
from semipunct.render.corrected import Places
from semipunct.render.decided_marks import Mark, decided_marks
from semipunct.render.records import MarkRecord, mark_records
from semipunct.tasks.limits import LEFT_OUT
from semipunct.tasks.slot_posteriors import SlotPosterior

if TYPE_CHECKING:
    from semipunct.tasks.explain import Analysed

_STYLE = "border-radius:.2em;padding:0 .1em;background:rgba(255,170,0,{shade:.2f})"


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
                replace(mark, start=mark.start + length, end=mark.end + length)
                for mark in part.marks
            )
            length += len(part)
        return cls("".join(texts), marks)

    def to_records(self) -> list[MarkRecord]:
        """Return the marks as rows of a table: ``pandas.DataFrame(text.to_records())``."""
        rows: list[tuple[str, Mark]] = []
        line, place = 1, 0
        for mark in self.marks:
            line, place = line + self.count("\n", place, mark.start), mark.start
            rows.append((f"#{line}", mark))
        return mark_records(rows)

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
        part: with the capitals that it is to have.
        written: ``[n + 1]`` strings of tokens to write.
        chosen: ``[n + 1]`` the strings that these represent, as the posteriors have them.
        posteriors: ``[n + 1]`` the distributions of the slots.
        least: the probability from which a mark that was left out is listed.
        analysis: the underlying tree, if the model has one.
    """
    text = part.punctuate(written)
    outside = part.outside(written)
    forms = [
        "" if word and span == part.spans[word - 1] else part.text[slice(*span)]
        for word, span in enumerate(part.spans)
    ]
    places = Places.of(text, forms, part.spell_marks(outside))
    content: Any = part.content
    slots = content.slots, outside
    marks = decided_marks(content.forms, slots, places, chosen, posteriors, least, analysis)
    return PunctuatedText(text, marks)
