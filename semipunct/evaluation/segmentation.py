"""Agreement of spans of characters: tokens and sentences as the CoNLL 2018 shared task scores them.

A token is right if it covers the characters of a token of the gold text, white space aside, and so
is a sentence (Zeman et al. 2018, section 5.2).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class SpanCounts(NamedTuple):
    """Counts of spans.

    Attributes:
        gold: of the gold text.
        found: by a system.
        correct: those that are both.
    """

    gold: int = 0
    found: int = 0
    correct: int = 0

    @classmethod
    def of(
        cls, gold: Collection[tuple[int, int]], found: Collection[tuple[int, int]]
    ) -> SpanCounts:
        """Count the spans of one text.

        Args:
            gold: those that are right, each once.
            found: those of a system, each once.
        """
        return cls(len(gold), len(found), len({*gold} & {*found}))

    def plus(self, other: SpanCounts) -> SpanCounts:
        """Return the sums of two counts."""
        return SpanCounts(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, one where there is nothing to find."""
        return 2 * self.correct / (self.gold + self.found) if self.gold + self.found else 1.0
