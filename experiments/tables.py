"""Tables of systems: the rows that drivers store, and the stored rows as Markdown.

    python experiments/tables.py experiments/results/competitors.json

A result file has an object for each run of a driver: command, commit and figures.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from semipunct.evaluation.comparison import aggregate, compare
from semipunct.evaluation.results import Result, read_result, write_result

Row = dict[str, Any]
Runs = Mapping[int, Result[Any]]
"""The results of a system by the seed of its training."""

UNPRINTED = ("signature", "scores", "of each seed")


def main() -> None:
    """Print the tables of result files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", nargs="+", type=Path)
    for path in parser.parse_args().results:
        for title, rows in tables(json.loads(path.read_text("utf-8")), path.stem):
            print(f"{title}\n\n{markdown(rows)}\n")


def tables(value: Any, title: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield each list of rows in a result file, with the path of names to it."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from tables(part, f"{title}, {name}")
    elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        yield title, value


def markdown(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table, without signatures and figures of single runs."""
    names = dict.fromkeys(n for row in rows for n in row if n not in UNPRINTED)
    lines = [[*names], ["---"] * len(names)]
    lines += [[cell(name, row.get(name)) for name in names] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(name: str, value: Any) -> str:
    """Return a value as text: p with three digits, other ratios with four."""
    if value is None:
        return ""
    if isinstance(value, float):
        if name.split(" ")[0] == "p":
            return "< 0.001" if value < 0.001 else f"{value:.3f}"
        return f"{value:.4f}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def compared(
    systems: Mapping[str, Runs],
    reference: str,
    figures: Callable[[Result[Any]], Row] = lambda _: {},
) -> list[Row]:
    """Return a row for each system: its scores, and p of its difference from the reference."""
    rows: list[Row] = []
    for name, runs in systems.items():
        whole = aggregate([runs[seed] for seed in sorted(runs)])
        scores = [runs[seed].statistics.score for seed in sorted(runs)]
        row = {"system": name, "seeds": sorted(runs), "score": statistics.mean(scores)}
        row |= {"scores": scores, **figures(whole)}
        if name != reference and reference in systems:
            row["p"] = chance(runs, systems[reference])
        rows.append(row | {"signature": whole.signature})
    return rows


def chance(runs: Runs, others: Runs, measure: str | None = None) -> float | None:
    """Return p of the difference between two systems over shared seeds; None without any."""
    shared = sorted(runs.keys() & others.keys())
    if not shared:
        return None
    a, b = (aggregate([side[seed] for seed in shared]) for side in (runs, others))
    differences = compare(a, b).differences
    return next(d.p for d in differences if measure in (None, d.measure))


def stored(path: Path, make: Callable[[], Result[Any]]) -> Result[Any]:
    """Return the result in a file, created first if it is missing."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_result(path, make())
    return read_result(path)


if __name__ == "__main__":
    main()
