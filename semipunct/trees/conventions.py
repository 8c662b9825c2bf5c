"""Conventions of a treebank for the heads of marks between units, learnt from its own heads.

UD 2 attaches a mark to the unit that it sets off; UD 1, to the governor of that unit.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

# The head of a mark between units: the unit that it sets off, or the unit's governor.
Convention = Literal["unit", "governor"]

CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

# The form of a mark, whether its unit follows it, and the relation of the unit.
Context = tuple[str, bool, str]

# The number of marks in a context that the treebank's usual convention weighs as much as.
_USUAL = 5

_NOTHING: Mapping[tuple[Context, Convention], int] = {}


@dataclass(frozen=True, slots=True)
class Conventions:
    """The convention in each context: counts smoothed with a Dirichlet prior over all contexts."""

    usual: Convention = "unit"
    counts: Mapping[tuple[Context, Convention], int] = field(default_factory=lambda: _NOTHING)
    total: Mapping[Convention, int] = field(default_factory=lambda: dict.fromkeys(CONVENTIONS, 0))

    @classmethod
    def of(cls, votes: Iterable[tuple[Context, Convention]]) -> "Conventions":
        """Count conventions; in a tie the guidelines decide."""
        counts = Counter(votes)
        total: Counter[Convention] = Counter()
        for (_, convention), count in counts.items():
            total[convention] += count
        usual = max(CONVENTIONS, key=lambda convention: total[convention])
        return cls(usual, counts, total)

    def at(self, context: Context) -> Convention:
        """Return the convention in a context."""
        if not self.counts:
            return self.usual
        marks = sum(self.total.values())

        def weight(convention: Convention) -> float:
            usual = _USUAL * self.total.get(convention, 0) / marks
            return self.counts.get((context, convention), 0) + usual

        return max(CONVENTIONS, key=weight)
