"""Nunberg's rules of English punctuation as data (Table 1 of the paper).

Li, Wang and Eisner (2019) print fifteen examples, the order of strength from which the absorption
rules follow, and two totals: "16 punctuation types" and "a total of 192 edit rules [...] of the
16^2 = 256 possible underlying punctuation bigrams ab, 3/4 are supposed to undergo absorption or
transposition" (section 5.1).  They list neither the types nor the rules.  The rules below are
consistent with everything that they print, but may differ from their list.

Taken literally from the caption of Table 1:

* The weaker of two adjacent marks is deleted; marks of equal strength do not affect each other.
* A bracketing mark absorbs nothing outside its brackets: nothing before an opening one, nothing
  after a closing one, and never another bracketing mark.

Our interpretation, where the paper says nothing, each with its alternative:

* *The types.*  The caption names eleven, and Table 1 the abbreviation dot.  The other four are the
  most frequent further spellings, in the UD English treebank, of marks below the top of the order:
  ``...``, ``--``, ``..``, ``....``; a longer spelling is stronger.  The alternative, the pairs ‘ ’
  and [ ], is ruled out by the total: bracketing marks do not affect each other or marks outside, so
  that with eight of them 124 bigrams are edited, not 192.
* *The abbreviation dot* ranks between ? ! ( ) “ ” and the full stop, which it absorbs in Table 1.
  Alternative: it is not affected by other marks, as in *Inc.,*; this gives 27 rules fewer.
* *A doubled mark* is written once, whichever it is (Nunberg's graphic absorption); Table 1 has only
  the comma.  Alternative: only points, not brackets; this gives four rules fewer.
* *Quote transposition*: marks weaker than a closing quote move inside, except the semicolon and
  colon, which American style leaves outside.  Table 1 has only the comma and the period; that
  alternative gives six rules fewer.

The count: 12 times 12 points make 144 bigrams, less the four of equal strength (? with !, ; with
:), 140; brackets absorb the 10 weaker points inside them, 40; doubled brackets, 4; quotes move 8:
192 in total.  The other 64 are kept: 12 pairs of different brackets, 8 of ? and ! inside a bracket,
40 of points outside one, and the four of equal strength.  Other interpretations with the same total
exist; ``Rule.stated`` marks the 62 rules that follow from caption and table alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from semipunct.marks.edits import EDITS, EditName, apply_edit
from semipunct.marks.tokens import ABBREVIATION

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
"""The same order with all 16 types; see the module docstring for our interpretation."""

TYPES: tuple[str, ...] = tuple(mark for marks in STRENGTHS for mark in marks)
"""The 16 punctuation types."""

STAY_OUTSIDE = (";", ":")
"""Marks weaker than a closing quote that are nevertheless not moved inside (American style)."""

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
"""The examples of Table 1 as printed, in its priority order: schema, underlying, surface."""

FIGURE_3: tuple[Bigram, ...] = (
    (",", "."), ("”", "."), (".", "”"), ("”", ","), (",", "-"), (",", ")"),
)  # fmt: skip
"""Six bigrams to plot as in Figure 3; the text of the paper does not name its six."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The treatment of one underlying bigram.

    Attributes:
        a: the left token.
        b: the right token.
        edit: the edit to apply.
        stated: whether the paper states the rule; otherwise it is based on our interpretation.
    """

    a: str
    b: str
    edit: EditName
    stated: bool = True

    @property
    def result(self) -> tuple[str, ...]:
        """The surface tokens."""
        return apply_edit(self.edit, self.a, self.b)


def outcomes(a: str, b: str) -> dict[tuple[str, ...], EditName]:
    """Return the different outcomes of a bigram, each with an edit that leads to it.

    Args:
        a: the left token.
        b: the right token.
    """
    # Two equal tokens are kept or absorbed to the right; the other edits have the same outcomes.
    names = ("keep", "absorb_right") if a == b else EDITS
    return {apply_edit(edit, a, b): edit for edit in names}


def treatment(a: str, b: str) -> Rule:
    """Return the treatment of a bigram of two of the 16 types; ``keep`` if no rule applies.

    Args:
        a: the left token.
        b: the right token.

    Raises:
        KeyError: if a token is not one of ``TYPES``.
    """
    rank = {mark: place for place, marks in enumerate(STRENGTHS) for mark in marks}
    stronger = rank[b] - rank[a]  # positive: a is the stronger one
    edit = _edit(a, b, stronger)
    printed = {bigram: outcome for _, bigram, outcome in TABLE_1}
    if (a, b) in printed:
        return Rule(a, b, edit)
    caption_marks = {mark for marks in CAPTION for mark in marks}
    stated = {a, b} <= caption_marks and a != b and edit != "transpose"
    return Rule(a, b, edit, stated)


def says(a: str, b: str) -> Rule | None:
    """Return the ``treatment`` of a bigram; None if a token is not one of the 16 types.

    Args:
        a: the left token.
        b: the right token.
    """
    return treatment(a, b) if a in TYPES and b in TYPES else None


def _edit(a: str, b: str, stronger: int) -> EditName:
    if a == b:
        return "absorb_right"
    if b in OPENING or a in CLOSING:  # one token is outside the brackets of the other
        moves = a == "”" and stronger > 0 and b not in STAY_OUTSIDE
        return "transpose" if moves else "keep"
    if stronger == 0:
        return "keep"
    return "absorb_right" if stronger > 0 else "absorb_left"


def bigrams() -> tuple[Rule, ...]:
    """Return the treatment of each of the 256 bigrams of the 16 types."""
    return tuple(treatment(a, b) for a in TYPES for b in TYPES)


def rules() -> tuple[Rule, ...]:
    """Return the rules of the 192 bigrams that undergo absorption or transposition."""
    return tuple(rule for rule in bigrams() if rule.edit != "keep")


INVERTED: tuple[Rule, ...] = (
    Rule(",", "¿", "keep"),
    Rule(":", "¿", "keep"),
    Rule("¿", ",", "absorb_right"),
    Rule(",", "¡", "keep", stated=False),
    Rule(":", "¡", "keep", stated=False),
    Rule("¡", ",", "absorb_right", stated=False),
)
"""Spanish (section 5.1): the paper found the first three with high probability in its channel;
Nunberg treats ``(`` in the same way in English.  Those of the exclamation mark are added by
analogy."""
