"""Figures of a corpus: how well its punctuation was restored, or predicted.

A ratio with denominator 0 is undefined: NaN here, null in JSON, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt


class PairingErrors(NamedTuple):
    """Openings without their closings, and closings without their openings."""

    openings: int
    closings: int


@dataclass(frozen=True, slots=True)
class Score:
    """How often a mark was restored: counts of tokens, and the ratios that follow from them."""

    true_positives: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """The part of the predicted tokens that is right; NaN if none was predicted."""
        return _ratio(self.true_positives, self.predicted)

    @property
    def recall(self) -> float:
        """The part of the gold tokens that was found; NaN if there is none."""
        return _ratio(self.true_positives, self.gold)

    @property
    def f1(self) -> float:
        """2 true positives / (predicted + gold): the harmonic mean where both ratios exist.

        Zero if either side is empty, which the harmonic mean leaves open; NaN if both are.
        """
        return _ratio(2 * self.true_positives, self.predicted + self.gold)

    def as_dict(self) -> dict[str, Any]:
        """Counts and ratios for JSON."""
        return {
            "true_positives": self.true_positives,
            "predicted": self.predicted,
            "gold": self.gold,
            "precision": finite(self.precision),
            "recall": finite(self.recall),
            "f1": finite(self.f1),
        }


@dataclass(frozen=True, slots=True)
class RestorationFigures:
    """How well the punctuation of a corpus was restored.

    Attributes:
        sentences: how many.
        slots: n + 1 for each sentence of n words.
        edit_distance: insertions, deletions and substitutions of tokens, over all slots.
        exact_slots: slots that were restored token for token.
        exact_sentences: sentences all of whose slots were.
        marks: the score of each mark that occurs in gold or predicted punctuation.
        micro: the score of all tokens together, whatever their mark.
        predicted_pairing: pairing errors of the predicted punctuation.
        gold_pairing: those that the gold punctuation has itself: quotations run over sentences.
    """

    sentences: int
    slots: int
    edit_distance: int
    exact_slots: int
    exact_sentences: int
    marks: Mapping[str, Score]
    micro: Score
    predicted_pairing: PairingErrors
    gold_pairing: PairingErrors

    @property
    def average_edit_distance(self) -> float:
        """Edits per slot, AED in figure 4 of Li, Wang and Eisner (2019)."""
        return _ratio(self.edit_distance, self.slots)

    @property
    def slot_accuracy(self) -> float:
        """The part of the slots that is exactly right."""
        return _ratio(self.exact_slots, self.slots)

    @property
    def sentence_accuracy(self) -> float:
        """The part of the sentences that is exactly right."""
        return _ratio(self.exact_sentences, self.sentences)

    def macro(self, ratio: Literal["precision", "recall", "f1"]) -> float:
        """The mean of a ratio over the marks that have it, each with the same weight."""
        values = [float(getattr(score, ratio)) for score in self.marks.values()]
        defined = [value for value in values if not math.isnan(value)]
        return _ratio(math.fsum(defined), len(defined))

    def as_dict(self) -> dict[str, Any]:
        """All figures for JSON; null stands for an undefined one."""
        return {
            "sentences": self.sentences,
            "slots": self.slots,
            "edit_distance": self.edit_distance,
            "average_edit_distance": finite(self.average_edit_distance),
            "exact_slots": self.exact_slots,
            "slot_accuracy": finite(self.slot_accuracy),
            "exact_sentences": self.exact_sentences,
            "sentence_accuracy": finite(self.sentence_accuracy),
            "micro": self.micro.as_dict(),
            "macro": {
                "precision": finite(self.macro("precision")),
                "recall": finite(self.macro("recall")),
                "f1": finite(self.macro("f1")),
            },
            "marks": {mark: score.as_dict() for mark, score in self.marks.items()},
            "pairing_errors": {
                "predicted": self.predicted_pairing._asdict(),
                "gold": self.gold_pairing._asdict(),
            },
        }


@dataclass(frozen=True, slots=True)
class PerplexityFigures:
    """How well the punctuation of a corpus was predicted.

    Attributes:
        sentences: how many.
        slots: n + 1 for each sentence of n words.
        log_likelihood: natural logarithm; minus infinity if one sentence has probability zero.
        unscorable: sentences with probability zero.
        perplexity: per slot, over all sentences (section 4).
        perplexity_of_scorable: per slot, over those of positive probability.
    """

    sentences: int
    slots: int
    log_likelihood: float
    unscorable: int
    perplexity: float
    perplexity_of_scorable: float

    def as_dict(self) -> dict[str, Any]:
        """All figures for JSON; null stands for an infinite or undefined one."""
        return {
            "perplexity": finite(self.perplexity),
            "log_likelihood": finite(self.log_likelihood),
            "slots": self.slots,
            "sentences": self.sentences,
            "unscorable": self.unscorable,
            "perplexity_of_scorable": finite(self.perplexity_of_scorable),
        }


def perplexity(log_likelihood: Any, slots: Any) -> npt.NDArray[np.float64]:
    """Perplexity per slot, exp(-log p / slots), elementwise; NaN where there is no slot."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return np.exp(np.where(slots == 0, np.nan, -np.asarray(log_likelihood) / slots))


def finite(value: float) -> float | None:
    """A number for JSON: None in place of NaN and the infinities, which JSON lacks."""
    return value if math.isfinite(value) else None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
