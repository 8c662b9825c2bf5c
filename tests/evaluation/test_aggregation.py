"""Aggregated runs are counted together, sentence by sentence."""

import math
from dataclasses import replace

import numpy as np
import pytest

from semipunct.errors import ResultError
from semipunct.evaluation.comparison import aggregate, compare
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import Result

GOLD = [[(",",), ("!",)], [(), (".",)]]


def scores(seed: int, *log_likelihood: float) -> Result:
    statistics = PerplexityStatistics(np.array(log_likelihood), np.array([2, 2]))
    return Result(f"run-{seed}", f"task:perplexity|seed:{seed}|treebank:t", statistics)


def restored(seed: int, *slots: list[tuple[str, ...]]) -> Result:
    line = f"task:restoration|seed:{seed}|treebank:t"
    return Result(f"run-{seed}", line, restoration_statistics(GOLD, slots))


def test_log_likelihoods_are_added():
    both = aggregate([scores(0, -1.0, -3.0), scores(1, -2.0, -math.inf)])
    assert list(both.statistics.log_likelihood) == [-3.0, -math.inf]
    assert list(both.statistics.slots) == [4, 4]
    assert (both.system, both.signature) == ("run-0", "task:perplexity|treebank:t|seed:0+1")


def test_perplexities_are_averaged_geometrically():
    both = aggregate([scores(0, *np.log([0.25, 0.25])), scores(1, *np.log([1.0, 1.0]))])
    assert both.figures.perplexity == pytest.approx(math.sqrt(2))


def test_counts_of_different_marks_are_added():
    runs = [restored(0, [("!",), ("!",)], GOLD[1]), restored(1, GOLD[0], [(), ("?",)])]
    both = aggregate(runs).figures
    assert (both.slots, both.edit_distance, both.exact_slots) == (8, 2, 6)
    assert [(m, s.true_positives, s.predicted, s.gold) for m, s in both.marks.items()] == [
        ("!", 2, 3, 2), (",", 1, 1, 2), (".", 1, 1, 2), ("?", 0, 1, 0),
    ]  # fmt: skip


def test_runs_of_a_sentence_are_no_independent_evidence():
    better, worse = scores(0, -1.0, -1.0), scores(0, -2.0, -2.0)
    once = compare(better, worse).differences[0]
    thrice = compare(aggregate([better] * 3), aggregate([worse] * 3)).differences[0]
    assert once.p == thrice.p == 0.5  # two of the four ways to swap are as extreme
    assert thrice.difference == pytest.approx(once.difference)


def test_others_are_refused():
    run, other = scores(0, -1.0, -1.0), scores(1, -1.0, -1.0)
    elsewhere = replace(other, signature=other.signature.replace("treebank:t", "treebank:u"))
    longer = replace(other, statistics=replace(other.statistics, slots=np.array([2, 3])))
    for wrong in (elsewhere, longer, restored(1, *GOLD)):
        with pytest.raises(ResultError, match="run-0 and run-1 are not runs of one system"):
            aggregate([run, wrong])
    with pytest.raises(ValueError, match="no runs"):
        aggregate([])
