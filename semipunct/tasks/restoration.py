"""Options of restoration, and its results: the string of each slot, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

from semipunct.corpus import Sentence
from semipunct.corpus.sentences import excerpt
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, SILENT, UNK, Puncteme, shown, spacing
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks import limits
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.wording import counted

Minimise = Literal["slots", "draws"]
Keep = Literal["replace", "repair", "keep"]


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """Options of restoration.

    Attributes:
        samples: draws a sentence, at most ``limits.SAMPLES``.
        seed: fixes the draws.
        minimise: expected edit distance among the strings of each ``slots``, or among whole
            ``draws`` as in the paper.
        marks: the only tokens that may be put into a slot; None for all of the model's.
        minimum_confidence: slots whose best string is less probable stay empty.
        nbest: how many of the most frequent whole draws to list.
        keep: the treatment of marks that a sentence has: ``replace`` removes them first,
            ``keep`` lets them stand and fills empty slots only, ``repair`` takes them for likely.
        mistaken: with ``repair`` the factor for each token that is taken away.
    """

    samples: int = 1000
    seed: int = 0
    minimise: Minimise = "slots"
    marks: Set[str] | None = None
    minimum_confidence: float = 0.0
    nbest: int = 0
    keep: Keep = "replace"
    mistaken: float = 0.1

    def check(self, model: PunctuationModel) -> None:
        """Raise ``UsageError`` unless all values make sense for a model."""
        if self.samples < 1:
            raise UsageError(f"{counted(self.samples, 'sample')}; restoring needs at least 1")
        if self.samples > limits.SAMPLES:
            raise UsageError(f"{counted(self.samples, 'sample')}; give at most {limits.SAMPLES:,}")
        if not 0 <= self.minimum_confidence <= 1:
            raise UsageError(
                f"a minimum confidence of {self.minimum_confidence}; it is a probability, 0 to 1"
            )
        if self.nbest < 0:
            raise UsageError(f"the {self.nbest} best; give 0 or more")
        if not 0 < self.mistaken <= 1:
            raise UsageError(
                f"a factor of {self.mistaken} for what is taken away; give one above 0, at most 1"
            )
        known = set(model.inventory.tokens) - {UNK}
        if unknown := sorted(set(self.marks or ()) - known):
            listed = [t for t in model.inventory.tokens if t in known - SILENT]
            raise UsageError(
                f"the model has never seen {' '.join(unknown)}; its marks are: {' '.join(listed)}"
            )


class RestoreSettings(TypedDict, total=False):
    """The attributes of ``RestoreOptions`` as arguments by name."""

    samples: int
    seed: int
    minimise: Minimise
    marks: Set[str] | None
    minimum_confidence: float
    nbest: int
    keep: Keep
    mistaken: float


LISTED = 5
"""Strings of a slot that are told as plain data."""


@dataclass(frozen=True, slots=True, repr=False)
class Restoration:
    """The punctuation restored to one sentence.

    Attributes:
        sentence: words and tree.
        slots: the string put into each slot.
        posteriors: of each slot.
        nbest: the most frequent draws as a whole, each with its share of all.
    """

    sentence: Sentence
    slots: tuple[Puncteme, ...]
    posteriors: tuple[SlotPosterior, ...]
    nbest: tuple[tuple[tuple[Puncteme, ...], float], ...]

    @property
    def written(self) -> Slots:
        """The strings as they are written: dots of abbreviations, parts of words, as they were.

        Such a dot absorbs a period that follows it, as in any text.
        """
        result: list[Puncteme] = []
        for before, string in zip(self.sentence.slots, self.slots, strict=True):
            dot = tuple(t for t in before if t == ABBREVIATION)
            absorbed = bool(dot) and string[:1] == (".",)
            result.append((*dot, *(t for t in string[absorbed:] if t != ABBREVIATION)))
        return tuple(result)

    def spelt(self, forms: Sequence[str]) -> Restoration:
        """Return the same punctuation of words that are spelt otherwise, with capitals.

        Args:
            forms: ``[n]`` the words.
        """
        return replace(self, sentence=replace(self.sentence, forms=tuple(forms)))

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced as its script is; no file is looked at for spaces."""
        visible = [tuple(t if t in SILENT else shown(t) for t in s) for s in self.written]
        return spacing.text(self.sentence.forms, visible)

    def as_dict(self, listed: int = LISTED) -> dict[str, Any]:
        """Return words, strings and what is known about each slot, as values that JSON can hold.

        Args:
            listed: how many of the most probable strings of a slot to tell.
        """
        slots = enumerate(zip(self.slots, self.posteriors, strict=True))
        result: dict[str, Any] = {
            "sent_id": self.sentence.sentence_id,
            "text": self.text,
            "words": list(self.sentence.forms),
            "slots": [{"slot": i, **known.as_dict(s, listed)} for i, (s, known) in slots],
        }
        if self.nbest:
            result["nbest"] = [
                {"slots": [list(string) for string in draw], "probability": share}
                for draw, share in self.nbest
            ]
        return result

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Restoration {self.sentence.sentence_id}: {excerpt(self.text)}>"
