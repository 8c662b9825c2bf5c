"""Nunberg's rules of English punctuation (Table 1 of the paper), and how near a channel is to them.

Li, Wang and Eisner (2019) print fifteen specimens, the order of strength from which the absorption
rules follow, and two sums: "16 punctuation types" and "a total of 192 edit rules [...] of the
16^2 = 256 possible underlying punctuation bigrams ab, 3/4 are supposed to undergo absorption or
transposition" (section 5.1).  They list neither the types nor the rules.  What is here satisfies
every sentence they print; it is not known to be their list.

Taken from the caption of Table 1, to the letter:

* The weaker of two adjacent marks is deleted; marks of one strength leave each other alone.
* A bracketing mark absorbs nothing outside of what it brackets: nothing before an opening one,
  nothing after a closing one, and never another bracketing mark.

Ours, where the paper is silent, each with its alternative:

* *The types.*  The caption names eleven and Table 1 the abbreviation dot.  The other four are the
  most frequent further spellings, in the UD English treebank, of marks below the top of the order:
  ``...``, ``--``, ``..``, ``....``; a longer spelling is the stronger one.  The alternative, the
  pairs ‘ ’ and [ ], is ruled out by the sum: bracketing marks stay apart from each other and from
  what is outside, so that with eight of them 124 bigrams are edited, not 192.
* *The abbreviation dot* stands between ? ! ( ) “ ” and the full stop, which it absorbs in Table 1.
  Alternative: nothing else happens to it, as in *Inc.,*; that makes 27 rules fewer.
* *A doubled mark* is written once, whichever it is (Nunberg's graphic absorption); Table 1 has only
  the comma.  Alternative: only points, not brackets; that makes four rules fewer.
* *Quote transposition*: what is weaker than a closing quote moves inside, but for the semicolon and
  colon, which American style leaves outside.  Table 1 has only the comma and the period; that
  alternative makes six rules fewer.

The count: 12 points against 12 make 144 bigrams, less the four of equal strength (? with !, ; with
:), 140; brackets absorb the 10 weaker points inside them, 40; doubled brackets, 4; quotes move 8:
together 192.  The other 64 stay: 12 pairs of different brackets, 8 of ? and ! inside a bracket, 40
of points outside one, and the four of equal strength.  Other readings with the same sum exist;
`Rule.stated` marks the 62 rules that follow from caption and table without any reading of ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.marks.edits import EDITS, EditName, result
from semipunct.marks.tokens import ABBREVIATION

CONFIDENT, DECIDED = 0.75, 0.5
"""Section 5.1: an edit is confident with p > 0.75, a bigram is decided with some p > 0.5."""

Bigram = tuple[str, str]
"""Two adjacent underlying tokens, a left of b in the text."""

OPENING, CLOSING = ("(", "“"), (")", "”")
CAPTION: tuple[tuple[str, ...], ...] = (
    ("?", "!", "(", ")", "“", "”"),
    (".",),
    (";", ":"),
    ("-",),
    (",",),
)
"""The order of strength in the caption of Table 1, the strongest first."""

STRENGTHS: tuple[tuple[str, ...], ...] = (
    CAPTION[0],
    (ABBREVIATION,),
    ("....",),
    ("...",),
    ("..",),
    (".",),
    (";", ":"),
    ("--",),
    ("-",),
    (",",),
)
"""The same order with all 16 types in it; the docstring above says which places are ours."""

TYPES: tuple[str, ...] = tuple(mark for marks in STRENGTHS for mark in marks)
"""The 16 punctuation types."""

STAY_OUTSIDE = (";", ":")
"""Weaker than a closing quote, and yet not moved inside (American style)."""

TABLE_1: tuple[tuple[str, Bigram, tuple[str, ...]], ...] = (
    ("point absorption", (",", ","), (",",)),
    ("point absorption", (",", "."), (".",)),
    ("point absorption", ("-", ","), ("-",)),
    ("point absorption", ("-", ";"), (";",)),
    ("point absorption", (";", "."), (".",)),
    ("quote transposition", ("”", ","), (",", "”")),
    ("quote transposition", ("”", "."), (".", "”")),
    ("period absorption", (".", "?"), ("?",)),
    ("period absorption", (".", "!"), ("!",)),
    ("period absorption", (ABBREVIATION, "."), (ABBREVIATION,)),
    ("bracket absorption", (",", ")"), (")",)),
    ("bracket absorption", ("-", ")"), (")",)),
    ("bracket absorption", ("(", ","), ("(",)),
    ("bracket absorption", (",", "”"), ("”",)),
    ("bracket absorption", ("“", ","), ("“",)),
)
"""The specimens of Table 1 as printed, in its priority order: schema, underlying, surface."""

FIGURE_3: tuple[Bigram, ...] = (
    (",", "."), ("”", "."), (".", "”"), ("”", ","), (",", "-"), (",", ")"),
)  # fmt: skip
"""Six bigrams to draw as Figure 3 does; the text of the paper does not say which its six are."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of one underlying bigram.

    Attributes:
        a: the left token.
        b: the right token.
        edit: what happens.
        stated: whether the paper says so; otherwise a reading of ours is in it.
    """

    a: str
    b: str
    edit: EditName
    stated: bool = True

    @property
    def result(self) -> tuple[str, ...]:
        """The surface tokens."""
        return result(self.edit, self.a, self.b)


def outcomes(a: str, b: str) -> dict[tuple[str, ...], EditName]:
    """The different outcomes of ``a b``, each with the edit that stands for it."""
    # Two equal tokens are kept, or absorbed to the right: the other edits do the same to them.
    names = ("keep", "absorb_right") if a == b else EDITS
    return {result(edit, a, b): edit for edit in names}


def treatment(a: str, b: str) -> Rule:
    """What happens to a bigram of two of the 16 types; ``keep`` where no rule applies.

    Raises `KeyError` if a token is not one of `TYPES`.
    """
    rank = {mark: place for place, marks in enumerate(STRENGTHS) for mark in marks}
    stronger = rank[b] - rank[a]  # positive: a is the stronger one
    edit = _edit(a, b, stronger)
    printed = {bigram: outcome for _, bigram, outcome in TABLE_1}
    if (a, b) in printed:
        return Rule(a, b, edit)
    named = {mark for marks in CAPTION for mark in marks}
    stated = {a, b} <= named and a != b and edit != "transpose"
    return Rule(a, b, edit, stated)


def says(a: str, b: str) -> Rule | None:
    """`treatment`, or None if a token is not one of the 16 types."""
    return treatment(a, b) if a in TYPES and b in TYPES else None


def _edit(a: str, b: str, stronger: int) -> EditName:
    if a == b:
        return "absorb_right"
    if b in OPENING or a in CLOSING:  # one token lies outside of what the other brackets
        moves = a == "”" and stronger > 0 and b not in STAY_OUTSIDE
        return "transpose" if moves else "keep"
    if stronger == 0:
        return "keep"
    return "absorb_right" if stronger > 0 else "absorb_left"


def bigrams() -> tuple[Rule, ...]:
    """What happens to each of the 256 bigrams of the 16 types."""
    return tuple(treatment(a, b) for a in TYPES for b in TYPES)


def rules() -> tuple[Rule, ...]:
    """The 192 bigrams that undergo absorption or transposition."""
    return tuple(rule for rule in bigrams() if rule.edit != "keep")


INVERTED: tuple[Rule, ...] = (
    Rule(",", "¿", "keep"),
    Rule(":", "¿", "keep"),
    Rule("¿", ",", "absorb_right"),
    Rule(",", "¡", "keep", stated=False),
    Rule(":", "¡", "keep", stated=False),
    Rule("¡", ",", "absorb_right", stated=False),
)
"""Spanish (section 5.1): the paper found the first three with high probability in its channel; so
Nunberg treats ``(`` in English.  The same for the exclamation mark is by analogy, ours."""


@dataclass(frozen=True)
class Channel:
    """The rewriting probabilities of two neighbouring underlying tokens.

    Attributes:
        tokens: the alphabet.
        probability: ``[edits, tokens, tokens]`` p(edit | a, b), a left of b in the text; edits as
            in `EDITS`.
    """

    tokens: tuple[str, ...]
    probability: npt.NDArray[np.float64]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens)}

    def knows(self, a: str, b: str) -> bool:
        """Whether both tokens are in the alphabet."""
        return a in self._number and b in self._number

    def edits(self, a: str, b: str) -> dict[EditName, float]:
        """p(edit | a, b) by the edit's name.  Raises `KeyError` for an unknown token."""
        column = self.probability[:, self._number[a], self._number[b]]
        return dict(zip(EDITS, column.tolist(), strict=True))

    def outcomes(self, a: str, b: str) -> dict[tuple[str, ...], float]:
        """p(gamma | a, b) of each outcome gamma: four, or two where a and b are equal."""
        found = dict.fromkeys(outcomes(a, b), 0.0)
        for edit, probability in self.edits(a, b).items():
            found[result(edit, a, b)] += probability
        return found


@dataclass(frozen=True, slots=True)
class ConfidentEdit:
    """An edit with p > `CONFIDENT`, and what Nunberg says of its bigram, None if nothing."""

    a: str
    b: str
    edit: EditName
    probability: float
    rule: Rule | None

    @property
    def agrees(self) -> bool:
        """Whether Nunberg's outcome is the same; no where he says nothing."""
        return self.rule is not None and self.rule.edit == self.edit


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confident edits (section 5.1: "Of the 24 learned edits [...] Nunberg lists 20").

    Whether the paper's 24 are absorptions and transpositions only, as its 192 rules are, or also
    edits that keep both tokens, as in its Spanish examples, it does not say: see `changing`.

    Attributes:
        edits: most probable first; at most one of a bigram.
        bigrams: how many bigrams were looked at.
    """

    edits: tuple[ConfidentEdit, ...]
    bigrams: int

    @property
    def changing(self) -> Confidence:
        """Without the edits that keep both tokens."""
        return Confidence(tuple(e for e in self.edits if e.edit != "keep"), self.bigrams)

    @property
    def considered(self) -> int:
        """How many have two tokens of Nunberg's types."""
        return sum(e.rule is not None for e in self.edits)

    @property
    def agreeing(self) -> int:
        """How many are Nunberg's; where none of his rules applies, to keep is."""
        return sum(e.agrees for e in self.edits)

    @property
    def precision(self) -> float:
        """`agreeing` as a part of `considered`; NaN if there is none."""
        return self.agreeing / self.considered if self.considered else math.nan


def confidence(channel: Channel, bigrams: Iterable[Bigram]) -> Confidence:
    """Find the confident edits of those of the bigrams that the channel knows."""
    known = [(a, b) for a, b in bigrams if channel.knows(a, b)]
    found = [
        ConfidentEdit(a, b, outcomes(a, b)[outcome], p, says(a, b))
        for a, b in known
        for outcome, p in channel.outcomes(a, b).items()
        if p > CONFIDENT
    ]
    return Confidence(tuple(sorted(found, key=lambda e: -e.probability)), len(known))


@dataclass(frozen=True, slots=True)
class RankedRule:
    """Where the outcome of a rule ``ab`` to gamma stands among all outcomes of ``ab``.

    Attributes:
        rule: the rule.
        probability: p(gamma | a, b).
        better: how many outcomes are more probable.
        tied: how many are as probable, itself among them.
        most: the highest probability of any outcome.
    """

    rule: Rule
    probability: float
    better: int
    tied: int
    most: float

    @property
    def rank(self) -> int:
        """The rank from 1, ties counted against the rule."""
        return self.better + self.tied

    @property
    def reciprocal_rank(self) -> float:
        """The expected reciprocal rank where ties are put in order at random.

        In the paper they are: training starts from random weights, and unseen bigrams keep them.
        """
        return sum(1 / (self.better + i) for i in range(1, self.tied + 1)) / self.tied


@dataclass(frozen=True, slots=True)
class Recall:
    """How highly rules rank (section 5.1).

    Attributes:
        ranked: the rules whose tokens the channel knows.
        missing: the others.
    """

    ranked: tuple[RankedRule, ...]
    missing: tuple[Rule, ...] = ()

    @property
    def mean_reciprocal_rank(self) -> float:
        """Over the rules that can be ranked; NaN if there is none."""
        return _mean([rule.reciprocal_rank for rule in self.ranked])

    @property
    def mean_over_all(self) -> float:
        """The same with every missing rule in the last rank of its bigram's outcomes."""
        last = [1 / len(outcomes(rule.a, rule.b)) for rule in self.missing]
        return _mean([*(rule.reciprocal_rank for rule in self.ranked), *last])

    @property
    def ranks(self) -> tuple[int, int, int]:
        """How many have `RankedRule.rank` 1, 2, and more."""
        found = Counter(min(rule.rank, 3) for rule in self.ranked)
        return found[1], found[2], found[3]

    @property
    def decided(self) -> Recall:
        """Those for whose bigram some outcome has p > `DECIDED`."""
        return Recall(tuple(rule for rule in self.ranked if rule.most > DECIDED))

    @property
    def stated(self) -> Recall:
        """Those in which there is no reading of ours."""
        missing = tuple(rule for rule in self.missing if rule.stated)
        return Recall(tuple(rule for rule in self.ranked if rule.rule.stated), missing)


def recall(channel: Channel, rules: Iterable[Rule]) -> Recall:
    """Rank the outcome of each rule among all outcomes of its bigram."""
    ranked: list[RankedRule] = []
    missing: list[Rule] = []
    for rule in rules:
        if not channel.knows(rule.a, rule.b):
            missing.append(rule)
            continue
        found = channel.outcomes(rule.a, rule.b)
        own = found[rule.result]
        # Weights are in single precision: a smaller difference is none.
        tied = [math.isclose(p, own, rel_tol=1e-6) for p in found.values()]
        better = sum(p > own and not tie for p, tie in zip(found.values(), tied, strict=True))
        ranked.append(RankedRule(rule, own, better, sum(tied), max(found.values())))
    return Recall(tuple(ranked), tuple(missing))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
