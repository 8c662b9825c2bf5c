"""Bracket scores: a case by hand, and errors."""

from pathlib import Path

import pytest

from semipunct.papers.commas.figures import bracket_statistics
from semipunct.papers.commas.ptb import read_bracketings
from semipunct.papers.commas.trees import PhraseTree

GOLD = "(S (NP-SBJ (NP (DT the) (NN dog)) (, ,) (PP (IN of) (NP (NN war)))) (VP (VBZ barks)) (. .))"
FOUND = "(S (NP (DT the) (NN dog)) (VP (, ,) (PP (IN of) (NN war)) (VP (NNS barks)) (. .)))"


def tree(text: str, folder: Path) -> PhraseTree:
    path = folder / "a.mrg"
    path.write_text(text, encoding="utf-8")
    (found,) = read_bracketings(path)
    return found.tree


def test_a_case_written_out(tmp_path: Path):
    """Words without marks: the 1 dog 2 of 3 war 4 barks 5."""
    gold, found = tree(GOLD, tmp_path), tree(FOUND, tmp_path)
    # Gold: S 0-5, NP 0-4, NP 0-2, PP 2-4, NP 3-4, VP 4-5.
    # Found: S 0-5, NP 0-2, VP 2-5, PP 2-4, VP 4-5.
    figures = bracket_statistics([gold], [found]).figures()
    assert (figures.labelled.true_positives, figures.labelled.predicted, figures.labelled.gold) == (
        4, 5, 6,
    )  # fmt: skip
    assert figures.tags == pytest.approx(6 / 7)
    assert figures.exact == 0
    same = bracket_statistics([gold, found], [gold, found])
    assert same.figures().labelled.f1 == same.figures().exact == same.score == 1.0
