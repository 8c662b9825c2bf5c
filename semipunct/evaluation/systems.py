"""Comparison of two systems, each given as a result, a file, or a folder of several runs."""

from __future__ import annotations

from pathlib import Path

from semipunct.errors import ResultError, UsageError
from semipunct.evaluation import comparison
from semipunct.evaluation.aggregation import aggregate, read_runs
from semipunct.evaluation.comparison import Comparison
from semipunct.evaluation.results import Result
from semipunct.wording import quantity

System = Result | str | Path
"""A result in memory, or the path of a stored result or of a folder of stored results."""


def compare(a: System, b: System, *, resamples: int = 10_000, seed: int = 0) -> Comparison:
    """Test whether two systems differ significantly, without running them again.

    Several runs of one system, such as three seeds, are aggregated.

    Args:
        a: a system; ``-`` is standard input.
        b: another system, evaluated on the same sentences in the same number of runs.
        resamples: the number of permutations, and of bootstrap samples.
        seed: the random seed of both.

    Raises:
        ResultError: if a result is missing or damaged, or the two cannot be compared.
        UsageError: if one has more runs than the other, or ``resamples`` is less than 1.
    """
    runs_of_a, runs_of_b = _runs(a), _runs(b)
    names = [side.system if isinstance(side, Result) else str(side) for side in (a, b)]
    if len(runs_of_a) != len(runs_of_b):
        raise UsageError(
            f"A = {names[0]} has {quantity(len(runs_of_a), 'run')}, B = {names[1]} has "
            f"{len(runs_of_b)}; give the same number of runs"
        )
    try:
        return comparison.compare(aggregate(runs_of_a), aggregate(runs_of_b), resamples, seed)
    except ResultError as error:
        raise ResultError(f"A = {names[0]}, B = {names[1]}: {error}") from error


def _runs(system: System) -> list[Result]:
    return [system] if isinstance(system, Result) else read_runs(system)
