"""The table of channels and settings, made from the committed result file.

python experiments/tables.py [RESULTS/perplexity.json]
"""

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paper import PERPLEXITY

from semipunct.training.config import load_config

CHANNELS = ("none", "l2r", "r2l")


def main() -> None:
    """Print the table of conditional perplexities."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "results" / "perplexity.json"
    parser.add_argument("results", nargs="?", type=Path, default=default)
    rows = json.loads(parser.parse_args().results.read_text("utf-8"))
    print("| treebank | settings | no channel | left to right | right to left | paper, test |")
    print("| --- | --- | --- | --- | --- | --- |")
    groups = list(dict.fromkeys((r["name"], tuple(r["set"])) for r in rows))
    for name, settings in sorted(groups, key=lambda g: (g[0] not in ("en", "zh"), g)):
        mine = [r for r in rows if (r["name"], tuple(r["set"])) == (name, settings)]
        cells = [cell([r for r in mine if r["channel"] == channel]) for channel in CHANNELS]
        paper = " / ".join(
            f"{PERPLEXITY[name, c]:.4f} ({c})" for c in CHANNELS if (name, c) in PERPLEXITY
        )
        said = ", ".join(map(say, settings_that_matter(settings))) or "default"
        print(f"| {name} | {said} | {' | '.join(cells)} | {paper or 'not comparable'} |")


def settings_that_matter(settings: Sequence[str]) -> list[str]:
    """Those that are not the default's, and not how often a training was looked at."""
    default, looks = load_config(None, []), "train.evaluate_every="
    return [s for s in settings if not s.startswith(looks) and load_config(None, [s]) != default]


def say(setting: str) -> str:
    """A setting as it is given; of templates those that differ from the default's."""
    name, _, value = setting.partition("=")
    if name != "model.templates":
        return f"`{setting}`"
    default, given = load_config(None, []).model.templates, value.split(",")
    without = [f"`{t}`" for t in default if t not in given]
    more = [f"`{t}`" for t in given if t not in default]
    parts = [("without", without), ("with", more)]
    return "templates " + " and ".join(f"{word} {' '.join(some)}" for word, some in parts if some)


def cell(rows: list[dict[str, Any]]) -> str:
    """Mean over seeds, with the range where there is more than one."""
    values = [r["perplexity"] for r in rows]
    if not values or None in values:
        return "infinite" if values else ""
    mean = f"{statistics.mean(values):.4f}"
    if len(values) == 1:
        return mean
    return f"{mean} ({min(values):.4f} to {max(values):.4f}, {len(values)} seeds)"


if __name__ == "__main__":
    main()
