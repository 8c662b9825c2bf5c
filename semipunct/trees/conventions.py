"""Conventions of treebanks for the heads of marks between units, learnt from their own heads.

The guidelines of UD 2 attach a mark to the unit that it sets off; treebanks of UD 1, and some
constructions of later ones, attach it to the governor of that unit. Where a treebank does so
consistently, such a head is no mistake of an annotator.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Convention = Literal["unit", "governor"]
"""The head of a mark between units: the unit that it sets off, or the governor of that unit."""

CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

Context = tuple[str, bool, str]
"""The form of a mark, whether its unit follows it, and the relation of the unit."""

_USUAL = 5
"""The usual convention of a treebank counts as much as this number of marks in a context."""

_NOTHING: Mapping[tuple[Context, Convention], int] = {}


@dataclass(frozen=True, slots=True)
class Conventions:
    """The convention in each context.

    The counts of a context are smoothed by those of all contexts, as with a Dirichlet prior whose
    mean is the distribution over all contexts.

    Attributes:
        usual: the convention of all contexts together.
        counts: the number of marks by context and convention.
        total: the number of marks by convention.
    """

    usual: Convention = "unit"
    counts: Mapping[tuple[Context, Convention], int] = field(default_factory=lambda: _NOTHING)
    total: Mapping[Convention, int] = field(default_factory=lambda: dict.fromkeys(CONVENTIONS, 0))

    @classmethod
    def of(cls, votes: Iterable[tuple[Context, Convention]]) -> "Conventions":
        """Count conventions; in a tie the guidelines decide.

        Args:
            votes: the context and the convention of each mark of a treebank.
        """
        counts = Counter(votes)
        total: Counter[Convention] = Counter()
        for (_, convention), count in counts.items():
            total[convention] += count
        usual = max(CONVENTIONS, key=lambda convention: total[convention])
        return cls(usual, counts, total)

    def at(self, context: Context) -> Convention:
        """Return the convention in a context.

        Args:
            context: of a mark.
        """
        if not self.counts:
            return self.usual
        marks = sum(self.total.values())

        def weight(convention: Convention) -> float:
            usual = _USUAL * self.total.get(convention, 0) / marks
            return self.counts.get((context, convention), 0) + usual

        return max(CONVENTIONS, key=weight)
