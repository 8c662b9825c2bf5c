"""The table of channels and settings, from the committed result file.

    python experiments/tables.py [RESULTS/perplexity.json]

Runs that differ in their seeds alone share a row. It also shows the increase in perplexity over the
default after training of the same length, over the seeds of both.
"""

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from semipunct.training.config import load_config

LENGTH = ("train.visits=", "train.batch_size=")
LOOKS = "train.evaluate_every="
TEMPLATES = "model.templates="


class Kind(NamedTuple):
    """The treebank and the settings of runs that differ in their seeds alone.

    Attributes:
        name: name of the treebank.
        length: settings for the length of training.
        changes: other settings that differ from the default.
    """

    name: str
    length: tuple[str, ...]
    changes: tuple[str, ...]


Perplexities = dict[Kind, dict[int, float | None]]
"""Perplexities of each kind by seed; None if infinite."""


def main() -> None:
    """Print the table of conditional perplexities."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "results" / "perplexity.json"
    parser.add_argument("results", nargs="?", type=Path, default=default)
    runs: Perplexities = defaultdict(dict)
    for row in json.loads(parser.parse_args().results.read_text("utf-8")):
        runs[kind(row)][row["seed"]] = row["perplexity"]
    print("| treebank | settings | seeds | perplexity | more than the default |")
    print("| --- | --- | --- | --- | --- |")
    for k, seeds in sorted(runs.items(), key=place):
        changes = ", ".join(map(say, (*k.length, *k.changes))) or "default"
        base = runs.get(k._replace(changes=()), {}) if k.changes else {}
        print(
            f"| {k.name} | {changes} | {len(seeds)} | {cell(seeds)} | {difference(seeds, base)} |"
        )


def kind(row: dict[str, Any]) -> Kind:
    """Return the kind of a run."""
    default = load_config(None, [])
    settings = [
        s
        for s in (f"model.channel={row['channel']}", *row["set"])
        if not s.startswith(LOOKS) and load_config(None, [s]) != default
    ]
    length = tuple(s for s in settings if s.startswith(LENGTH))
    return Kind(row["name"], length, tuple(s for s in settings if s not in length))


def place(item: tuple[Kind, object]) -> tuple[object, ...]:
    """Return the key that sorts the paper's treebanks first, and few changes before many."""
    k, _ = item
    return k.name not in ("en", "zh"), k.name, k.length, len(k.changes), k.changes


def say(setting: str) -> str:
    """Format a setting; for templates, only the difference from the default."""
    if not setting.startswith(TEMPLATES):
        return f"`{setting}`"
    default, chosen = load_config(None, []).model.templates, setting[len(TEMPLATES) :].split(",")
    without = [f"`{t}`" for t in default if t not in chosen]
    more = [f"`{t}`" for t in chosen if t not in default]
    parts = [("without", without), ("with", more)]
    return "templates " + " and ".join(f"{word} {' '.join(some)}" for word, some in parts if some)


def cell(seeds: dict[int, float | None]) -> str:
    """Format the mean over seeds, with the range if there is more than one."""
    values = [p for p in seeds.values() if p is not None]
    if len(values) < len(seeds):
        return "infinite"
    mean = f"{statistics.mean(values):.4f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.4f} to {max(values):.4f})"


def difference(seeds: dict[int, float | None], base: dict[int, float | None]) -> str:
    """Format the increase in perplexity over the default.

    Args:
        seeds: perplexities by seed.
        base: perplexities of the default; the mean is over the seeds of both.
    """
    increases = [
        p - q for seed, p in seeds.items() if p is not None and (q := base.get(seed)) is not None
    ]
    return f"{statistics.mean(increases):+.4f}" if increases else ""


if __name__ == "__main__":
    main()
