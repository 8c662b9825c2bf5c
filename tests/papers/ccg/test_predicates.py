"""Heads shared by categories, and dependencies between predicates and arguments."""

from pathlib import Path

import pytest

from semipunct.papers.ccg.ccgbank import Ccgbank
from semipunct.papers.ccg.derivations import Derivation, parse_category
from semipunct.papers.ccg.predicates import coindex, predicate_dependencies
from tests.papers.ccg.files import MILL, RAIN


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("N", "N"),
        ("N/N", "N_1/N_1"),
        ("NP[nb]/N", "NP[nb]_1/N_1"),
        ("(S[dcl]\\NP)/NP", "(S[dcl]\\NP_2)/NP_1"),
        ("(S[dcl]\\NP)/(S[b]\\NP)", "(S[dcl]\\NP_2)/(S[b]_1\\NP_2)_1"),
        ("((S[b]\\NP)/(S[to]\\NP))/NP", "((S[b]\\NP_3)/(S[to]_2\\NP_1)_2)/NP_1"),
        ("(S\\NP)\\(S\\NP)", "(S_1\\NP_2)_1\\(S_1\\NP_2)_1"),
        ("(NP\\NP)/(S[dcl]\\NP)", "(NP_2\\NP_2)/(S[dcl]_1\\NP_2)_1"),
        ("(S[dcl]\\S[dcl])\\NP", "(S[dcl]\\S[dcl]_2)\\NP_1"),
    ],
)
def test_heads_that_are_shared(category: str, expected: str):
    assert str(coindex(parse_category(category))) == expected


def of_words(tree: Derivation, forms: tuple[str, ...]) -> set[tuple[str, int, str]]:
    return {
        (forms[d.head - 1], d.argument, forms[d.dependent - 1])
        for d in predicate_dependencies(tree)
    }


def test_dependencies_written_out(tmp_path: Path):
    path = tmp_path / "some.auto"
    path.write_text(MILL + RAIN, encoding="utf-8")
    mill, rain = Ccgbank().read_derivations(path)
    assert of_words(mill.content.tree, mill.content.forms) == {
        ("the", 1, "miller"),
        ("ground", 1, "Ada"),
        ("ground", 2, "rye"),
        ("ground", 2, "oats"),
    }
    assert of_words(rain.content.tree, rain.content.forms) == {
        ("will", 1, "Rain"),
        ("will", 2, "fall"),
        ("fall", 1, "Rain"),
    }
