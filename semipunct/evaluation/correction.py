"""Correction: a system's corrections compared with one or more references.

Edits are defined in ``marks.corrections``, one for each slot that changes. As in the MaxMatch
scorer (Dahlmeier and Ng 2012; Ng et al. 2014), edits are proposed by a system, needed by a
reference, or both (correct), and the best reference of a sentence is used. F0.5 is 1.25 correct /
(proposed + 0.25 needed); harm is the number of edits per thousand slots that were right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec import Meta

from semipunct.errors import UsageError
from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import (
    Column,
    Count,
    CountByMark,
    Counts,
    Floats,
    Measure,
    Setting,
    SlotCount,
    Statistics,
    ratio,
    refuse,
)
from semipunct.evaluation.restoration import Slots, precision
from semipunct.marks import Puncteme, spacing
from semipunct.marks.corrections import corrections
from semipunct.marks.edits import edit_distance
from semipunct.wording import quantity

References = Sequence[Sequence[Puncteme | None]]
"""``[references, n + 1]`` corrected slots; None for slots without judgement."""

BETA2 = 0.25  # beta squared in F0.5

THOUSAND = 1000


class EditScore(Figures, frozen=True):
    """Counts of edits, and their ratios."""

    f05: Annotated[Real, Meta(title="F0.5 of edits")]
    precision: Annotated[Ratio, Meta(title="  precision")]
    recall: Annotated[Ratio, Meta(title="  recall")]
    correct: Annotated[Number, Meta(description="both proposed and needed")]
    proposed: Annotated[Number, Meta(title="edits", description="by the system")]
    needed: Annotated[Number, Meta(title="edits of the reference", description="by the reference")]

    @classmethod
    def of(cls, correct: int, proposed: int, needed: int) -> EditScore:
        return cls(
            f05=ratio((1 + BETA2) * correct, proposed + BETA2 * needed),
            precision=ratio(correct, proposed),
            recall=ratio(correct, needed),
            correct=correct,
            proposed=proposed,
            needed=needed,
        )


class CorrectionFigures(EditScore, frozen=True):
    """Figures of correction; the edit distance is AED of Li, Wang and Eisner (2019), Table 5."""

    schema = "semipunct.correct-gold/1"
    average_edit_distance: Annotated[
        Real, Meta(title="edit distance per slot", description="edits of tokens per judged slot")
    ]
    harm: Annotated[
        Real,
        Meta(
            title="wrong edits of 1,000 right slots",
            description="harmed slots per thousand of right_before",
            extra={"format": ".2f"},
        ),
    ]
    edit_distance: Number
    errors: Annotated[dict[str, EditScore], Meta(description="by error, such as missing ,")]
    harmed: Annotated[Number, Meta(description="slots of right_before that were changed")]
    right_before: Annotated[Number, Meta(description="judged slots that needed no correction")]
    judged: Annotated[Number, Meta(title="slots", description="slots that the references judge")]
    slots: Annotated[Number, Meta(description="n + 1 for a sentence of n words")]
    sentences: Annotated[Number, Meta(title="sentences")]


def f05(totals: Floats, _shared: Floats) -> Floats:
    """Return F0.5, ``[...]``, of correct, proposed and needed edits, ``[..., 3]``."""
    return (1 + BETA2) * totals[..., 0] / (totals[..., 1] + BETA2 * totals[..., 2])


def thousandths(totals: Floats, _shared: Floats) -> Floats:
    """Return the first sum per thousand of the second, ``[..., 2]`` to ``[...]``."""
    return THOUSAND * totals[..., 0] / totals[..., 1]


@dataclass(frozen=True, slots=True, eq=False)
class CorrectionStatistics(Statistics[CorrectionFigures]):
    """The contribution of each sentence to ``CorrectionFigures``: counts.

    All counts except ``slots`` are relative to the chosen reference.

    Attributes:
        marks: the kinds of errors with their marks, sorted.
        judged: ``[sentences]`` slots judged by the reference.
        right_before: ``[sentences]`` judged slots that needed no edit.
        harmed: ``[sentences]`` slots of ``right_before`` that were edited.
        correct: ``[sentences, errors]`` edits that are proposed and needed.
        proposed: ``[sentences, errors]`` edits of the system.
        needed: ``[sentences, errors]`` edits of the reference.
    """

    task: ClassVar[str] = "correction"
    columns: ClassVar[Mapping[str, Column]] = {
        "slots": SlotCount(),
        **dict.fromkeys(("judged", "right_before", "harmed", "edit_distance"), Count()),
        **dict.fromkeys(("correct", "proposed", "needed"), CountByMark()),
    }
    settings: ClassVar[Mapping[str, Setting]] = {
        "choice": Setting(Literal["sentence"], "way to choose references", "edits", str, str)
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("f05", "F0.5 of edits", ("correct", "proposed", "needed"), None, f05),
        Measure("precision", "precision of edits", ("correct", "proposed"), None, precision),
        Measure("recall", "recall of edits", ("correct", "needed"), None, precision),
        Measure(
            "average_edit_distance", "edits per slot", ("edit_distance", "judged"), None, precision
        ),
        Measure("harm", "harm per 1,000 slots", ("harmed", "right_before"), None, thousandths),
    )

    choice: str
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
        judged = self.right_before + edits_needed
        refuse(judged != self.judged, "edits against slots that need none")
        wrong = self.proposed.sum(1) - self.correct.sum(1)
        left = edits_needed - self.correct.sum(1)
        refuse(self.harmed > np.minimum(wrong, self.right_before), "more harm than wrong edits")
        # A wrong but harmless edit is in a slot that needs a different edit.
        refuse(wrong - self.harmed > left, "more wrong edits than wrong slots")
        refuse(self.edit_distance < left + self.harmed, "fewer edits of tokens than wrong slots")

    def figures(self) -> CorrectionFigures:
        columns = (self.correct, self.proposed, self.needed)
        triples = zip(*(column.sum(0).tolist() for column in columns), strict=True)
        return CorrectionFigures(
            **self.usual_figures(CorrectionFigures),
            errors={
                error: EditScore.of(*triple)
                for error, triple in zip(self.marks, triples, strict=True)
            },
        )


class _Counted(NamedTuple):
    judged: int
    right_before: int
    harmed: int
    edit_distance: int
    correct: Counter[str]
    proposed: Counter[str]
    needed: Counter[str]


def correction_statistics(
    source: Sequence[Slots],
    proposed: Sequence[Slots],
    references: Sequence[References],
) -> CorrectionStatistics:
    """Compare corrected punctuation with references, sentence by sentence.

    Abbreviation dots and boundary marks are ignored. Ties between references are resolved by fewer
    wrong edits, then by fewer missed edits, then by order.
    """
    if not len(source) == len(proposed) == len(references):
        raise UsageError(
            f"{quantity(len(source), 'sentence')}, {len(proposed)} corrected ones and references "
            f"of {len(references)}: give the same sentences for all"
        )
    chosen: list[_Counted] = []
    for number, row in enumerate(zip(source, proposed, references, strict=True), 1):
        chosen.append(min(_against_all(number, *row), key=_preference))
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
        marks=tuple(errors), choice="sentence", slots=slots, **counts, **by_error
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


def _preference(counted: _Counted) -> tuple[float, int, int]:
    """Return a sort key, least for the reference to choose."""
    correct, proposed, edits_needed = (
        edits.total() for edits in (counted.correct, counted.proposed, counted.needed)
    )
    weight = proposed + BETA2 * edits_needed
    # Without needed and proposed edits, the score is perfect.
    score = (1 + BETA2) * correct / weight if weight else 1.0
    return -score, proposed - correct, edits_needed - correct
