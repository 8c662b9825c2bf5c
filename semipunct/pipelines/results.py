"""Results: strings of slots with their posteriors, and explained corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from semipunct.corpus.sentences import Sentence, Words, excerpt
from semipunct.marks import ABBREVIATION, SILENT, Edit, Puncteme, display_form, spacing
from semipunct.marks.corrections import Correction, corrections
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.trained import Slots
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.models.punctuation.feature_weights import FeatureWeight, NodeFeatures

S = TypeVar("S", bound=Sentence[Any] | Words, default=Sentence, covariant=True)


def shown_slots(slots: Sequence[Puncteme]) -> list[Puncteme]:
    """Return slots with tokens in the form shown to readers."""
    return [tuple(t if t in SILENT else display_form(t) for t in slot) for slot in slots]


class _Written:
    __slots__ = ()
    sentence: Any
    written: Any

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced by the rules of its script, not as in a file."""
        return spacing.text(self.sentence.forms, shown_slots(self.written))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Restoration(_Written, Generic[S]):
    """The restored punctuation of a sentence.

    Attributes:
        sentence: the words, with a dependency tree unless the model reads none.
        nbest: the most frequent whole draws, each with its relative frequency.
    """

    sentence: S
    slots: tuple[Puncteme, ...]
    posteriors: tuple[SlotPosterior, ...]
    nbest: tuple[tuple[tuple[Puncteme, ...], float], ...]

    @property
    def written(self) -> Slots:
        """The strings to write: ``slots`` with the original dots of abbreviations.

        The dot of an abbreviation is part of its word, and absorbs a following period.
        """
        strings: list[Puncteme] = []
        for before, string in zip(self.sentence.slots, self.slots, strict=True):
            dot = tuple(t for t in before if t == ABBREVIATION)
            absorbed = bool(dot) and string[:1] == (".",)
            strings.append((*dot, *(t for t in string[absorbed:] if t != ABBREVIATION)))
        return tuple(strings)

    def as_dict(self) -> dict[str, Any]:
        slots = enumerate(zip(self.slots, self.posteriors, strict=True))
        values: dict[str, Any] = {
            "sent_id": self.sentence.sentence_id,
            "text": self.text,
            "words": list(self.sentence.forms),
            "slots": [{"slot": i, **view.as_dict(s)} for i, (s, view) in slots],
        }
        if self.nbest:
            values["nbest"] = [
                {"slots": [list(string) for string in draw], "probability": share}
                for draw, share in self.nbest
            ]
        return values

    def __repr__(self) -> str:
        return f"<Restoration {self.sentence.sentence_id}: {excerpt(self.text)}>"


@dataclass(frozen=True, slots=True)
class Attached:
    """A puncteme at a slot.

    Attributes:
        word: the head of its constituent, from 1.
        side: the edge of the constituent.
    """

    word: int
    side: str
    tokens: Puncteme


@dataclass(frozen=True, slots=True)
class Reason:
    """The underlying marks of a slot in the corrected sentence, and their rewriting."""

    attached: tuple[Attached, ...]
    edits: tuple[Edit, ...]

    @property
    def underlying(self) -> Puncteme:
        return tuple(token for constituent in self.attached for token in constituent.tokens)


@dataclass(frozen=True, slots=True)
class Explained:
    """A correction with its reason, and the probabilities of the new and the original string."""

    correction: Correction
    probability: float
    written: float
    reason: Reason | None


@dataclass(frozen=True, slots=True, repr=False)
class Corrected(_Written):
    """A sentence with corrected punctuation.

    Attributes:
        sentence: words and tree, with the original punctuation.
        slots: the corrected strings.
    """

    sentence: Sentence
    slots: Slots
    posteriors: tuple[SlotPosterior, ...]
    corrections: tuple[Explained, ...]

    @property
    def written(self) -> Slots:
        return self.slots

    def __repr__(self) -> str:
        return (
            f"<Corrected {self.sentence.sentence_id}, "
            f"{quantity(len(self.corrections), 'correction')}: {excerpt(self.text)}>"
        )


def explain_corrections(
    sentence: Sentence,
    slots: Slots,
    posteriors: tuple[SlotPosterior, ...],
    reason: Callable[[int], Reason | None] = lambda slot: None,
) -> Corrected:
    """Collect the corrections of a sentence."""
    explained = tuple(
        Explained(
            correction,
            posteriors[correction.slot].of(slots[correction.slot]),
            posteriors[correction.slot].of(sentence.slots[correction.slot]),
            reason(correction.slot),
        )
        for correction in corrections(spacing.visible(sentence.slots), spacing.visible(slots))
    )
    return Corrected(sentence, slots, posteriors, explained)


@dataclass(frozen=True, slots=True)
class Analysed:
    """The best underlying tree of a punctuated sentence.

    Attributes:
        reasons: ``[n + 1]`` the punctemes at each slot, and their rewriting.
        features: of the model and its weights.
    """

    analysis: Analysis
    reasons: tuple[Reason, ...]
    features: NodeFeatures

    @property
    def sentence(self) -> Sentence:
        return self.analysis.sentence

    def weights(self, attached: Attached) -> list[FeatureWeight]:
        pair = self.analysis.pairs[attached.word - 1]
        return self.features.weights(attached.word, attached.side, pair)
