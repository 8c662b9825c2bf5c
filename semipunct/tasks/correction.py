"""Results of correction: corrections of single slots with their reasons."""

from __future__ import annotations

from dataclasses import dataclass

from semipunct.corpus.sentences import Sentence, excerpt
from semipunct.marks import SILENT, Edit, Puncteme, display_form, spacing
from semipunct.marks.corrections import Correction
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.wording import quantity


@dataclass(frozen=True, slots=True)
class Attached:
    """A puncteme at a slot.

    Attributes:
        word: the number of the word whose constituent it is attached to, from 1.
        side: the edge of the constituent.
        tokens: the tokens of the puncteme.
    """

    word: int
    side: str
    tokens: Puncteme


@dataclass(frozen=True, slots=True)
class Reason:
    """The underlying marks of a slot of the corrected sentence, and their rewriting.

    Attributes:
        attached: the punctemes at the slot, in text order.
        edits: the edits by which the channel rewrites them to the surface string.
    """

    attached: tuple[Attached, ...]
    edits: tuple[Edit, ...]

    @property
    def underlying(self) -> Puncteme:
        """The underlying string of the slot."""
        return tuple(token for constituent in self.attached for token in constituent.tokens)


@dataclass(frozen=True, slots=True)
class Explained:
    """A correction with its reason.

    Attributes:
        correction: the correction of one slot.
        probability: the probability of the corrected string of the slot.
        written: the probability of the written string.
        reason: None if the corrected sentence has no underlying tree.
    """

    correction: Correction
    probability: float
    written: float
    reason: Reason | None


@dataclass(frozen=True, slots=True, repr=False)
class Corrected:
    """A sentence with corrected punctuation.

    Attributes:
        sentence: words and tree, with the punctuation as written.
        slots: the corrected strings.
        posteriors: the posterior of each slot.
        corrections: the corrections of the slots that differ, in order.
    """

    sentence: Sentence
    slots: Slots
    posteriors: tuple[SlotPosterior, ...]
    corrections: tuple[Explained, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced by the rules of its script, not as in a file."""
        visible = [tuple(t if t in SILENT else display_form(t) for t in s) for s in self.slots]
        return spacing.text(self.sentence.forms, visible)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"<Corrected {self.sentence.sentence_id}, "
            f"{quantity(len(self.corrections), 'correction')}: {excerpt(self.text)}>"
        )
