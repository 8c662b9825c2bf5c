"""Nunberg's rules compared with those printed in the paper."""

from __future__ import annotations

import pytest

from semipunct.papers.analysis import nunberg
from semipunct.papers.analysis.nunberg import Bigram, Rule, treatment

POINTS = {"?", "!", "<abbr>", "....", "...", "..", ".", ";", ":", "--", "-", ","}
BRACKETS = {"(", ")", "“", "”"}


@pytest.mark.parametrize("bigram, outcome", [row[1:] for row in nunberg.TABLE_1])
def test_every_specimen_of_table_1_is_among_the_rules(bigram: Bigram, outcome: tuple[str, ...]):
    (rule,) = (rule for rule in nunberg.rules() if (rule.a, rule.b) == bigram)
    assert (rule.result, rule.stated) == (outcome, True)


def test_the_sums_of_the_paper():
    assert len(nunberg.TYPES) == len(set(nunberg.TYPES)) == 16
    assert set(nunberg.TYPES) == POINTS | BRACKETS
    assert len({(rule.a, rule.b) for rule in nunberg.bigrams()}) == 16**2
    assert len(nunberg.rules()) == 192
    assert all(
        rule.edit in ("absorb_left", "absorb_right", "transpose") for rule in nunberg.rules()
    )
    assert len(nunberg.TABLE_1) == 15


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
