"""Options and results of restoration: the string of each slot, and its posterior distribution."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypedDict

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words, excerpt
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, SILENT, UNK, Puncteme, display_form, spacing
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks import limits
from semipunct.tasks.base import Slots
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.wording import quantity

Minimise = Literal["slots", "draws"]
Keep = Literal["replace", "repair", "keep"]

S = TypeVar("S", bound=Sentence[Any] | Words, default=Sentence, covariant=True)


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """Options of restoration.

    Attributes:
        samples: draws per sentence, at most ``limits.SAMPLES``.
        seed: the random seed.
        minimise: the candidates among which the expected edit distance is minimised: the strings
            of each slot (``slots``), or whole draws, as in the paper (``draws``).
        marks: the only tokens that may be inserted; None for all tokens of the model.
        minimum_confidence: slots whose best string is less probable stay empty.
        nbest: how many of the most frequent whole draws to list.
        keep: the treatment of existing marks: ``replace`` removes them first, ``keep`` leaves them
            unchanged and fills only empty slots, ``repair`` uses them as uncertain evidence. None
            stands for ``keep`` in sentences of a text and ``replace`` in those of a treebank.
        mistaken: with ``repair``, the factor in the likelihood for each token that is removed.
    """

    samples: int = 1000
    seed: int = 0
    minimise: Minimise = "slots"
    marks: Set[str] | None = None
    minimum_confidence: float = 0.0
    nbest: int = 0
    keep: Keep | None = None
    mistaken: float = 0.1

    def keep_for(self, sentence: Sentence[Any] | Words) -> Keep:
        """Return the treatment of the existing marks of a sentence, with the default filled in."""
        return self.keep or ("keep" if sentence.source == "text" else "replace")

    def check(self, model: PunctuationModel) -> None:
        """Raise ``UsageError`` unless all values are valid for a model."""
        if self.samples < 1:
            raise UsageError(f"{quantity(self.samples, 'sample')}; restoring needs at least 1")
        if self.samples > limits.SAMPLES:
            raise UsageError(f"{quantity(self.samples, 'sample')}; give at most {limits.SAMPLES:,}")
        if not 0 <= self.minimum_confidence <= 1:
            raise UsageError(
                f"the minimum confidence is {self.minimum_confidence}; give a probability, 0 to 1"
            )
        if self.nbest < 0:
            raise UsageError(f"nbest is {self.nbest}; give 0 or more")
        if not 0 < self.mistaken <= 1:
            raise UsageError(
                f"the factor of removed marks is {self.mistaken}; give one above 0, at most 1"
            )
        model_tokens = set(model.inventory.tokens) - {UNK}
        if unknown := sorted(set(self.marks or ()) - model_tokens):
            listed = [t for t in model.inventory.tokens if t in model_tokens - SILENT]
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
    keep: Keep | None
    mistaken: float


LISTED = 5
"""Strings of a slot that ``as_dict`` lists by default."""


@dataclass(frozen=True, slots=True, repr=False)
class Restoration(Generic[S]):
    """The punctuation restored to one sentence.

    Attributes:
        sentence: words, and the tree if the model reads one; a sentence with a dependency tree
            unless stated otherwise.
        slots: the string put into each slot.
        posteriors: the posterior of each slot.
        nbest: the most frequent whole draws, each with its relative frequency.
    """

    sentence: S
    slots: tuple[Puncteme, ...]
    posteriors: tuple[SlotPosterior, ...]
    nbest: tuple[tuple[tuple[Puncteme, ...], float], ...]

    @property
    def written(self) -> Slots:
        """The strings to write: as in ``slots``, but with the original dots of abbreviations.

        The dot of an abbreviation is part of its word, and absorbs a period that follows it.
        """
        strings: list[Puncteme] = []
        for before, string in zip(self.sentence.slots, self.slots, strict=True):
            dot = tuple(t for t in before if t == ABBREVIATION)
            absorbed = bool(dot) and string[:1] == (".",)
            strings.append((*dot, *(t for t in string[absorbed:] if t != ABBREVIATION)))
        return tuple(strings)

    def with_forms(self, forms: Sequence[str]) -> Restoration[S]:
        """Return the same punctuation with other forms of the words, such as capitalised ones.

        Args:
            forms: ``[n]`` the forms of the words.
        """
        return replace(self, sentence=replace(self.sentence, forms=tuple(forms)))

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced by the rules of its script, not as in a file."""
        visible = [tuple(t if t in SILENT else display_form(t) for t in s) for s in self.written]
        return spacing.text(self.sentence.forms, visible)

    def as_dict(self, listed: int = LISTED) -> dict[str, Any]:
        """Return words, strings and posteriors as JSON-serialisable values.

        Args:
            listed: how many of the most probable strings of a slot to list.
        """
        slots = enumerate(zip(self.slots, self.posteriors, strict=True))
        values: dict[str, Any] = {
            "sent_id": self.sentence.sentence_id,
            "text": self.text,
            "words": list(self.sentence.forms),
            "slots": [{"slot": i, **view.as_dict(s, listed)} for i, (s, view) in slots],
        }
        if self.nbest:
            values["nbest"] = [
                {"slots": [list(string) for string in draw], "probability": share}
                for draw, share in self.nbest
            ]
        return values

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Restoration {self.sentence.sentence_id}: {excerpt(self.text)}>"
