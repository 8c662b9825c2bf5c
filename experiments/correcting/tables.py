"""Edits of systems, counted for each run, and tables with the significance of differences."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from correcting.data import Pairs
from correcting.systems import System
from semipunct.corpus.examples import parallel_digest
from semipunct.evaluation.comparison import aggregate, compare
from semipunct.evaluation.correction import CorrectionFigures, correction_statistics
from semipunct.evaluation.restoration import Slots
from semipunct.evaluation.results import Result, join_signature
from semipunct.version import __version__

HEAD = (
    "system",
    "precision",
    "recall",
    "F0.5",
    "edits per slot",
    "harm",
    "edits",
    "p",
    "from bare words",
)
"""The columns of a table of systems."""


class Run(NamedTuple):
    """The edits of one run of a system.

    Attributes:
        edits: edits from what was written to the result.
        bare: edits from bare words to the result.
    """

    edits: Result
    bare: Result


Runs = Mapping[str, Sequence[Run]]
"""The runs of systems by name, in the order of their seeds."""


def counted(system: str, seed: int, predicted: Sequence[Slots], data: Pairs) -> Run:
    """Count the edits of a system.

    Args:
        system: name of the system.
        seed: seed of its training.
        predicted: its result for each sentence.
        data: the sentences.
    """
    references = [pair.references for pair in data]
    written = [pair.source.slots for pair in data]
    nobody = [((),) * len(slots) for slots in written]
    digest = parallel_digest(data)[:12]
    of = {"system": system, "seed": str(seed), "treebank": digest, "version": __version__}

    def counted_from(start: str, slots: Sequence[Slots]) -> Result:
        signature = join_signature({"task": "correction", "from": start, **of})
        return Result(system, signature, correction_statistics(slots, predicted, references))

    return Run(counted_from("written", written), counted_from("words", nobody))


def speed(system: System, data: Pairs) -> float:
    """Return the number of sentences per second that a system corrects, after compilation.

    Args:
        system: the system to measure.
        data: the sentences.
    """
    sources = [pair.source for pair in data]
    began = time.perf_counter()
    system(sources)
    return len(sources) / (time.perf_counter() - began)


def chance(runs: Sequence[Run], reference_runs: Sequence[Run]) -> float:
    """Return p of the difference in F0.5 between two systems, over the runs of both.

    Args:
        runs: runs of one system.
        reference_runs: runs of the other system.
    """
    shared = min(len(runs), len(reference_runs))
    a, b = (aggregate([run.edits for run in some[:shared]]) for some in (runs, reference_runs))
    return compare(a, b).differences[0].p


def row(name: str, runs: Sequence[Run], reference_runs: Sequence[Run] | None) -> str:
    """Format a row of a table: means over the runs of a system.

    Args:
        name: name of the system.
        runs: runs of the system.
        reference_runs: runs of the system to compare with for p; None for no p.
    """
    figures: Any = aggregate([run.edits for run in runs]).figures
    correction_figures: CorrectionFigures = figures
    ratios = (
        correction_figures.precision,
        correction_figures.recall,
        correction_figures.f05,
    )
    cells = [name, *(f"{x:.4f}" for x in ratios), f"{correction_figures.average_edit_distance:.4f}"]
    cells += [
        f"{correction_figures.harm:.2f}",
        f"{correction_figures.proposed / len(runs):.0f}",
    ]
    cells.append("" if reference_runs is None else f"{chance(runs, reference_runs):.4f}")
    bare = sum(run.bare.statistics.score for run in runs) / len(runs)
    return " | ".join([*cells, f"{bare:.4f}"])


def by_error(comparisons: Sequence[Result], most: int) -> list[str]:
    """Format how often each system makes the right edit and a wrong one, for frequent errors.

    Args:
        comparisons: results of all systems.
        most: number of errors to list.
    """
    figures: list[Any] = [comparison.figures for comparison in comparisons]
    correction_figures: list[CorrectionFigures] = figures
    needed_edits, proposed = Counter[str](), Counter[str]()
    for error, score in (
        item for of_system in correction_figures for item in of_system.errors.items()
    ):
        # Systems may be scored against different references.
        needed_edits[error] = max(needed_edits[error], score.needed)
        proposed[error] = max(proposed[error], score.proposed)
    errors = sorted(
        needed_edits, key=lambda error: (-needed_edits[error], -proposed[error], error)
    )[:most]
    lines: list[str] = []
    for error in errors:
        scores = [of_system.errors.get(error) for of_system in correction_figures]
        cells = [f"{s.correct}, {s.proposed - s.correct}" if s else "0, 0" for s in scores]
        lines.append(" | ".join([f"`{error}`", str(needed_edits[error]), *cells]))
    return lines


def table(systems: Runs, against: str, errors: int) -> None:
    """Print a row for each system, a row for each error, and the F0.5 of each run.

    Args:
        systems: runs of the systems.
        against: the system that the others are compared with for p.
        errors: number of kinds of errors to list.
    """
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for name, runs in systems.items():
        reference_runs = systems[against] if against in systems and name != against else None
        print(f"| {row(name, runs, reference_runs)} |")
    print(f"\n| error | times | {' | '.join(systems)} |\n|{' --- |' * (len(systems) + 2)}")
    for line in by_error([runs[0].edits for runs in systems.values()], errors):
        print(f"| {line} |")
    print()
    for name, runs in systems.items():
        scores = ", ".join(f"{run.edits.statistics.score:.4f}" for run in runs)
        print(f"{name}: F0.5 of each run {scores}")
