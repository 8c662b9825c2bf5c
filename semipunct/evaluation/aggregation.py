"""Aggregation of several runs of one system, such as three seeds, into one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from semipunct.errors import ResultError
from semipunct.evaluation.metric import Statistics
from semipunct.evaluation.results import Result, read_result
from semipunct.evaluation.signature import join_signature, split_signature

OWN = ("seed", "model")
"""Parts of a signature in which runs of one system may differ."""


def read_runs(path: str | Path) -> list[Result]:
    """Return the results in a folder, sorted by file name, or the one in a file.

    Raises:
        ResultError: at the first defect, or if the folder has no results.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [read_result(path)]
    files = sorted(f for f in folder.iterdir() if f.name.endswith((".json", ".json.gz")))
    if not files:
        raise ResultError(f"{path}: a folder without results (.json or .json.gz); name another one")
    return [read_result(file) for file in files]


def aggregate(runs: Sequence[Result]) -> Result:
    """Sum the runs of a system, sentence by sentence, into one result.

    Figures are then averages over runs (of perplexities, the geometric mean).  Sentences, not runs,
    are treated as random: in ``compare`` all runs of a sentence are swapped together.  The result
    has the name of the first run.

    Args:
        runs: results of one task on the same sentences, at least one.

    Raises:
        ResultError: if they differ in task, treebank or conditions of the measurement.
        ValueError: if there are no runs.
    """
    if not runs:
        raise ValueError("there are no runs to aggregate")
    if len(runs) == 1:
        return runs[0]
    parts = [split_signature(run.signature) for run in runs]
    shared = [{key: p for key, p in some.items() if key not in OWN} for some in parts]
    marks = sorted({mark for run in runs for mark in run.statistics.marks})
    statistics = [run.statistics.on_marks(marks) for run in runs]
    for run, some, statistics_of_run in zip(runs, shared, statistics, strict=True):
        if some != shared[0] or not _of_the_same(statistics[0], statistics_of_run):
            raise ResultError(
                f"{runs[0].system} and {run.system} are not runs of one system on the same "
                f"sentences: {runs[0].signature} and {run.signature}"
            )
        for name, kind in statistics_of_run.settings.items():
            if getattr(statistics_of_run, name) != getattr(statistics[0], name):
                raise ResultError(
                    f"the {kind.counted} of the runs were counted with different {name}"
                )
    systems_of_runs = {key: "+".join(some[key] for some in parts) for key in OWN if key in parts[0]}
    sums = {
        name: np.sum([statistics_of_run.column(name) for statistics_of_run in statistics], 0)
        for name in statistics[0].columns
    }
    signature = join_signature({**shared[0], **systems_of_runs})
    return Result(runs[0].system, signature, replace(statistics[0], **sums))


def _of_the_same(a: Statistics, b: Statistics) -> bool:
    """Return whether the columns that depend only on the sentences are the same."""
    fixed_columns = [name for name, kind in a.columns.items() if kind.given]
    return all(np.array_equal(a.column(name), b.column(name)) for name in fixed_columns)
