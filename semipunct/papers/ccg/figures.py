"""Evaluation of derivations: predicate-argument dependencies and categories.

Source: Clark and Curran (2004); Tse and Curran (2008), section 6.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import Column, Count, Counts, Measure, Statistics, ratio, refuse
from semipunct.evaluation.restoration import f1

Labelled = tuple[int, str, int, int]
"""Head, its category, number of the argument, dependent."""

Analysis = tuple[Sequence[str], Collection[Labelled]]
"""The categories of the words of a sentence, and its dependencies."""


class DerivationFigures(Figures, frozen=True):
    """Figures of the derivations of a corpus; marks count as words."""

    schema = "semipunct.parse-derivations-gold/2"

    labelled_f1: Annotated[Ratio, Meta(title="F1 of labelled dependencies")]
    labelled_precision: Annotated[Ratio, Meta(title="  precision")]
    labelled_recall: Annotated[Ratio, Meta(title="  recall")]
    unlabelled_f1: Annotated[Ratio, Meta(title="F1 of unlabelled dependencies")]
    unlabelled_precision: Annotated[Ratio, Meta(title="  precision")]
    unlabelled_recall: Annotated[Ratio, Meta(title="  recall")]
    category_accuracy: Annotated[
        Real, Meta(title="categories of words", description="words with the right category")
    ]
    sentence_accuracy: Annotated[
        Real,
        Meta(title="sentences with all dependencies", description="with all dependencies right"),
    ]
    coverage: Annotated[
        Real, Meta(title="sentences with a derivation", description="sentences with a derivation")
    ]
    words: Annotated[Number, Meta(title="words")]
    sentences: Annotated[Number, Meta(title="sentences")]


@dataclass(frozen=True, slots=True, eq=False)
class DerivationStatistics(Statistics[DerivationFigures]):
    """Counts ``[sentences]`` of words, categories, dependencies and pairs of head and dependent.

    Without a derivation, all categories and dependencies are missed.

    Attributes:
        parsed: 1 with a derivation.
        exact: 1 if all dependencies are correct.
        found: dependencies of the parser.
        labelled: dependencies of parser and treebank.
        unlabelled: their common pairs.
    """

    task: ClassVar[str] = "derivations"
    columns: ClassVar[Mapping[str, Column]] = {
        "words": Count(given=True),
        "parsed": Count(),
        "exact": Count(),
        "categories": Count(),
        "gold": Count(given=True),
        "found": Count(),
        "labelled": Count(),
        "gold_pairs": Count(given=True),
        "found_pairs": Count(),
        "unlabelled": Count(),
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("labelled_f1", "F1 of labelled dependencies", ("labelled", "found"), "gold", f1),
        Measure("unlabelled_f1", "  unlabelled", ("unlabelled", "found_pairs"), "gold_pairs", f1),
        Measure("category_accuracy", "categories of words", ("categories",), "words"),
        Measure("sentence_accuracy", "sentences with all dependencies", ("exact",)),
        Measure("coverage", "sentences with a derivation", ("parsed",)),
    )

    words: Counts
    parsed: Counts
    exact: Counts
    categories: Counts
    gold: Counts
    found: Counts
    labelled: Counts
    gold_pairs: Counts
    found_pairs: Counts
    unlabelled: Counts

    def check(self) -> None:
        refuse(self.words < 1, "there is no word")
        for smaller, larger, problem in (
            (self.parsed, np.ones_like(self.parsed), "more than one derivation"),
            (self.exact, self.parsed, "all dependencies are right, but there is no derivation"),
            (self.categories, self.words * self.parsed, "more right categories than words"),
            (self.gold_pairs, self.gold, "more pairs than dependencies"),
            (self.found_pairs, self.found, "more pairs than dependencies"),
            (self.labelled, np.minimum(self.gold, self.found), "more right ones than dependencies"),
            (
                self.unlabelled,
                np.minimum(self.gold_pairs, self.found_pairs),
                "more right pairs than pairs",
            ),
        ):
            refuse(smaller > larger, problem)

    def figures(self) -> DerivationFigures:
        def total(column: Counts) -> int:
            return int(column.sum())

        return DerivationFigures(
            **self.evaluate_measures(),
            labelled_precision=ratio(total(self.labelled), total(self.found)),
            labelled_recall=ratio(total(self.labelled), total(self.gold)),
            unlabelled_precision=ratio(total(self.unlabelled), total(self.found_pairs)),
            unlabelled_recall=ratio(total(self.unlabelled), total(self.gold_pairs)),
            words=total(self.words),
            sentences=len(self),
        )


def derivation_statistics(
    gold: Sequence[Analysis], predicted: Sequence[Analysis | None]
) -> DerivationStatistics:
    """Compare derivations, None if missing, with a treebank."""
    rows = [_counts(*analyses) for analyses in zip(gold, predicted, strict=True)]
    columns = np.array(rows, np.int64).reshape(len(rows), len(DerivationStatistics.columns)).T
    return DerivationStatistics(*columns)


def _counts(gold: Analysis, predicted: Analysis | None) -> tuple[int, ...]:
    categories, right = gold[0], {*gold[1]}
    predicted_dependencies = {*predicted[1]} if predicted else set[Labelled]()
    pairs, my_pairs = ({(d[0], d[3]) for d in deps} for deps in (right, predicted_dependencies))
    agreed = sum(a == b for a, b in zip(categories, predicted[0], strict=True)) if predicted else 0
    parsed = predicted is not None
    return (
        len(categories), int(parsed), int(parsed and predicted_dependencies == right), agreed,
        len(right), len(predicted_dependencies), len(right & predicted_dependencies),
        len(pairs), len(my_pairs), len(pairs & my_pairs),
    )  # fmt: skip
