"""Derivation scores: a case by hand, and errors."""

from pathlib import Path

import pytest

from semipunct.errors import UsageError
from semipunct.evaluation.results import read_result, write_result
from semipunct.papers.ccg.ccgbank import read_derived_sentences
from semipunct.papers.ccg.comparison import by_sentence, compare_derivations
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.figures import derivation_statistics
from semipunct.papers.ccg.normalisation import normalise_absorption
from tests.evaluation.cases import derived

OTHER = (("N/N", "N", "S/NP"), {(1, "N/N", 1, 2), (3, "S/NP", 1, 2)})
"""An analysis with another category of the verb, and hence of its dependency."""


def test_a_case_written_out(tmp_path: Path):
    result = derived(OTHER, None)
    assert result.figures.as_dict() == {
        "sentences": 2,
        "words": 6,
        "coverage": 0.5,
        "sentence_accuracy": 0.0,
        "category_accuracy": pytest.approx(2 / 6),
        "labelled_precision": 0.5,
        "labelled_recall": 0.25,
        "labelled_f1": pytest.approx(1 / 3),
        "unlabelled_precision": 1.0,
        "unlabelled_recall": 0.5,
        "unlabelled_f1": pytest.approx(2 / 3),
    }
    write_result(tmp_path / "a.json", result)
    assert read_result(tmp_path / "a.json").figures == result.figures
    assert derivation_statistics([], []).figures().as_dict()["coverage"] is None


def test_places_of_commas_make_no_other_treebank(tmp_path: Path):
    """Left and right commas have the same signature, so that parsers of the two can be compared."""
    path = tmp_path / "a.auto"
    path.write_text(
        "ID=a\n(<T S 1 2> (<L S/S RB RB today S/S>) (<T S 1 2> (<L , , , , ,>) (<T S 1 2> "
        "(<L NP NNS NNS cats NP>) (<L S\\NP VBP VBP sleep S\\NP_1>) ) ) )\n",
        encoding="utf-8",
    )
    (left,) = read_derived_sentences([path])
    right = normalise_absorption(left.tree)
    assert right != left.tree
    results = [compare_derivations("p", "d", [left], [tree]) for tree in (left.tree, right)]
    assert [r.statistics.score for r in results] == [1.0, 1.0]
    path.write_text(path.read_text("utf-8").replace("cats", "dogs"), encoding="utf-8")
    (dogs,) = read_derived_sentences([path])
    assert compare_derivations("p", "d", [dogs], [None]).signature != results[0].signature
    trees: list[Derivation | None] = by_sentence([left], [])
    assert trees == [None]
    with pytest.raises(UsageError, match="its words are not those of"):
        by_sentence([left], [dogs])
    with pytest.raises(UsageError, match="an earlier sentence"):
        by_sentence([left, left], [])
    with pytest.raises(UsageError, match="has a second derivation"):
        by_sentence([left], [left, left])
