"""The table of channels and settings, made from the committed result file.

python experiments/tables.py [RESULTS/perplexity.json]
"""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from paper import PERPLEXITY

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
        said = ", ".join(s for s in settings if "evaluate_every" not in s) or "default"
        print(f"| {name} | {said} | {' | '.join(cells)} | {paper or 'not comparable'} |")


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
