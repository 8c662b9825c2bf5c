"""Segmentation: spans of tokens and sentences, scored as in the CoNLL 2018 shared task.

A token or sentence is right if it covers the same characters as one of the gold text, ignoring
whitespace (Zeman et al. 2018, section 5.2).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class SpanCounts(NamedTuple):
    """Counts of spans.

    Attributes:
        gold: the number of gold spans.
        found: the number of spans found by a system.
        correct: the number of spans that are both.
    """

    gold: int = 0
    found: int = 0
    correct: int = 0

    @classmethod
    def of(
        cls, gold: Collection[tuple[int, int]], predicted: Collection[tuple[int, int]]
    ) -> SpanCounts:
        """Count the spans of one text.

        Args:
            gold: the gold spans, each once.
            predicted: the spans of a system, each once.
        """
        return cls(len(gold), len(predicted), len({*gold} & {*predicted}))

    def plus(self, counts: SpanCounts) -> SpanCounts:
        """Return the sums of two counts."""
        return SpanCounts(*(a + b for a, b in zip(self, counts, strict=True)))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; one if there are no spans."""
        return 2 * self.correct / (self.gold + self.found) if self.gold + self.found else 1.0
