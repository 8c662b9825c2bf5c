"""Heads by the table of Collins, and the resulting dependency trees."""

import pytest

from semipunct.papers.commas.trees import dependencies, head_children
from semipunct.trees import DependencyTree
from tests.papers.commas.nested import nested
from tests.papers.commas.test_trees import flat


def heads(text: str) -> tuple[int, ...]:
    tree = flat(nested(text))
    return dependencies(tree, head_children(tree)).heads


def test_a_sentence_written_out():
    tree = flat(nested(
        "( (S (NP-SBJ-1 (DT the) (JJ small) (NN bird))"
        " (VP (MD will) (VP (VB sing) (ADVP-TMP (RB now))))"
        " (. .)))"
    ))  # fmt: skip
    children = head_children(tree)
    assert children == (1, 6, 5, -1, -1, -1, 7, -1, 9, -1, 11, -1, -1)
    assert dependencies(tree, children) == DependencyTree(
        (3, 3, 4, 0, 4, 5, 4), ("dep", "dep", "dep", "root", "dep", "dep", "dep")
    )
    assert dependencies(tree, children, labelled=True).relations == (
        "DT/NP", "JJ/NP", "NP-SBJ/S", "root", "VP/VP", "ADVP-TMP/VP", "./S",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(NP (NP (NN a)) (POS 's) (NN b))", (3, 3, 0)),
        ("(NP (NNP A) (POS 's))", (2, 0)),
        ("(NP (NP (NN a)) (PP (IN of) (NP (NN b))))", (0, 1, 2)),
        ("(NP (DT the) ($ $) (CD 5))", (2, 0, 2)),
        ("(NP (DT the) (JJ rich))", (2, 0)),
        ("(NP (DT this) (DT that))", (2, 0)),
        ("(PP (IN of) (NP (NN a)))", (0, 1)),
        ("(PRN (, ,) (S (NP (PRP I)) (VP (VBP think))) (, ,))", (3, 3, 0, 3)),
        ("(QP (IN about) (CD 5))", (0, 1)),
        ("(UCP (NP (NN a)) (CC and) (ADJP (JJ b)))", (0, 1, 1)),
        ("(NP (NN a) (CC and) (NN b))", (0, 1, 1)),
        ("(NP (NN a) (, ,) (CC and) (NN b))", (0, 1, 1, 1)),
        ("(NP (CC both) (NN a))", (2, 0)),
        ("(PRT|ADVP (RP up) (RP down))", (2, 0)),
        ("(FOO (NN a) (NN b))", (0, 1)),
        ("(X (: -) (: -))", (0, 1)),
        ("(UH yes)", (0,)),
    ],
)
def test_rules(text: str, expected: tuple[int, ...]):
    assert heads(text) == expected
