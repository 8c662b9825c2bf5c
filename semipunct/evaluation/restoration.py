"""Restoration: restored punctuation compared with gold punctuation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.errors import UsageError
from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import (
    Column,
    Count,
    CountByMark,
    CountRow,
    Counts,
    Floats,
    Measure,
    Setting,
    SlotCount,
    Statistics,
    ratio,
    refuse,
)
from semipunct.marks import PAIRS, Puncteme, TokenPair
from semipunct.marks.edits import edit_distance
from semipunct.marks.matching import pairing_errors

Slots = Sequence[Puncteme]
"""The slots of one sentence: n + 1 punctemes for n words."""


class Score(Figures, frozen=True):
    """Precision, recall and F1 of the tokens of a mark, or of other predictions."""

    f1: Annotated[Ratio, Meta(title="F1")]
    precision: Annotated[Ratio, Meta(title="  precision")]
    recall: Annotated[Ratio, Meta(title="  recall")]
    true_positives: Number
    predicted: Number
    gold: Number

    @classmethod
    def of(cls, true_positives: int, predicted: int, gold: int) -> Score:
        """Compute the ratios of counts.

        F1 is 0 without predicted or without gold tokens, and NaN without both.
        """
        return cls(
            f1=ratio(2 * true_positives, predicted + gold),
            precision=ratio(true_positives, predicted),
            recall=ratio(true_positives, gold),
            true_positives=true_positives,
            predicted=predicted,
            gold=gold,
        )


class MeanScore(Figures, frozen=True):
    """Unweighted means over the marks for which a ratio is defined."""

    f1: Ratio
    precision: Ratio
    recall: Ratio

    @classmethod
    def of(cls, scores: Collection[Score]) -> MeanScore:
        def mean(values: Iterable[float]) -> float:
            defined = [value for value in values if not math.isnan(value)]
            return ratio(math.fsum(defined), len(defined))

        ratios = ("f1", "precision", "recall")
        return cls(**{name: mean(getattr(score, name) for score in scores) for name in ratios})


class PairingFigures(Figures, frozen=True):
    """Opening and closing tokens without a partner."""

    openings: Number
    closings: Number

    @classmethod
    def of(cls, counts: Counts) -> PairingFigures:
        """Sum the pairing errors of sentences, ``[sentences, 2]``."""
        return cls(*counts.sum(0).tolist())


class BothPairingFigures(Figures, frozen=True):
    """Pairing errors of predicted and gold punctuation, such as quotations of several sentences."""

    predicted: PairingFigures
    gold: PairingFigures


class RestorationFigures(Figures, frozen=True):
    """Figures of restoration; the edit distance is AED of Li, Wang and Eisner (2019), figure 4."""

    schema = "semipunct.restore-gold/1"
    average_edit_distance: Annotated[
        Real, Meta(title="edit distance per slot", description="edits per slot")
    ]
    slot_accuracy: Annotated[Ratio, Meta(title="slots as in the input")]
    sentence_accuracy: Annotated[Ratio, Meta(title="sentences as in the input")]
    micro: Annotated[
        Score, Meta(title="F1 over all marks", description="of the tokens of all marks together")
    ]
    macro: MeanScore
    marks: Annotated[dict[str, Score], Meta(description="by token")]
    pairing_errors: BothPairingFigures
    edit_distance: Annotated[
        Number, Meta(description="insertions, deletions and substitutions of tokens")
    ]
    exact_slots: Number
    exact_sentences: Annotated[Number, Meta(description="sentences all of whose slots are exact")]
    slots: Annotated[Number, Meta(title="slots", description="n + 1 for a sentence of n words")]
    sentences: Annotated[Number, Meta(title="sentences")]


def f1(totals: Floats, gold: Floats) -> Floats:
    """Return F1 of true positives and predicted tokens, ``[..., 2]``, and gold tokens."""
    return 2 * totals[..., 0] / (totals[..., 1] + gold)


def precision(totals: Floats, _: Floats) -> Floats:
    """Return the first sum divided by the second, ``[..., 2]`` to ``[...]``."""
    return totals[..., 0] / totals[..., 1]


@dataclass(frozen=True, slots=True, eq=False)
class RestorationStatistics(Statistics[RestorationFigures]):
    """The contribution of each sentence to ``RestorationFigures``: counts.

    Attributes:
        pairs: the pairs of marks for which pairing errors were counted.
        exact_slots: ``[sentences]`` slots that are exactly right.
        true_positives: ``[sentences, marks]`` multiset intersections of the slots.
        predicted: ``[sentences, marks]`` predicted tokens.
        gold: ``[sentences, marks]`` gold tokens.
        predicted_pairing: ``[sentences, 2]`` openings and closings without a partner.
        gold_pairing: ``[sentences, 2]`` the same in the gold punctuation.
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
        scores = [Score.of(*(int(counts.sum()) for counts in triple)) for triple in triples]
        pairing = BothPairingFigures(
            predicted=PairingFigures.of(self.predicted_pairing),
            gold=PairingFigures.of(self.gold_pairing),
        )
        values = self.usual_figures(RestorationFigures)
        values["pairing_errors"] = pairing
        return RestorationFigures(
            **values,
            micro=Score.of(
                *(int(counts.sum()) for counts in (self.true_positives, self.predicted, self.gold))
            ),
            macro=MeanScore.of(scores),
            marks=dict(zip(self.marks, scores, strict=True)),
        )


def occurring_pairs(sentences: Iterable[Slots]) -> frozenset[TokenPair]:
    """Return the pairs of ``marks.PAIRS`` with both tokens in the sentences.

    *!* is a closing mark in Spanish but not in English; quotation marks differ likewise.
    """
    seen = {token for sentence in sentences for slot in sentence for token in slot}
    return frozenset(pair for pair in PAIRS if seen.issuperset(pair))


def restoration_statistics(
    gold: Sequence[Slots], predicted: Sequence[Slots], pairs: Set[TokenPair] | None = None
) -> RestorationStatistics:
    """Compare predicted punctuation with gold punctuation, sentence by sentence.

    Replace rare tokens by ``marks.UNK`` in both arguments or in neither.

    Args:
        pairs: opening and closing tokens; by default ``occurring_pairs(gold)``, so that all systems
            are evaluated alike.
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
                "predicted ones: restoring punctuation must not change the words"
            )
