"""Parameter recovery: whether training finds the channel that generated a treebank.

    python experiments/recovery.py [--output PATH]

A treebank is sampled from planted parameters, and a model is fitted to its surface punctuation
alone. The learned edit probabilities of the most frequent windows (adjacent underlying tokens,
counted as the channel processed them) are compared with the planted ones. The target is an error of
at most 0.05.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from semipunct.marks import EDITS
from semipunct.models.punctuation.channel import log_edits
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.training.config import load_config
from semipunct.training.report import Progress
from semipunct.training.train import train
from tests.synthetic import (
    GeneratorParameters,
    SyntheticSentence,
    english_parameters,
    generate,
)

BAR = 0.05

TEMPLATES = "model.templates=N,W,A,C,L,R,S,c"
"""Appendix A. Generated words are independent of punctuation: features of words would fit noise."""


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--sentences", type=int, default=5000)
    add("--direction", choices=("r2l", "l2r"), default="r2l")
    add("--windows", type=int, default=10, help="number of most frequent windows")
    add("--seed", type=int, default=0, help="random seed of the treebank")
    add("--set", nargs="*", default=[], metavar="KEY=VALUE", help="settings of the training")
    add("--output", type=Path, help="also write the figures to this JSON file")
    return parser.parse_args()


def show(progress: Progress) -> None:
    """Print the evaluations of a training run."""
    if progress.phase == "saving" and progress.figure is not None:
        print(
            f"{progress.visits:7} visits: development perplexity {progress.figure:.5f}, "
            f"{progress.seconds:.0f} s",
            flush=True,
        )


def compare(
    model: PunctuationModel,
    parameters: Mapping[str, Any],
    planted: GeneratorParameters,
    drawn: Sequence[SyntheticSentence],
    windows: int,
) -> list[dict[str, Any]]:
    """Return planted, sampled and learned probabilities of edits in the most frequent windows.

    Args:
        model: the trained model.
        parameters: its weights.
        planted: parameters of the generator.
        drawn: sentences sampled from it.
        windows: number of most frequent windows.
    """
    edits = log_edits(parameters, 0, model.inventory.symbols, model.options)
    learned = {name: np.exp(getattr(edits, name)) for name in EDITS}
    number = {symbol: i for i, symbol in enumerate(model.inventory.symbols)}
    met: dict[tuple[str, str], Counter[str]] = {}
    for item in drawn:
        for slot in item.edits:
            for edit in slot:
                met.setdefault((edit.a, edit.b), Counter())[edit.name] += 1
    # A rare token is UNK in the model, which therefore lacks its windows.
    represented = {w: c for w, c in met.items() if w[0] in number and w[1] in number}
    frequent = sorted(represented, key=lambda w: (-represented[w].total(), w))[:windows]
    rows: list[dict[str, Any]] = []
    for a, b in frequent:
        truth = planted.edits.get((a, b), {"keep": 1.0})
        counts = met[a, b]
        row: dict[str, Any] = {"window": [a, b], "count": counts.total()}
        for name in EDITS:
            row[name] = {
                "planted": truth.get(name, 0.0),
                "drawn": counts[name] / counts.total(),
                "learned": float(learned[name][number[a], number[b]]),
            }
        row["error"] = max(abs(row[n]["learned"] - row[n]["planted"]) for n in EDITS)
        # The error without the sampling error.
        row["error_from_drawn"] = max(abs(row[n]["learned"] - row[n]["drawn"]) for n in EDITS)
        rows.append(row)
    return rows


def main() -> None:
    """Generate, train, compare, print and write."""
    options = arguments()
    planted = replace(english_parameters(), direction=options.direction)
    drawn = list(generate(planted, options.sentences, options.seed))
    sentences = [item.sentence for item in drawn]
    development = [item.sentence for item in generate(planted, 300, options.seed + 1)]
    settings = [f"model.channel={options.direction}", TEMPLATES, *options.set]
    config = load_config(None, settings)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "model"
        trained = train(sentences, development, output, config=config, report=show)
    model, parameters = trained.model, trained.parameters
    rows = compare(model, parameters, planted, drawn, options.windows)
    worst = max(row["error"] for row in rows)
    print(
        "window    count  planted, drawn and learned probabilities of the edits planted or learned"
    )
    for row in rows:
        shown = [
            f"{name} {row[name]['planted']:.2f} {row[name]['drawn']:.3f} {row[name]['learned']:.3f}"
            for name in EDITS
            if max(row[name]["planted"], row[name]["learned"]) >= 0.01
        ]
        print(f"{' '.join(row['window']):8} {row['count']:6}  {'; '.join(shown)}")
    print(f"largest error {worst:.4f} (bar {BAR}): {'met' if worst <= BAR else 'missed'}")
    if options.output:
        figures = {
            "sentences": options.sentences,
            "seed": options.seed,
            "config": config.to_dict(),
            "visits": trained.visits,
            "largest_error": worst,
            "largest_error_from_drawn": max(row["error_from_drawn"] for row in rows),
            "bar": BAR,
            "windows": rows,
        }
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(
            json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
