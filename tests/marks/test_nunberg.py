"""Nunberg's rules against what the paper prints, and figures over a channel written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semipunct.marks import nunberg
from semipunct.marks.nunberg import Channel, Rule, confidence, recall, treatment

POINTS = {"?", "!", "<abbr>", "....", "...", "..", ".", ";", ":", "--", "-", ","}
BRACKETS = {"(", ")", "“", "”"}

SPECIMENS = """
, , > ,
, . > .
- , > -
- ; > ;
; . > .
” , > , ”
” . > . ”
. ? > ?
. ! > !
<abbr> . > <abbr>
, ) > )
- ) > )
( , > (
, ” > ”
“ , > “
"""
"""Table 1 as the journal prints it, ``abbv`` written as our token."""


@pytest.mark.parametrize("line", SPECIMENS.strip().splitlines())
def test_every_specimen_of_table_1_is_among_the_rules(line: str):
    before, after = (tuple(side.split()) for side in line.split(" > "))
    found = [rule for rule in nunberg.rules() if (rule.a, rule.b) == before]
    assert [rule.result for rule in found] == [after]
    assert found[0].stated
    assert (before, after) in [(bigram, outcome) for _, bigram, outcome in nunberg.TABLE_1]


def test_the_sums_of_the_paper():
    assert len(nunberg.TYPES) == len(set(nunberg.TYPES)) == 16
    assert set(nunberg.TYPES) == POINTS | BRACKETS
    assert len({(rule.a, rule.b) for rule in nunberg.bigrams()}) == 16**2
    assert len(nunberg.rules()) == 192
    assert all(
        rule.edit in ("absorb_left", "absorb_right", "transpose") for rule in nunberg.rules()
    )
    assert len(nunberg.TABLE_1) == len(SPECIMENS.strip().splitlines()) == 15


def test_the_sums_of_the_docstring():
    kept = {(r.a, r.b) for r in nunberg.bigrams() if r.edit == "keep"}
    changed = {(r.a, r.b) for r in nunberg.rules()}
    assert len([1 for a, b in changed if {a, b} <= POINTS]) == 140
    assert sum((a in "(“" and b in POINTS) or (a in POINTS and b in ")”") for a, b in changed) == 40
    assert sum({a, b} <= BRACKETS for a, b in changed) == 4
    moved = {(r.a, r.b) for r in nunberg.rules() if r.edit == "transpose"}
    weaker = ("<abbr>", "....", "...", "..", ".", "--", "-", ",")
    assert moved == {("”", mark) for mark in weaker}
    assert sum({a, b} <= BRACKETS for a, b in kept) == 12
    assert sum((a in "(“" and b in "?!") or (a in "?!" and b in ")”") for a, b in kept) == 8
    assert sum((a in POINTS and b in "(“") or (a in ")”" and b in POINTS) for a, b in kept) == 40
    assert {pair for pair in kept if set(pair) <= POINTS} == {
        ("?", "!"), ("!", "?"), (";", ":"), (":", ";"),
    }  # fmt: skip


def test_the_stated_rules_are_those_of_the_caption():
    order = ("?!", ".", ";:", "-", ",")
    strength = {mark: -i for i, marks in enumerate(order) for mark in marks}
    expected = {("”", ","), ("”", "."), (",", ","), ("<abbr>", ".")}
    for a in strength:
        expected |= {(a, b) for b in strength if strength[a] != strength[b]}
        if a not in "?!":
            expected |= {("(", a), ("“", a), (a, ")"), (a, "”")}
    assert {(r.a, r.b) for r in nunberg.rules() if r.stated} == expected
    assert len(expected) == 62


@pytest.mark.parametrize(
    "a, b, outcome",
    [
        (",", ".", (".",)),
        (".", ",", (".",)),
        ("--", "-", ("--",)),
        ("...", ".", ("...",)),
        ("<abbr>", "?", ("?",)),
        (",", "(", (",", "(")),
        (")", ",", (")", ",")),
        (":", "“", (":", "“")),
        ("”", ";", ("”", ";")),
        ("”", "?", ("”", "?")),
        ("?", "”", ("?", "”")),
        ("(", "“", ("(", "“")),
        ("!", "!", ("!",)),
        (")", ")", (")",)),
        ("”", "-", ("-", "”")),
    ],
)
def test_treatments(a: str, b: str, outcome: tuple[str, ...]):
    assert treatment(a, b).result == outcome


def test_what_nunberg_does_not_consider():
    assert nunberg.says("*", ",") is None
    assert nunberg.says(",", ".") == Rule(",", ".", "absorb_left")
    with pytest.raises(KeyError):
        treatment("*", ",")


def test_outcomes_that_differ():
    assert nunberg.outcomes(",", ".") == {
        (",", "."): "keep", (".",): "absorb_left", (",",): "absorb_right", (".", ","): "transpose",
    }  # fmt: skip
    assert nunberg.outcomes(",", ",") == {(",", ","): "keep", (",",): "absorb_right"}


def made(tokens: str, table: dict[str, tuple[float, float, float, float]]) -> Channel:
    """A channel of single characters with the edits of some bigrams; all others are kept."""
    probability = np.zeros((4, len(tokens), len(tokens)))
    probability[0] = 1
    for (a, b), edits in table.items():
        probability[:, tokens.index(a), tokens.index(b)] = edits
    return Channel(tuple(tokens), probability)


CHANNEL = made(
    ",.;”",
    {  # keep, absorb left, absorb right, transpose
        ",.": (0.1, 0.8, 0.06, 0.04),
        ".,": (0.4, 0.1, 0.3, 0.2),
        ";.": (0.25, 0.25, 0.25, 0.25),
        "”.": (0.3, 0.1, 0.3, 0.3),
        "”,": (0.85, 0.05, 0.04, 0.06),
        ",,": (0.2, 0.0, 0.8, 0.0),
    },
)


@pytest.mark.parametrize(
    "bigram, rank, reciprocal",
    [
        (",.", 1, 1),  # absorb left, the first
        (".,", 2, 1 / 2),  # absorb right after keep
        (";.", 4, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),  # four alike
        ("”.", 3, (1 + 1 / 2 + 1 / 3) / 3),  # transpose, tied with two at the top
        ("”,", 2, 1 / 2),
        (",,", 1, 1),
    ],
)
def test_ranks(bigram: str, rank: int, reciprocal: float):
    (found,) = recall(CHANNEL, [treatment(*bigram)]).ranked
    assert found.rank == rank
    assert found.reciprocal_rank == pytest.approx(reciprocal)


def test_mean_reciprocal_ranks():
    pairs = (",.", ".,", ";.", "”.", "”,", ",,", ",!", "!!")
    found = recall(CHANNEL, [treatment(*bigram) for bigram in pairs])
    total = 1 + 1 / 2 + 25 / 48 + 11 / 18 + 1 / 2 + 1
    assert found.mean_reciprocal_rank == pytest.approx(total / 6)
    # ", !" has four outcomes and "! !" two; the channel knows neither.
    assert [rule.a + rule.b for rule in found.missing] == [",!", "!!"]
    assert found.mean_over_all == pytest.approx((total + 1 / 4 + 1 / 2) / 8)
    assert found.ranks == (2, 2, 2)
    decided = found.decided
    assert [r.rule.a + r.rule.b for r in decided.ranked] == [",.", "”,", ",,"]
    assert decided.mean_reciprocal_rank == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert [rule.a + rule.b for rule in found.stated.missing] == [",!"]
    assert math.isnan(recall(CHANNEL, []).mean_reciprocal_rank)


def test_the_192_rules_are_all_ranked_or_missing():
    found = recall(CHANNEL, nunberg.rules())
    assert len(found.ranked) + len(found.missing) == 192
    # Of the 16 bigrams of the four marks only "” ;" stays.
    changed = [bigram for bigram in nunberg.rules() if {bigram.a, bigram.b} <= set(",.;”")]
    assert len(found.ranked) == len(changed) == 15
    assert found.mean_over_all < found.mean_reciprocal_rank


def test_probabilities_that_differ_by_rounding_are_tied():
    near = np.float32(0.25) * (1 + np.float32(2e-7))
    channel = made(",.", {",.": (float(near), 0.25, 0.25, 0.25)})
    (found,) = recall(channel, [treatment(",", ".")]).ranked
    assert (found.better, found.tied) == (0, 4)


def test_confident_edits_and_their_precision():
    channel = made(
        ",.”*",
        {
            ",.": (0.1, 0.8, 0.06, 0.04),  # Nunberg's
            ".,": (0.8, 0.1, 0.05, 0.05),  # not: he absorbs
            "”.": (0.75, 0.05, 0.1, 0.1),  # not above the threshold
            "*,": (0.0, 0.0, 1.0, 0.0),  # a mark that he does not consider
            ",,": (0.1, 0.0, 0.9, 0.0),  # Nunberg's
        },
    )
    bigrams = [(a, b) for a, b in (",.", ".,", "”.", "*,", ",,", ",!")]
    found = confidence(channel, bigrams)
    assert [(e.a + e.b, e.edit, e.agrees) for e in found.edits] == [
        ("*,", "absorb_right", False),
        (",,", "absorb_right", True),
        (",.", "absorb_left", True),
        (".,", "keep", False),
    ]
    assert (found.bigrams, found.considered, found.agreeing) == (5, 3, 2)
    assert found.precision == pytest.approx(2 / 3)
    assert (found.changing.considered, found.changing.agreeing) == (2, 2)
    assert math.isnan(confidence(channel, []).precision)


def test_keeping_both_is_nunbergs_where_he_has_no_rule():
    channel = made("(,", {})
    found = confidence(channel, [(",", "("), ("(", ",")])
    assert [(e.a, e.agrees) for e in found.edits] == [(",", True), ("(", False)]


def test_inverted_marks_are_treated_as_the_opening_bracket():
    for rule in nunberg.INVERTED:
        as_bracket = ["(" if mark in "¿¡" else mark for mark in (rule.a, rule.b)]
        assert treatment(*as_bracket).edit == rule.edit
    assert [(r.a + r.b, r.result) for r in nunberg.INVERTED if r.stated] == [
        (",¿", (",", "¿")), (":¿", (":", "¿")), ("¿,", ("¿",)),
    ]  # fmt: skip
