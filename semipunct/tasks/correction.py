"""Options and results of correction: corrections of single slots with their reasons."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypedDict

from semipunct.corpus.sentences import Sentence, excerpt
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, SILENT, UNK, Edit, Puncteme, display_form, spacing
from semipunct.marks.corrections import Correction, corrections
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.tasks import limits
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.wording import quantity

Minimise = Literal["errors", "slots", "draws"]


@dataclass(frozen=True, slots=True)
class CorrectOptions:
    """Options of correction.

    Attributes:
        samples: draws per sentence, at most ``limits.SAMPLES``.
        seed: the random seed.
        marks: the only tokens that may be inserted, deleted or moved; None for all.
        minimum_confidence: corrections that are less probable are not made; None for 0.5 with
            ``minimise="errors"`` (0.75 for a text model), and 0 otherwise.
        minimise: the loss. ``errors``: each slot gets the most probable string among those that
            the written one can become by corrections seen in training; ``slots`` and ``draws``:
            the string of least expected edit distance among those of a slot, or of whole draws, as
            in restoration and in the paper.
        analyses: the number of underlying trees of the written punctuation drawn for each sentence,
            for models that use one; 0 for the best one, as in the paper.
    """

    samples: int = 1000
    seed: int = 0
    marks: Set[str] | None = None
    minimum_confidence: float | None = None
    minimise: Minimise = "errors"
    analyses: int = 0

    @property
    def least(self) -> float:
        """The minimum confidence, with the default filled in."""
        if self.minimum_confidence is not None:
            return self.minimum_confidence
        return 0.5 if self.minimise == "errors" else 0.0

    def check(self, model: CorrectionModel) -> None:
        """Raise ``UsageError`` unless all values are valid for a model."""
        if not 1 <= self.samples <= limits.SAMPLES:
            raise UsageError(f"{quantity(self.samples, 'sample')}; give 1 to {limits.SAMPLES:,}")
        if not 0 <= self.analyses <= min(limits.TREES, self.samples):
            raise UsageError(
                f"{quantity(self.analyses, 'analysis', 'analyses')} for "
                f"{quantity(self.samples, 'sample')}; give 0 to "
                f"{min(limits.TREES, self.samples):,}, with at least one sample each"
            )
        self.check_marks(model.inventory.tokens)

    def check_marks(self, tokens: Sequence[str]) -> None:
        """Raise ``UsageError`` unless confidence and marks are valid for a model.

        Args:
            tokens: the marks that the model knows.
        """
        if not 0 <= self.least <= 1:
            raise UsageError(f"the minimum confidence is {self.least}; give a probability, 0 to 1")
        if self.marks is not None and not self.marks:
            raise UsageError("the set of marks to correct is empty; name some, or leave it out")
        model_tokens = {*tokens} - {UNK}
        if unknown := sorted({*(self.marks or ())} - model_tokens):
            listed = " ".join(t for t in tokens if t in model_tokens - SILENT)
            raise UsageError(
                f"the model has never seen {' '.join(unknown)}; its marks are: {listed}"
            )

    def may_replace(self, string: Puncteme, written: Puncteme) -> bool:
        """Return whether a string may be written in place of another one.

        Args:
            string: the string.
            written: the other one.
        """
        # The token that represents all rare ones cannot be written, and the dots of abbreviations
        # are parts of words.
        dots = string.count(ABBREVIATION), written.count(ABBREVIATION)
        if (UNK in string and UNK not in written) or dots[0] != dots[1]:
            return False
        if self.marks is None:
            return True
        return all(
            token in self.marks
            for correction in corrections([written], [string])
            for token in (*correction.before, *correction.after)
        )


class CorrectSettings(TypedDict, total=False):
    """The attributes of ``CorrectOptions`` as arguments by name."""

    samples: int
    seed: int
    marks: Set[str] | None
    minimum_confidence: float | None
    minimise: Minimise
    analyses: int


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
