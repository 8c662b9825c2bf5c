"""Segmentation: spans of tokens and sentences, scored as in the CoNLL 2018 shared task.

A token or sentence is correct if it has the same characters as a gold one, ignoring whitespace
(Zeman et al. 2018, section 5.2).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class SpanCounts(NamedTuple):
    """Counts of gold spans, predicted spans, and spans that are both."""

    gold: int = 0
    found: int = 0
    correct: int = 0

    @classmethod
    def of(
        cls, gold: Collection[tuple[int, int]], predicted: Collection[tuple[int, int]]
    ) -> SpanCounts:
        """Count the spans of one text, each of which occurs once."""
        return cls(len(gold), len(predicted), len({*gold} & {*predicted}))

    def plus(self, counts: SpanCounts) -> SpanCounts:
        return SpanCounts(*(a + b for a, b in zip(self, counts, strict=True)))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if there are no spans."""
        return 2 * self.correct / (self.gold + self.found) if self.gold + self.found else 1.0
