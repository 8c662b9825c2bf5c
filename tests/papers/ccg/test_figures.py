"""Derivation scores: a case by hand."""

import pytest

from semipunct.papers.ccg.figures import derivation_statistics
from tests.evaluation.cases import derived

OTHER = (("N/N", "N", "S/NP"), {(1, "N/N", 1, 2), (3, "S/NP", 1, 2)})
"""An analysis with another category of the verb, and hence of its dependency."""


def test_a_case_written_out():
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
    assert derivation_statistics([], []).figures().as_dict()["coverage"] is None
