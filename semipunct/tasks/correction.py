"""Options of correction, and its results: corrections of single slots with their reasons."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal, TypedDict

from semipunct.corpus.sentences import Sentence, excerpt
from semipunct.errors import UsageError
from semipunct.marks import SILENT, UNK, Edit, Puncteme, shown, spacing
from semipunct.marks.corrections import Correction
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.tasks import limits
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.wording import counted

Minimise = Literal["errors", "slots", "draws"]


@dataclass(frozen=True, slots=True)
class CorrectOptions:
    """Options of correction.

    Attributes:
        samples: draws a sentence, at most ``limits.SAMPLES``.
        seed: fixes the draws.
        marks: the only tokens that may be put in, taken out or moved; None for all.
        minimum_confidence: corrections that are less probable are not made; None for 0.5 with
            ``minimise="errors"``, and for none at all with the others.
        minimise: ``errors``: each slot gets its most probable string among those that lead from
            what was written to what is right by corrections that training has seen;
            ``slots`` and ``draws``: the string of least expected edit distance, among those of a
            slot, or of whole draws, as in restoration and in the paper.
        analyses: underlying trees of what was written that are drawn for each sentence, for models
            that look at one; 0 for the best one, as in the paper.
    """

    samples: int = 1000
    seed: int = 0
    marks: Set[str] | None = None
    minimum_confidence: float | None = None
    minimise: Minimise = "errors"
    analyses: int = 0

    @property
    def least(self) -> float:
        """The minimum confidence, whether it was chosen or not."""
        if self.minimum_confidence is not None:
            return self.minimum_confidence
        return 0.5 if self.minimise == "errors" else 0.0

    def check(self, model: CorrectionModel) -> None:
        """Raise ``UsageError`` unless all values make sense for a model."""
        if not 1 <= self.samples <= limits.SAMPLES:
            raise UsageError(f"{counted(self.samples, 'sample')}; give 1 to {limits.SAMPLES:,}")
        if not 0 <= self.least <= 1:
            raise UsageError(f"a minimum confidence of {self.least}; it is a probability, 0 to 1")
        if not 0 <= self.analyses <= min(limits.TREES, self.samples):
            raise UsageError(
                f"{counted(self.analyses, 'analysis', 'analyses')} for "
                f"{counted(self.samples, 'sample')}; give 0 to "
                f"{min(limits.TREES, self.samples):,}, each of which has a sample"
            )
        if self.marks is not None and not self.marks:
            raise UsageError("no mark was named that may be corrected; name some, or leave it out")
        known = {*model.inventory.tokens} - {UNK}
        if unknown := sorted({*(self.marks or ())} - known):
            listed = " ".join(t for t in model.inventory.tokens if t in known - SILENT)
            raise UsageError(
                f"the model has never seen {' '.join(unknown)}; its marks are: {listed}"
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
    """A puncteme that meets others in a slot.

    Attributes:
        word: the number of the word whose constituent it is attached to, from 1.
        side: the edge of the constituent.
        tokens: of the puncteme.
    """

    word: int
    side: str
    tokens: Puncteme


@dataclass(frozen=True, slots=True)
class Reason:
    """The marks underneath a slot of the corrected sentence, and their rewriting.

    Attributes:
        attached: the punctemes that meet there, in text order.
        edits: by which the channel rewrites them to what readers see.
    """

    attached: tuple[Attached, ...]
    edits: tuple[Edit, ...]

    @property
    def underlying(self) -> Puncteme:
        """The tokens that meet there."""
        return tuple(token for one in self.attached for token in one.tokens)


@dataclass(frozen=True, slots=True)
class Explained:
    """A correction with its reason.

    Attributes:
        correction: of one slot.
        probability: that the slot should have the string that it leads to.
        written: the probability of what was written there.
        reason: None where no underlying tree explains the corrected sentence.
    """

    correction: Correction
    probability: float
    written: float
    reason: Reason | None


@dataclass(frozen=True, slots=True, repr=False)
class Corrected:
    """A sentence with corrected punctuation.

    Attributes:
        sentence: words and tree, with the punctuation that was written.
        slots: the corrected strings.
        posteriors: of each slot.
        corrections: of the slots that differ, in order.
    """

    sentence: Sentence
    slots: Slots
    posteriors: tuple[SlotPosterior, ...]
    corrections: tuple[Explained, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced as its script is; no file is looked at for spaces."""
        visible = [tuple(t if t in SILENT else shown(t) for t in s) for s in self.slots]
        return spacing.text(self.sentence.forms, visible)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"<Corrected {self.sentence.sentence_id}, "
            f"{counted(len(self.corrections), 'correction')}: {excerpt(self.text)}>"
        )
