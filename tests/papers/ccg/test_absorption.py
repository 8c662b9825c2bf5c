"""Normalisation of commas: figure 8, and unchanged cases."""

import pytest

from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.normalisation import (
    attested_categories,
    comma_nodes,
    normalise_absorption,
)

Nested = tuple[object, ...]
"""A category with its parts; a leaf has none."""


def derivation(nested: Nested) -> Derivation:
    depths: list[int] = []
    categories: list[str] = []
    waiting: list[tuple[Nested, int]] = [(nested, 0)]
    heads: list[int] = []
    while waiting:
        (category, *parts), depth = waiting.pop()
        depths.append(depth)
        categories.append(str(category))
        heads.append(int(len(parts) == 2 and parts[1][0] == category))  # type: ignore[index]
        waiting += ((part, depth + 1) for part in reversed(parts))  # type: ignore[misc]
    return Derivation(tuple(depths), tuple(categories), tuple(heads))


def bracketed(tree: Derivation) -> str:
    """Return the tree, with leaves as their categories."""
    text: list[str] = []
    for node in range(len(tree.depths) - 1, -1, -1):
        below = [text.pop() for _ in tree.children[node]]
        inside = " ".join((tree.categories[node], *below))
        text.append(f"({inside})" if below else inside)
    return text[0]


COMMA = (",",)
SUBJECT, VERB = ("NP",), ("S\\NP",)


def test_figure_8():
    # [in [1990]] [, [it [fell]]] becomes [[in [1990]] ,] [it [fell]].
    adverb = ("S/S", ("(S/S)/NP",), ("NP", ("N",)))
    before = derivation(("S", adverb, ("S", COMMA, ("S", SUBJECT, VERB))))
    after = normalise_absorption(before)
    assert bracketed(after) == "(S (S/S (S/S (S/S)/NP (NP N)) ,) (S NP S\\NP))"
    assert [(node.rule, node.category) for node in comma_nodes(after)] == [("right", "S/S")]
    assert after.heads[:2] == (1, 0)
    # An unattested rule is not needed if the same comma can be attached lower.
    better = normalise_absorption(before, "better", {"NP"})
    assert bracketed(better) == "(S (S/S (S/S)/NP (NP (NP N) ,)) (S NP S\\NP))"
    lower = normalise_absorption(before, "better", {"N"})
    assert bracketed(lower) == "(S (S/S (S/S)/NP (NP (N N ,))) (S NP S\\NP))"
    assert normalise_absorption(before, "better", {"PP"}) == after


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param(("NP", SUBJECT, ("NP[conj]", COMMA, SUBJECT)), id="coordination"),
        pytest.param(("S\\NP", VERB, ("(S\\NP)\\(S\\NP)", COMMA, SUBJECT)), id="change of type"),
        pytest.param(("S", COMMA, ("S", SUBJECT, VERB)), id="at the beginning"),
        pytest.param(("S", (";",), ("S", COMMA, ("S", SUBJECT, VERB))), id="after another mark"),
        pytest.param(("S", ("S", SUBJECT, VERB), COMMA), id="from the right"),
    ],
)
def test_commas_that_stay(nested: Nested):
    tree = derivation(nested)
    assert normalise_absorption(tree) is tree


def test_attested_categories():
    once = derivation(("S", ("S", SUBJECT, VERB), COMMA))
    assert attested_categories([once]) == frozenset()
    assert attested_categories([once], 1) == attested_categories([once] * 2) == {"S"}
