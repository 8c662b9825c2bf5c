"""Restoration: restored punctuation compared with gold punctuation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from semipunct.errors import UsageError
from semipunct.evaluation.columns import (
    Column,
    Count,
    CountByMark,
    CountRow,
    Counts,
    Floats,
    SlotCount,
    refuse,
)
from semipunct.evaluation.metric import Measure, Setting, Statistics, ratio
from semipunct.files import finite
from semipunct.marks import PAIRS, Puncteme, TokenPair
from semipunct.marks.distance import edit_distance
from semipunct.marks.matching import PairingErrors, pairing_errors
from semipunct.wording import figure

Slots = Sequence[Puncteme]
"""The slots of one sentence: n + 1 punctemes for n words."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of the tokens of a mark, and the ratios that follow from them.

    Attributes:
        true_positives: the number of tokens that are both predicted and gold.
        predicted: the number of predicted tokens.
        gold: the number of gold tokens.
    """

    true_positives: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """The proportion of predicted tokens that are right; NaN if none was predicted."""
        return ratio(self.true_positives, self.predicted)

    @property
    def recall(self) -> float:
        """The proportion of gold tokens that were found; NaN if there is none."""
        return ratio(self.true_positives, self.gold)

    @property
    def f1(self) -> float:
        """2 true positives / (predicted + gold): the harmonic mean if both ratios are defined.

        Zero if there are no predicted or no gold tokens; NaN if there are neither.
        """
        return ratio(2 * self.true_positives, self.predicted + self.gold)

    def as_dict(self) -> dict[str, Any]:
        """Return counts and ratios for JSON."""
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
    """Figures of the restoration of the punctuation of a corpus.

    Attributes:
        sentences: the number of sentences.
        slots: the number of slots, n + 1 for each sentence of n words.
        edit_distance: insertions, deletions and substitutions of tokens, over all slots.
        exact_slots: the number of slots that were restored exactly.
        exact_sentences: the number of sentences all of whose slots were restored exactly.
        marks: the score of each mark that occurs in gold or predicted punctuation.
        micro: the score of the tokens of all marks together.
        predicted_pairing: the pairing errors of the predicted punctuation.
        gold_pairing: the pairing errors of the gold punctuation, such as quotations that span
            several sentences.
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
        return ratio(self.edit_distance, self.slots)

    @property
    def slot_accuracy(self) -> float:
        """The proportion of slots that are exactly right."""
        return ratio(self.exact_slots, self.slots)

    @property
    def sentence_accuracy(self) -> float:
        """The proportion of sentences that are exactly right."""
        return ratio(self.exact_sentences, self.sentences)

    def macro(self, name: Literal["precision", "recall", "f1"]) -> float:
        """Return the unweighted mean of a ratio over the marks for which it is defined."""
        values = [float(getattr(score, name)) for score in self.marks.values()]
        defined = [value for value in values if not math.isnan(value)]
        return ratio(math.fsum(defined), len(defined))

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON; undefined ones are null."""
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

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures of all marks together for a table."""
        return [
            ("edit distance per slot", figure(self.average_edit_distance)),
            ("slots as in the input", figure(self.slot_accuracy)),
            ("sentences as in the input", figure(self.sentence_accuracy)),
            ("F1 over all marks", figure(self.micro.f1)),
            ("slots", f"{self.slots:,}"),
            ("sentences", f"{self.sentences:,}"),
        ]


def f1(totals: Floats, gold: Floats) -> Floats:
    """Return F1, ``[...]``.

    Args:
        totals: ``[..., 2]`` true positives and predicted tokens.
        gold: ``[...]`` gold tokens.
    """
    return 2 * totals[..., 0] / (totals[..., 1] + gold)


def precision(totals: Floats, _: Floats) -> Floats:
    """Return precision, ``[...]``.

    Args:
        totals: ``[..., 2]`` true positives and predicted tokens.
        _: gold tokens; ignored.
    """
    return totals[..., 0] / totals[..., 1]


@dataclass(frozen=True, slots=True, eq=False)
class RestorationStatistics(Statistics[RestorationFigures]):
    """The contribution of each sentence to ``RestorationFigures``: counts.

    Attributes:
        marks: the marks that occur in gold or predicted slots, sorted.
        pairs: the pairs of marks for which pairing errors were counted.
        slots: ``[sentences]`` slots, n + 1 each.
        edit_distance: ``[sentences]`` edit distances, summed over the slots.
        exact_slots: ``[sentences]`` slots that are exactly right.
        true_positives: ``[sentences, marks]`` multiset intersections of the slots.
        predicted: ``[sentences, marks]`` predicted tokens.
        gold: ``[sentences, marks]`` gold tokens.
        predicted_pairing: ``[sentences, 2]`` pairing errors, as in ``PairingErrors``.
        gold_pairing: ``[sentences, 2]`` the same of the gold punctuation.

    Raises:
        ValueError: if shapes or counts are inconsistent; the message names the sentence.
    """

    task: ClassVar[str] = "restoration"
    columns: ClassVar[Mapping[str, Column]] = {
        "slots": SlotCount(),
        "edit_distance": Count(),
        "exact_slots": Count(),
        "true_positives": CountByMark(),
        "predicted": CountByMark(),
        "gold": CountByMark(given=True),
        "predicted_pairing": CountRow(2),
        "gold_pairing": CountRow(2),
    }
    derived: ClassVar[tuple[str, ...]] = ("exact_sentences",)
    settings: ClassVar[Mapping[str, Setting]] = {
        "pairs": Setting(
            list[tuple[str, str]], "list of pairs of tokens", "pairing errors", frozenset, sorted
        )
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("average_edit_distance", "edits per slot", ("edit_distance",), "slots"),
        Measure("micro_f1", "F1 of all marks", ("true_positives", "predicted"), "gold", f1),
        Measure("micro_precision", "  precision", ("true_positives", "predicted"), None, precision),
        Measure("micro_recall", "  recall", ("true_positives",), "gold"),
        Measure("slot_accuracy", "slots as in the input", ("exact_slots",), "slots"),
        Measure("sentence_accuracy", "sentences as in the input", ("exact_sentences",)),
        Measure("pairing_errors", "pairing errors per sentence", ("predicted_pairing",)),
    )

    pairs: frozenset[TokenPair]
    slots: Counts
    edit_distance: Counts
    exact_slots: Counts
    true_positives: Counts
    predicted: Counts
    gold: Counts
    predicted_pairing: Counts
    gold_pairing: Counts

    @property
    def exact_sentences(self) -> Counts:
        """``[sentences]`` 1 for sentences all of whose slots are exact, otherwise 0."""
        return (self.exact_slots == self.slots).astype(np.int64)

    def check(self) -> None:
        least = np.minimum(self.predicted, self.gold)
        refuse(self.true_positives > least, "more true positives than tokens")
        wrong = self.slots - self.exact_slots
        refuse(wrong < 0, "more exact slots than slots")
        refuse((self.edit_distance == 0) != (wrong == 0), "exact slots against edit distance")
        refuse(self.edit_distance < wrong, "fewer edits than wrong slots")

    def figures(self) -> RestorationFigures:
        triples = zip(self.true_positives.T, self.predicted.T, self.gold.T, strict=True)
        scores = [Score(*(int(counts.sum()) for counts in triple)) for triple in triples]
        micro = (self.true_positives, self.predicted, self.gold)
        return RestorationFigures(
            sentences=len(self.slots),
            slots=int(self.slots.sum()),
            edit_distance=int(self.edit_distance.sum()),
            exact_slots=int(self.exact_slots.sum()),
            exact_sentences=int(self.exact_sentences.sum()),
            marks=dict(zip(self.marks, scores, strict=True)),
            micro=Score(*(int(counts.sum()) for counts in micro)),
            predicted_pairing=PairingErrors(*self.predicted_pairing.sum(0).tolist()),
            gold_pairing=PairingErrors(*self.gold_pairing.sum(0).tolist()),
        )


def occurring_pairs(sentences: Iterable[Slots]) -> frozenset[TokenPair]:
    """Return the pairs of ``marks.PAIRS`` both of whose tokens occur in some sentences.

    *!* is a closing mark in Spanish but not in English: if no inverted mark occurs, it is not part
    of a pair.  The same applies to quotation marks of other traditions.
    """
    seen = {token for sentence in sentences for slot in sentence for token in slot}
    return frozenset(pair for pair in PAIRS if seen.issuperset(pair))


def restoration_statistics(
    gold: Sequence[Slots], predicted: Sequence[Slots], pairs: Set[TokenPair] | None = None
) -> RestorationStatistics:
    """Compare predicted punctuation with gold punctuation, sentence by sentence.

    Slots correspond one to one, because restoring punctuation does not change words.  The true
    positives of a slot, per mark, are the intersection of its gold and predicted tokens as
    multisets: their order in the slot matters only for the edit distance.  Rare tokens are compared
    as given: replace them by ``marks.UNK`` in both arguments or in neither.

    Args:
        gold: the gold slots of each sentence.
        predicted: the slots predicted by a system.
        pairs: opening and closing tokens.  By default the pairs both of whose tokens occur in
            ``gold``; ``predicted`` is ignored, so that all systems are evaluated alike.

    Raises:
        UsageError: if the numbers of sentences or of a sentence's slots differ.
    """
    _check_slots(gold, predicted)
    looked_for = frozenset(occurring_pairs(gold) if pairs is None else pairs)
    marks = sorted(
        {token for side in (gold, predicted) for s in side for slot in s for token in slot}
    )
    number = {mark: place for place, mark in enumerate(marks)}
    right, predicted_tokens, gold_tokens = np.zeros((3, len(gold), len(marks)), np.int64)
    distance, exact = np.zeros((2, len(gold)), np.int64)
    for place, sentence in enumerate(zip(gold, predicted, strict=True)):
        for true, guessed in zip(*sentence, strict=True):
            distance[place] += edit_distance(true, guessed)
            exact[place] += true == guessed
            for token, count in (Counter(true) & Counter(guessed)).items():
                right[place, number[token]] += count
            for token in guessed:
                predicted_tokens[place, number[token]] += 1
            for token in true:
                gold_tokens[place, number[token]] += 1
    pairing = [
        np.array([pairing_errors(s, looked_for) for s in side], np.int64).reshape(-1, 2)
        for side in (predicted, gold)
    ]
    return RestorationStatistics(
        marks=tuple(marks),
        pairs=looked_for,
        slots=np.array([len(s) for s in gold], np.int64),
        edit_distance=distance,
        exact_slots=exact,
        true_positives=right,
        predicted=predicted_tokens,
        gold=gold_tokens,
        predicted_pairing=pairing[0],
        gold_pairing=pairing[1],
    )


def _check_slots(gold: Sequence[Slots], predicted: Sequence[Slots]) -> None:
    if len(gold) != len(predicted):
        raise UsageError(
            f"{len(gold)} gold sentences and {len(predicted)} predicted ones: "
            "give the same sentences for both"
        )
    for number, (gold_slots, predicted_slots) in enumerate(zip(gold, predicted, strict=True), 1):
        if len(gold_slots) != len(predicted_slots):
            raise UsageError(
                f"sentence {number}: {len(gold_slots)} gold slots and {len(predicted_slots)} "
                "predicted ones: "
                "restoring punctuation must not change the words"
            )
