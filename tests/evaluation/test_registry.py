"""Guarantees of every metric in the registry."""

import pytest

from semipunct.evaluation.registry import METRICS, find_metric
from tests.evaluation.cases import (
    GOLD,
    MISS,
    PARSED,
    PREDICTED,
    TREEBANK,
    bracketed,
    corrected,
    derived,
    parsed,
    restored,
    scored,
)

RESULTS = {
    "brackets": bracketed(),
    "correction": corrected(PREDICTED, [[*s[:-1], ()] for s in GOLD], GOLD),
    "derivations": derived(MISS, None),
    "parsing": parsed(TREEBANK, PARSED),
    "perplexity": scored([-0.5, -2.0, -1.5], [2, 5, 7]),
    "restoration": restored(GOLD, PREDICTED),
}


def test_every_metric_has_a_case():
    assert METRICS.keys() <= RESULTS.keys()


@pytest.mark.parametrize("task", RESULTS)
def test_what_a_metric_declares(task: str):
    metric = find_metric(task)
    assert metric is not None
    assert metric.task == task
    assert len({measure.name for measure in metric.measures}) == len(metric.measures)
    assert any(column.given for column in metric.columns.values())
    for measure in metric.measures:
        assert set(measure.columns) <= metric.columns.keys() | metric.derived
        assert measure.shared is None or metric.columns[measure.shared].given


@pytest.mark.parametrize("task", RESULTS)
def test_the_score_is_a_figure(task: str):
    statistics = RESULTS[task].statistics
    figures = statistics.figures().as_dict()
    assert statistics.score == pytest.approx(figures[statistics.measures[0].name], rel=1e-15)
    assert figures["sentences"] == len(statistics)
    assert all(name and value for name, value in statistics.figures().rows())
