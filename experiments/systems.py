"""The model, its competitors and the paper's results: Table 3 and Figure 4.

    python experiments/systems.py [--results FOLDER] [--ours SYSTEM] [--plot FILE]

Reads the results of ``competitors.py``. Each row is the mean over the seeds of a system; ``p`` is
that of the paired permutation test of ``semipunct compare`` between it and ``--ours``, over the
seeds of both.
"""

import argparse
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from paper import EDIT_DISTANCE, PERPLEXITY

from semipunct.cli.pictures import painter
from semipunct.evaluation.aggregation import aggregate
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.results import Result, read_result

SYSTEMS = ("trivial", "attention", "crf", "none", "l2r", "r2l")

PAPER = {"perplexity": PERPLEXITY, "restoration": EDIT_DISTANCE}
"""The results in the paper, by task."""

Stored = dict[tuple[str, str], dict[int, dict[str, Result]]]
"""Results by treebank and system, then by seed, then by task."""


def main() -> None:
    """Plot the bars, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "results" / "competitors"
    parser.add_argument("--results", type=Path, default=default, help="a folder")
    parser.add_argument("--ours", default="r2l", choices=SYSTEMS, help="reference system for p")
    parser.add_argument("--plot", help="plot bars to this .svg, .png or .pdf")
    arguments = parser.parse_args()
    stored = read(arguments.results)
    if arguments.plot:
        paint = painter(arguments.plot, 2.6 * len(treebanks(stored)), 5)
        Path(arguments.plot).write_bytes(paint(lambda figure: draw(figure, stored)))
    print("| treebank | system | seeds | perplexity | paper | p | edits per slot | paper | p |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, system), seeds in sorted(stored.items(), key=place):
        reference = stored.get((name, arguments.ours), {}) if system != arguments.ours else {}
        cells = [name, system, str(len(seeds))]
        for task, figures in PAPER.items():
            values = [results_of_seed[task].statistics.score for results_of_seed in seeds.values()]
            paper = figures.get((name, system))
            cells += [f"{statistics.mean(values):.4f}", "" if paper is None else f"{paper:g}"]
            cells.append(chance(seeds, reference, task))
        print(f"| {' | '.join(cells)} |")


def read(folder: Path) -> Stored:
    """Read all results of a folder, by treebank, system and seed."""
    stored: Stored = defaultdict(lambda: defaultdict(dict))
    for path in sorted(folder.glob("*.json.gz")):
        stem, task, *_ = path.name.split(".")
        name, system, seed = stem.rsplit("-", 2)
        stored[name, system][int(seed)][task] = read_result(path)
    return stored


def treebanks(stored: Stored) -> list[str]:
    """Return the names of treebanks, starting with the two of the paper."""
    return sorted({name for name, _ in stored}, key=papers_first)


def papers_first(name: str) -> tuple[bool, str]:
    """Return the key that sorts the paper's treebanks first."""
    return name not in ("en", "zh"), name


def place(item: tuple[tuple[str, str], object]) -> tuple[tuple[bool, str], int]:
    """Return a sort key: the order of ``treebanks``, then of systems in the paper's Table 3."""
    (name, system), _ = item
    return papers_first(name), SYSTEMS.index(system)


def chance(
    seeds: dict[int, dict[str, Result]], reference: dict[int, dict[str, Result]], task: str
) -> str:
    """Return p of the difference between two systems, over the seeds of both.

    Args:
        seeds: results of one system by seed and task.
        reference: results of the other system.
        task: perplexity or restoration.
    """
    shared = sorted(seeds.keys() & reference.keys())
    if not shared:
        return ""
    sides = (aggregate([side[seed][task] for seed in shared]) for side in (seeds, reference))
    p = compare(*sides).differences[0].p
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def draw(figure: Any, stored: Stored) -> None:
    """Plot bars of both measures for each treebank, with those of the paper as outlines.

    Args:
        figure: an empty figure of matplotlib.
        stored: the stored results.
    """
    names = treebanks(stored)
    axes = figure.subplots(len(PAPER), len(names), squeeze=False)
    for row, (task, figures) in zip(axes, PAPER.items(), strict=True):
        for axis, name in zip(row, names, strict=True):
            systems = [s for s in SYSTEMS if (name, s) in stored]
            values = [
                statistics.mean(r[task].statistics.score for r in stored[name, s].values())
                for s in systems
            ]
            paper = [figures.get((name, s), 0.0) for s in systems]
            axis.bar(systems, values, color="0.6", label="development")
            axis.bar(systems, paper, fill=False, linestyle=":", label="paper, test")
            axis.tick_params("x", rotation=60)
            axis.set_title(f"{name}: {'edits' if task == 'restoration' else task} per slot", size=9)
            if task == "perplexity":
                axis.set_ylim(bottom=1.0)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)


if __name__ == "__main__":
    main()
