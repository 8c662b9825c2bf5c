"""Several runs of one system, such as those of three seeds, as one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from semipunct.errors import ResultError
from semipunct.evaluation.measures import (
    COLUMNS,
    PER_MARK,
    Counts,
    PerplexityStatistics,
    RestorationStatistics,
)
from semipunct.evaluation.results import Result, join_signature, read_result, split_signature

OWN = ("seed", "model")
"""Parts of a signature in which runs of one system may differ."""


def read_runs(path: str | Path) -> list[Result]:
    """The results in a folder, in the order of their names, or the one in a file.

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


def pooled(runs: Sequence[Result]) -> Result:
    """What the runs of a system achieve together: for each sentence the sums over the runs.

    Figures are then averages over runs, the geometric one of perplexities. What is random is the
    sentence, not the run: `compare` of two pooled results swaps all runs of a sentence at once.
    The result keeps the first run's name.

    Args:
        runs: results of one task on the same sentences, at least one.

    Raises:
        ResultError: if they are not of one task, one treebank and one way of measuring.
        ValueError: if there are none.
    """
    if not runs:
        raise ValueError("there are no runs to pool")
    if len(runs) == 1:
        return runs[0]
    parts = [split_signature(run.signature) for run in runs]
    shared = [{key: p for key, p in some.items() if key not in OWN} for some in parts]
    for run, some in zip(runs, shared, strict=True):
        if some != shared[0] or not np.array_equal(run.statistics.slots, runs[0].statistics.slots):
            raise ResultError(
                f"{runs[0].system} and {run.system} are no runs of one system on the same "
                f"sentences: {runs[0].signature} and {run.signature}"
            )
    own = {key: "+".join(some[key] for some in parts) for key in OWN if key in parts[0]}
    statistics = [run.statistics for run in runs]
    if isinstance(statistics[0], PerplexityStatistics):
        together = _perplexities(cast(Sequence[PerplexityStatistics], statistics))
    else:
        together = _restorations(cast(Sequence[RestorationStatistics], statistics))
    return Result(runs[0].system, join_signature({**shared[0], **own}), together)


def _perplexities(runs: Sequence[PerplexityStatistics]) -> PerplexityStatistics:
    log_likelihood = np.sum([run.log_likelihood for run in runs], 0)
    return PerplexityStatistics(log_likelihood, np.sum([run.slots for run in runs], 0))


def _restorations(runs: Sequence[RestorationStatistics]) -> RestorationStatistics:
    if any(run.pairs != runs[0].pairs for run in runs):
        raise ResultError("the pairing errors of the runs were counted with different pairs")
    marks = sorted({mark for run in runs for mark in run.marks})
    columns: dict[str, Counts] = {
        name: np.sum(
            [
                _by_mark(run, name, marks) if name in PER_MARK else getattr(run, name)
                for run in runs
            ],
            0,
        )
        for name in COLUMNS
    }
    return replace(runs[0], marks=tuple(marks), **columns)


def _by_mark(run: RestorationStatistics, name: str, marks: Sequence[str]) -> Counts:
    """A column with a place for each of the given marks."""
    column = np.zeros((len(run.slots), len(marks)), np.int64)
    column[:, [marks.index(mark) for mark in run.marks]] = getattr(run, name)
    return column
