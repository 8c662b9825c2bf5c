"""Marks of a text: what was decided at each place, with what probability, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from semipunct.marks import Puncteme, shown_string, spacing
from semipunct.render.corrected import Places
from semipunct.render.reasons.marks import MarkReason, reason_of_mark
from semipunct.render.reasons.place import Line, Place
from semipunct.tasks.limits import LEFT_OUT
from semipunct.tasks.slot_posteriors import SlotPosterior

if TYPE_CHECKING:
    from semipunct.tasks.explain import Analysed

Decision = Literal["inserted", "kept", "removed", "replaced", "left out"]

_ALTERNATIVES = 4

_UNKNOWN = MarkReason("", "")


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
        why: the reason as a sentence, and its key in the catalogue.
        slot: the number of the slot in its sentence, 0 before the first word.
        word: the word before the slot; empty before the first one.
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
        """True if other marks stand there than before."""
        return self.before != self.after

    @property
    def reason(self) -> str:
        """Why these marks stand there, or what the model does, as sentences for a writer."""
        return self.why.text

    @property
    def decision(self) -> Decision:
        """The decision in a word."""
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
    """Return what was decided at the slots of a sentence.

    Args:
        forms: ``[n]`` its words.
        slots: ``[n + 1]`` each: its marks as they were, and as they are in the text.
        places: of words and marks in the text.
        chosen: ``[n + 1]`` the strings that were decided on, as the posteriors have them.
        posteriors: ``[n + 1]`` the distributions of the slots.
        least: the probability from which a mark that was left out is listed.
        analysis: the underlying tree, if the model has one.
    """
    before, after = map(spacing.visible, slots)
    line = Line(forms, after)
    words_end = (places.start, *places.words)
    marks: list[Mark] = []
    for slot, (marks_before, marks_after, spans) in enumerate(
        zip(before, after, places.marks, strict=True)
    ):
        posterior = posteriors[slot]
        # Few slots of a text are listed: what is said of them is not prepared for the others.
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
