"""Nunberg's rules of English punctuation (Li, Wang and Eisner 2019, section 5.1 and Table 1).

The paper prints fifteen examples, the order of strength, "16 punctuation types" and "a total of 192
edit rules [...] of the 16^2 = 256 possible underlying punctuation bigrams ab", but not the types or
rules. The rules below agree with it, but may differ from its list.

From the caption of Table 1:

* The weaker of two adjacent marks is deleted; marks of equal strength do not affect each other.
* A bracketing mark absorbs nothing outside its brackets, and never another bracketing mark.

Our interpretation, with its alternatives:

* *Types.* The caption has eleven, and Table 1 the abbreviation dot. The others are the next most
  frequent of the UD English treebank: ``...``, ``--``, ``..``, ``....``; longer ones are stronger.
  With the pairs ‘ ’ and [ ] instead, only 124 bigrams are edited.
* *Abbreviation dot.* It ranks between ? ! ( ) “ ” and the full stop, which it absorbs in Table 1.
  If other marks did not affect it, as in *Inc.,*, there would be 27 rules fewer.
* *Doubled marks* are written once (Nunberg's graphic absorption); Table 1 has only the comma.
  Without brackets, there would be four rules fewer.
* *Quote transposition.* Marks weaker than a closing quote move inside, except semicolon and colon
  (American style). With only comma and period, as in Table 1, there would be six rules fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

from semipunct.marks.edits import EDITS, EditName, apply_edit
from semipunct.marks.tokens import ABBREVIATION

Bigram = tuple[str, str]
"""Two adjacent underlying tokens."""

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
"""The same order with all 16 types, in our interpretation."""

TYPES: tuple[str, ...] = tuple(mark for marks in STRENGTHS for mark in marks)
"""The 16 punctuation types."""

STAY_OUTSIDE = (";", ":")
"""Marks weaker than a closing quote that remain outside (American style)."""

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
"""The examples of Table 1 in priority order: schema, underlying, surface."""

FIGURE_3: tuple[Bigram, ...] = (
    (",", "."), ("”", "."), (".", "”"), ("”", ","), (",", "-"), (",", ")"),
)  # fmt: skip
"""Six bigrams to plot as in Figure 3, whose bigrams the paper does not name."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The treatment of an underlying bigram; ``stated`` if it follows from caption and table."""

    a: str
    b: str
    edit: EditName
    stated: bool = True

    @property
    def result(self) -> tuple[str, ...]:
        return apply_edit(self.edit, self.a, self.b)


def outcomes(a: str, b: str) -> dict[tuple[str, ...], EditName]:
    """Return the distinct outcomes of a bigram, each with one of its edits."""
    # For equal tokens, the other edits have the same outcomes.
    names = ("keep", "absorb_right") if a == b else EDITS
    return {apply_edit(edit, a, b): edit for edit in names}


def treatment(a: str, b: str) -> Rule:
    """Return the treatment of a bigram of the 16 types; ``keep`` if no rule applies."""
    rank = {mark: place for place, marks in enumerate(STRENGTHS) for mark in marks}
    stronger = rank[b] - rank[a]  # positive if a is stronger
    edit = _edit(a, b, stronger)
    printed = {bigram: outcome for _, bigram, outcome in TABLE_1}
    if (a, b) in printed:
        return Rule(a, b, edit)
    caption_marks = {mark for marks in CAPTION for mark in marks}
    stated = {a, b} <= caption_marks and a != b and edit != "transpose"
    return Rule(a, b, edit, stated)


def says(a: str, b: str) -> Rule | None:
    """Return the treatment of a bigram; None if a token is not of the 16 types."""
    return treatment(a, b) if a in TYPES and b in TYPES else None


def _edit(a: str, b: str, stronger: int) -> EditName:
    if a == b:
        return "absorb_right"
    if b in OPENING or a in CLOSING:  # one token is outside the other's brackets
        moves = a == "”" and stronger > 0 and b not in STAY_OUTSIDE
        return "transpose" if moves else "keep"
    if stronger == 0:
        return "keep"
    return "absorb_right" if stronger > 0 else "absorb_left"


def bigrams() -> tuple[Rule, ...]:
    """Return the treatment of each of the 256 bigrams."""
    return tuple(treatment(a, b) for a in TYPES for b in TYPES)


def rules() -> tuple[Rule, ...]:
    """Return the 192 rules of absorption and transposition."""
    return tuple(rule for rule in bigrams() if rule.edit != "keep")


INVERTED: tuple[Rule, ...] = (
    Rule(",", "¿", "keep"),
    Rule(":", "¿", "keep"),
    Rule("¿", ",", "absorb_right"),
    Rule(",", "¡", "keep", stated=False),
    Rule(":", "¡", "keep", stated=False),
    Rule("¡", ",", "absorb_right", stated=False),
)
"""Spanish rules (section 5.1): three of the paper's channel, and three by analogy."""
