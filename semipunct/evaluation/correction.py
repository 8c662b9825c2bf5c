"""Correction: a system's corrections compared with those of one or more references.

Edits are those of ``marks.corrections``, one for each slot that changes; an edit is right if the
reference has the same tokens there. The definitions are those of the MaxMatch scorer (Dahlmeier and
Ng 2012; Ng et al. 2014): edits are proposed by a system, needed by a reference, or both (correct).
If a sentence has several references, the one that gives the best score is used.

| figure | definition |
| --- | --- |
| precision | correct / proposed |
| recall | correct / needed |
| F0.5 | 1.25 correct / (proposed + 0.25 needed) |
| harm | edits of slots that were right, per thousand slots that were right |
| edits per slot | edit distance of tokens to the reference / slots judged by the reference |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from semipunct.errors import UsageError
from semipunct.evaluation.columns import (
    Column,
    Count,
    CountByMark,
    Counts,
    Floats,
    SlotCount,
    refuse,
)
from semipunct.evaluation.metric import Measure, Setting, Statistics, ratio
from semipunct.evaluation.restoration import Slots
from semipunct.files import finite
from semipunct.marks import Puncteme, spacing
from semipunct.marks.corrections import corrections
from semipunct.marks.distance import edit_distance
from semipunct.wording import figure, quantity

Choice = Literal["sentence", "corpus"]
"""How the reference of a sentence is chosen: by F0.5 of the ``sentence``, or, as in MaxMatch, by
F0.5 of the ``corpus`` up to and including it, so that the order of sentences matters."""

References = Sequence[Sequence[Puncteme | None]]
"""``[references, n + 1]`` the corrected slots of one sentence; None for slots without judgement."""

BETA2 = 0.25
"""The square of beta in F0.5: precision is weighted twice as much as recall."""

THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class EditScore:
    """Counts of edits, and the ratios that follow from them.

    Attributes:
        correct: edits that are both proposed and needed.
        proposed: edits proposed by a system.
        needed: edits needed by the reference.
    """

    correct: int
    proposed: int
    needed: int

    @property
    def precision(self) -> float:
        """The proportion of proposed edits that are correct; NaN if none was proposed."""
        return ratio(self.correct, self.proposed)

    @property
    def recall(self) -> float:
        """The proportion of needed edits that were proposed; NaN if none is needed."""
        return ratio(self.correct, self.needed)

    @property
    def f05(self) -> float:
        """The weighted harmonic mean of both ratios; 0 without correct edits, NaN without edits."""
        return ratio((1 + BETA2) * self.correct, self.proposed + BETA2 * self.needed)

    def as_dict(self) -> dict[str, Any]:
        """Return counts and ratios for JSON; undefined ones are null."""
        return {
            "correct": self.correct,
            "proposed": self.proposed,
            "needed": self.needed,
            "precision": finite(self.precision),
            "recall": finite(self.recall),
            "f05": finite(self.f05),
        }


@dataclass(frozen=True, slots=True)
class CorrectionFigures:
    """Figures of the correction of the punctuation of a corpus.

    Attributes:
        sentences: the number of sentences.
        slots: the number of slots, n + 1 for each sentence of n words.
        judged: slots judged by the references.
        right_before: judged slots that needed no edit.
        harmed: judged slots that needed no edit and got one.
        edit_distance: the edit distance of tokens to the reference, summed over all judged slots.
        edits: the score of all edits.
        errors: the score of each error, such as ``missing ,``.
    """

    sentences: int
    slots: int
    judged: int
    right_before: int
    harmed: int
    edit_distance: int
    edits: EditScore
    errors: Mapping[str, EditScore]

    @property
    def average_edit_distance(self) -> float:
        """Edits of tokens per judged slot (AED of Li, Wang and Eisner 2019, Table 5)."""
        return ratio(self.edit_distance, self.judged)

    @property
    def harm(self) -> float:
        """The number of slots made wrong, per thousand slots that were right."""
        return THOUSAND * ratio(self.harmed, self.right_before)

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON; undefined ones are null."""
        return {
            "sentences": self.sentences,
            "slots": self.slots,
            "judged": self.judged,
            "right_before": self.right_before,
            "harmed": self.harmed,
            "harm": finite(self.harm),
            "edit_distance": self.edit_distance,
            "average_edit_distance": finite(self.average_edit_distance),
            **self.edits.as_dict(),
            "errors": {error: score.as_dict() for error, score in self.errors.items()},
        }

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures of all errors together for a table."""
        return [
            ("F0.5 of edits", figure(self.edits.f05)),
            ("  precision", figure(self.edits.precision)),
            ("  recall", figure(self.edits.recall)),
            ("edit distance per slot", figure(self.average_edit_distance)),
            ("wrong edits of 1,000 right slots", figure(self.harm, ".2f")),
            ("edits", f"{self.edits.proposed:,}"),
            ("edits of the reference", f"{self.edits.needed:,}"),
            ("slots", f"{self.judged:,}"),
            ("sentences", f"{self.sentences:,}"),
        ]


def f05(totals: Floats, _shared: Floats) -> Floats:
    """Return F0.5, ``[...]``.

    Args:
        totals: ``[..., 3]`` correct, proposed and needed edits.
        _shared: ignored.
    """
    return (1 + BETA2) * totals[..., 0] / (totals[..., 1] + BETA2 * totals[..., 2])


def part(totals: Floats, _shared: Floats) -> Floats:
    """Return the first sum divided by the second, ``[...]``.

    Args:
        totals: ``[..., 2]`` both sums.
        _shared: ignored.
    """
    return totals[..., 0] / totals[..., 1]


def thousandths(totals: Floats, _shared: Floats) -> Floats:
    """Return the first sum per thousand of the second, ``[...]``.

    Args:
        totals: ``[..., 2]`` both sums.
        _shared: ignored.
    """
    return THOUSAND * totals[..., 0] / totals[..., 1]


@dataclass(frozen=True, slots=True, eq=False)
class CorrectionStatistics(Statistics[CorrectionFigures]):
    """The contribution of each sentence to ``CorrectionFigures``: counts.

    All counts except ``slots`` are relative to the reference chosen for the sentence and system.

    Attributes:
        marks: the errors that occur, sorted: kinds with their marks.
        choice: how references were chosen.
        slots: ``[sentences]`` slots, n + 1 each.
        judged: ``[sentences]`` slots judged by the reference.
        right_before: ``[sentences]`` judged slots that needed no edit.
        harmed: ``[sentences]`` judged slots that needed no edit and got one.
        edit_distance: ``[sentences]`` edit distances, summed over the judged slots.
        correct: ``[sentences, errors]`` edits that are proposed and needed.
        proposed: ``[sentences, errors]`` edits of the system.
        needed: ``[sentences, errors]`` edits of the reference.

    Raises:
        ValueError: if shapes or counts are inconsistent; the message names the sentence.
    """

    task: ClassVar[str] = "correction"
    columns: ClassVar[Mapping[str, Column]] = {
        "slots": SlotCount(),
        "judged": Count(),
        "right_before": Count(),
        "harmed": Count(),
        "edit_distance": Count(),
        "correct": CountByMark(),
        "proposed": CountByMark(),
        "needed": CountByMark(),
    }
    settings: ClassVar[Mapping[str, Setting]] = {
        "choice": Setting(Choice, "way to choose references", "edits", str, str)
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("f05", "F0.5 of edits", ("correct", "proposed", "needed"), None, f05),
        Measure("precision", "precision of edits", ("correct", "proposed"), None, part),
        Measure("recall", "recall of edits", ("correct", "needed"), None, part),
        Measure("average_edit_distance", "edits per slot", ("edit_distance", "judged"), None, part),
        Measure("harm", "harm per 1,000 slots", ("harmed", "right_before"), None, thousandths),
    )

    choice: Choice
    slots: Counts
    judged: Counts
    right_before: Counts
    harmed: Counts
    edit_distance: Counts
    correct: Counts
    proposed: Counts
    needed: Counts

    def check(self) -> None:
        least = np.minimum(self.proposed, self.needed)
        refuse(self.correct > least, "more correct edits than edits")
        refuse(self.judged > self.slots, "more judged slots than slots")
        edits_needed = self.needed.sum(1)
        refuse(
            self.right_before + edits_needed != self.judged, "edits against slots that need none"
        )
        wrong = self.proposed.sum(1) - self.correct.sum(1)
        left = edits_needed - self.correct.sum(1)
        refuse(self.harmed > np.minimum(wrong, self.right_before), "more harm than wrong edits")
        # A wrong edit that does no harm is in a slot that needs a different edit.
        refuse(wrong - self.harmed > left, "more wrong edits than wrong slots")
        refuse(self.edit_distance < left + self.harmed, "fewer edits of tokens than wrong slots")

    def figures(self) -> CorrectionFigures:
        columns = (self.correct, self.proposed, self.needed)
        triples = zip(*(column.sum(0).tolist() for column in columns), strict=True)
        return CorrectionFigures(
            sentences=len(self.slots),
            slots=int(self.slots.sum()),
            judged=int(self.judged.sum()),
            right_before=int(self.right_before.sum()),
            harmed=int(self.harmed.sum()),
            edit_distance=int(self.edit_distance.sum()),
            edits=EditScore(*(int(column.sum()) for column in columns)),
            errors={
                error: EditScore(*triple) for error, triple in zip(self.marks, triples, strict=True)
            },
        )


class _Counted(NamedTuple):
    """The counts of a sentence, relative to one reference."""

    judged: int
    right_before: int
    harmed: int
    edit_distance: int
    correct: Counter[str]
    proposed: Counter[str]
    needed: Counter[str]

    @property
    def totals(self) -> tuple[int, int, int]:
        """The numbers of correct, proposed and needed edits."""
        return self.correct.total(), self.proposed.total(), self.needed.total()


def correction_statistics(
    source: Sequence[Slots],
    proposed: Sequence[Slots],
    references: Sequence[References],
    choice: Choice = "sentence",
) -> CorrectionStatistics:
    """Compare corrected punctuation with references, sentence by sentence.

    Dots of abbreviations (part of words) and boundary marks (part of the channel) are ignored.
    Ties between references are resolved by fewer wrong edits, then by fewer missed edits, then by
    order.

    Args:
        source: the slots of each sentence as written.
        proposed: the slots of each sentence as corrected by a system.
        references: one or more corrected versions of each sentence.
        choice: how one of the references is chosen.

    Raises:
        UsageError: if the numbers of sentences or of a sentence's slots differ, or a sentence has
            no reference.
    """
    if not len(source) == len(proposed) == len(references):
        raise UsageError(
            f"{quantity(len(source), 'sentence')}, {len(proposed)} corrected ones and references "
            f"of {len(references)}: give the same sentences for all"
        )
    chosen: list[_Counted] = []
    so_far = (0, 0, 0)
    for number, row in enumerate(zip(source, proposed, references, strict=True), 1):
        counts_of_references = _against_all(number, *row)
        before = so_far if choice == "corpus" else (0, 0, 0)
        best = min(counts_of_references, key=lambda counted: _preference(counted, before))
        so_far = _plus(so_far, best.totals)
        chosen.append(best)
    errors = sorted({e for counted in chosen for e in (*counted.proposed, *counted.needed)})
    counts = {
        name: np.array([getattr(counted, name) for counted in chosen], np.int64)
        for name in ("judged", "right_before", "harmed", "edit_distance")
    }
    by_error = {
        name: np.array(
            [[getattr(counted, name)[error] for error in errors] for counted in chosen], np.int64
        ).reshape(len(chosen), len(errors))
        for name in ("correct", "proposed", "needed")
    }
    slots = np.array([len(sentence) for sentence in source], np.int64)
    return CorrectionStatistics(
        marks=tuple(errors), choice=choice, slots=slots, **counts, **by_error
    )


def _against_all(
    number: int, source: Slots, proposed: Slots, references: References
) -> list[_Counted]:
    if not references:
        raise UsageError(f"sentence {number}: there is no reference; give one or more")
    for slots in (proposed, *references):
        if len(slots) != len(source):
            raise UsageError(
                f"sentence {number}: {quantity(len(source), 'slot')} and {len(slots)} corrected "
                "ones: correcting punctuation must not change the words"
            )
    before, after = spacing.visible(source), spacing.visible(proposed)
    return [_against(before, after, reference) for reference in references]


def _against(source: Slots, proposed: Slots, reference: Sequence[Puncteme | None]) -> _Counted:
    gold = [None if string is None else spacing.visible([string])[0] for string in reference]
    judged = [
        None if right is None else string for right, string in zip(gold, proposed, strict=True)
    ]
    edits_needed = {edit.slot: edit for edit in corrections(source, gold)}
    edits_made = {edit.slot: edit for edit in corrections(source, judged)}
    judged_slots = len(gold) - gold.count(None)
    return _Counted(
        judged=judged_slots,
        right_before=judged_slots - len(edits_needed),
        harmed=sum(slot not in edits_needed for slot in edits_made),
        edit_distance=sum(
            edit_distance(string, right)
            for string, right in zip(proposed, gold, strict=True)
            if right is not None
        ),
        correct=Counter(
            edit.error for slot, edit in edits_made.items() if edits_needed.get(slot) == edit
        ),
        proposed=Counter(edit.error for edit in edits_made.values()),
        needed=Counter(edit.error for edit in edits_needed.values()),
    )


Totals = tuple[int, int, int]


def _plus(a: Totals, b: Totals) -> Totals:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _preference(counted: _Counted, before: Totals) -> tuple[float, int, int]:
    """Return a sort key, which is least for the reference to choose.

    Args:
        counted: the counts relative to one reference.
        before: the numbers of correct, proposed and needed edits to add to them.
    """
    correct, proposed, edits_needed = _plus(before, counted.totals)
    weight = proposed + BETA2 * edits_needed
    # The score is perfect if no edit is needed and none is proposed.
    score = (1 + BETA2) * correct / weight if weight else 1.0
    return -score, proposed - correct, edits_needed - correct
