"""Evaluation of phrases by labelled brackets (Black et al. 1991)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.evaluation.figures import Figures, Number, Ratio, Real
from semipunct.evaluation.metric import Column, Count, Counts, Measure, Statistics, ratio, refuse
from semipunct.evaluation.restoration import Score, f1
from semipunct.marks.penn import MARK_TAGS
from semipunct.papers.commas.trees import PhraseTree, category


class BracketFigures(Figures, frozen=True):
    """Figures of the phrases of a corpus."""

    schema = "semipunct.parse-phrases-gold/1"

    labelled_f1: Ratio
    labelled: Annotated[
        Score,
        Meta(
            title="F1 of labelled brackets", description="brackets with the right words and label"
        ),
    ]
    unlabelled: Annotated[
        Score,
        Meta(title="F1 of brackets without labels", description="brackets with the right words"),
    ]
    tags: Annotated[Real, Meta(title="tags", description="words with the right part of speech")]
    exact: Annotated[
        Real,
        Meta(title="sentences with all brackets", description="sentences with all brackets right"),
    ]
    words: Annotated[Number, Meta(title="words", description="including punctuation")]
    sentences: Annotated[Number, Meta(title="sentences")]


@dataclass(frozen=True, slots=True, eq=False)
class BracketStatistics(Statistics[BracketFigures]):
    """Counts ``[sentences]`` of words, right tags, and gold, predicted and right brackets."""

    task: ClassVar[str] = "brackets"
    columns: ClassVar[Mapping[str, Column]] = {
        "words": Count(given=True),
        "tags": Count(),
        "gold": Count(given=True),
        "predicted": Count(),
        "labelled": Count(),
        "unlabelled": Count(),
    }
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("labelled_f1", "F1 of labelled brackets", ("labelled", "predicted"), "gold", f1),
        Measure("unlabelled_f1", "  without labels", ("unlabelled", "predicted"), "gold", f1),
        Measure("tags", "tags", ("tags",), "words"),
    )

    words: Counts
    tags: Counts
    gold: Counts
    predicted: Counts
    labelled: Counts
    unlabelled: Counts

    def check(self) -> None:
        refuse(self.words < 1, "there is no word")
        refuse(self.tags > self.words, "more right tags than words")
        refuse(self.labelled > self.unlabelled, "more right labels than right brackets")
        least = np.minimum(self.predicted, self.gold)
        refuse(self.unlabelled > least, "more right brackets than brackets")

    def figures(self) -> BracketFigures:
        predicted, gold = int(self.predicted.sum()), int(self.gold.sum())
        exact = (self.labelled == self.gold) & (self.labelled == self.predicted)
        labelled = Score.of(int(self.labelled.sum()), predicted, gold)
        return BracketFigures(
            labelled_f1=labelled.f1,
            labelled=labelled,
            unlabelled=Score.of(int(self.unlabelled.sum()), predicted, gold),
            tags=ratio(int(self.tags.sum()), int(self.words.sum())),
            exact=ratio(int(exact.sum()), len(self)),
            words=int(self.words.sum()),
            sentences=len(self),
        )


def bracket_statistics(
    gold: Sequence[PhraseTree], predicted: Sequence[PhraseTree]
) -> BracketStatistics:
    """Compare predicted with gold phrases as in evalb, without punctuation and function tags.

    Tags are compared for all words.
    """
    rows: list[tuple[int, ...]] = []
    for gold_tree, predicted_tree in zip(gold, predicted, strict=True):
        # The gold tags tell which words are punctuation, in both trees.
        words = [tag not in MARK_TAGS for tag in gold_tree.tags]
        a, b = _brackets(gold_tree, words), _brackets(predicted_tree, words)
        bare = [Counter(bracket[:2] for bracket in x.elements()) for x in (a, b)]
        rows.append(
            (
                gold_tree.words,
                sum(x == y for x, y in zip(gold_tree.tags, predicted_tree.tags, strict=True)),
                a.total(),
                b.total(),
                (a & b).total(),
                (bare[0] & bare[1]).total(),
            )
        )
    columns = np.array(rows, np.int64).reshape(len(rows), len(BracketStatistics.columns)).T
    return BracketStatistics(*columns)


def _brackets(tree: PhraseTree, words: Sequence[bool]) -> Counter[tuple[int, int, str]]:
    place = np.concatenate([[0], np.cumsum(words)]).tolist()
    left, right = tree.edges
    brackets = Counter[tuple[int, int, str]]()
    for node, label in enumerate(tree.categories):
        edges = place[left[node]], place[right[node]]
        if label and not tree.anchors[node] and edges[0] < edges[1]:
            brackets[(*edges, category(label))] += 1
    return brackets
