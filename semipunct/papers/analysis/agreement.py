"""Agreement of a learned channel with Nunberg's rules (Li, Wang and Eisner 2019, section 5.1).

Precision is the share of confident edits that agree with the rules; recall is the rank of the rules
in the channel.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.marks.edits import EDITS, EditName, apply_edit
from semipunct.papers.analysis.nunberg import Bigram, Rule, outcomes, says

CONFIDENT, DECIDED = 0.75, 0.5
"""An edit with p > 0.75 is confident, a bigram with an outcome of p > 0.5 decided (section 5.1)."""


@dataclass(frozen=True)
class Channel:
    """The rewriting probabilities of two adjacent underlying tokens.

    Attributes:
        tokens: the alphabet.
        probability: ``[edits, tokens, tokens]`` p(edit | a, b); edits as in ``EDITS``.
    """

    tokens: tuple[str, ...]
    probability: npt.NDArray[np.float64]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens)}

    def knows(self, a: str, b: str) -> bool:
        return a in self._number and b in self._number

    def edits(self, a: str, b: str) -> dict[EditName, float]:
        column = self.probability[:, self._number[a], self._number[b]]
        return dict(zip(EDITS, column.tolist(), strict=True))

    def outcomes(self, a: str, b: str) -> dict[tuple[str, ...], float]:
        """Return p(gamma | a, b) of each outcome gamma."""
        probability_of = dict.fromkeys(outcomes(a, b), 0.0)
        for edit, probability in self.edits(a, b).items():
            probability_of[apply_edit(edit, a, b)] += probability
        return probability_of


@dataclass(frozen=True, slots=True)
class ConfidentEdit:
    """An edit whose outcome has p > ``CONFIDENT``."""

    a: str
    b: str
    edit: EditName
    probability: float
    rule: Rule | None

    @property
    def agrees(self) -> bool:
        return self.rule is not None and self.rule.edit == self.edit


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confident edits (section 5.1: "Of the 24 learned edits [...] Nunberg lists 20").

    The paper does not say whether its 24 edits include edits that keep both tokens; see
    ``changing``.
    """

    edits: tuple[ConfidentEdit, ...]
    bigrams: int

    @property
    def changing(self) -> Confidence:
        """The edits that do not keep both tokens."""
        return Confidence(tuple(e for e in self.edits if e.edit != "keep"), self.bigrams)

    @property
    def considered(self) -> int:
        """The number of edits for which Nunberg has a rule."""
        return sum(e.rule is not None for e in self.edits)

    @property
    def agreeing(self) -> int:
        """The number of edits that agree with Nunberg, who keeps both tokens if no rule applies."""
        return sum(e.agrees for e in self.edits)

    @property
    def precision(self) -> float:
        return self.agreeing / self.considered if self.considered else math.nan


def confidence(channel: Channel, bigrams: Iterable[Bigram]) -> Confidence:
    """Find the confident edits of bigrams in the channel's alphabet."""
    in_alphabet = [(a, b) for a, b in bigrams if channel.knows(a, b)]
    edits = [
        ConfidentEdit(a, b, outcomes(a, b)[outcome], p, says(a, b))
        for a, b in in_alphabet
        for outcome, p in channel.outcomes(a, b).items()
        if p > CONFIDENT
    ]
    return Confidence(tuple(sorted(edits, key=lambda e: -e.probability)), len(in_alphabet))


@dataclass(frozen=True, slots=True)
class RankedRule:
    """The rank of a rule's outcome among all outcomes of its bigram.

    Attributes:
        probability: of the outcome.
        better: number of more probable outcomes.
        tied: number of equally probable outcomes, with this one.
        most: highest probability of any outcome.
    """

    rule: Rule
    probability: float
    better: int
    tied: int
    most: float

    @property
    def rank(self) -> int:
        """The rank from 1; ties count against the rule."""
        return self.better + self.tied

    @property
    def reciprocal_rank(self) -> float:
        """The expected reciprocal rank if ties are broken at random."""
        return sum(1 / (self.better + i) for i in range(1, self.tied + 1)) / self.tied


@dataclass(frozen=True, slots=True)
class Recall:
    """The ranks of rules (section 5.1); ``missing`` have tokens outside the alphabet."""

    ranked: tuple[RankedRule, ...]
    missing: tuple[Rule, ...] = ()

    @property
    def mean_reciprocal_rank(self) -> float:
        return _mean([rule.reciprocal_rank for rule in self.ranked])

    @property
    def mean_over_all(self) -> float:
        """The mean over all rules, with missing ones ranked last."""
        last = [1 / len(outcomes(rule.a, rule.b)) for rule in self.missing]
        return _mean([*(rule.reciprocal_rank for rule in self.ranked), *last])

    @property
    def ranks(self) -> tuple[int, int, int]:
        """The numbers of rules of rank 1, 2, and above."""
        by_rank = Counter(min(rule.rank, 3) for rule in self.ranked)
        return by_rank[1], by_rank[2], by_rank[3]

    @property
    def decided(self) -> Recall:
        """The rules for whose bigram an outcome has p > ``DECIDED``."""
        return Recall(tuple(rule for rule in self.ranked if rule.most > DECIDED))

    @property
    def stated(self) -> Recall:
        """The rules that do not depend on our interpretation."""
        missing = tuple(rule for rule in self.missing if rule.stated)
        return Recall(tuple(rule for rule in self.ranked if rule.rule.stated), missing)


def recall(channel: Channel, rules: Iterable[Rule]) -> Recall:
    """Rank the outcomes of rules."""
    ranked: list[RankedRule] = []
    missing: list[Rule] = []
    for rule in rules:
        if not channel.knows(rule.a, rule.b):
            missing.append(rule)
            continue
        outcomes = channel.outcomes(rule.a, rule.b)
        own_probability = outcomes[rule.result]
        # Smaller differences are not significant in single precision.
        tied = [math.isclose(p, own_probability, rel_tol=1e-6) for p in outcomes.values()]
        better = sum(
            p > own_probability and not tie for p, tie in zip(outcomes.values(), tied, strict=True)
        )
        ranked.append(RankedRule(rule, own_probability, better, sum(tied), max(outcomes.values())))
    return Recall(tuple(ranked), tuple(missing))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
