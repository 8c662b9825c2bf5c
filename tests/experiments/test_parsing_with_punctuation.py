"""Evaluation of parses in which marks are words."""

from dataclasses import replace

import pytest

from semipunct.trees import DependencyTree

TREEBANK = """\
1\tYes\tyes\tINTJ\t_\t_\t3\tdiscourse\t_\t_
2\t,\t,\tPUNCT\t_\t_\t3\tpunct\t_\t_
3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_
4\thome\thome\tADV\t_\t_\t3\tadvmod\t_\t_
5\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tNo\tno\tINTJ\t_\t_\t2\tdiscourse\t_\t_
2\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def parsing(driver):
    return driver("parsing_with_punctuation")


def test_marks_are_taken_out_of_a_parse(parsing, tmp_path):
    path = tmp_path / "some.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    (example,) = parsing.examples([path])  # in the other sentence a mark has a dependent
    assert example.bare.forms == ("Yes", "go", "home")
    assert example.whole.forms == ("Yes", ",", "go", "home", ".")
    assert example.share == pytest.approx(2 / 5)
    assert example.words_of(example.whole).tree == example.bare.tree
    # "home" is attached to the period, the period to the comma, and the comma to "Yes", the root.
    parsed = replace(
        example.whole, tree=DependencyTree((0, 1, 1, 5, 2), ("root", "a", "b", "c", "d"))
    )
    words = example.words_of(parsed)
    assert words.tree.heads == (0, 1, 1)
    assert words.tree.relations == ("root", "b", "c")
    assert words.upos == ("INTJ", "VERB", "ADV")
