"""Comma restoration: the models and Figure 4 of Shieber and Tao (2003), and further models.

    python experiments/commas.py --train TRAIN.mrg --dev DEV.mrg --models FOLDER [--output PATH]

The table states whether trees are from the treebank or from our phrase-structure parser, jackknifed
for training (``--folds``). The count below which words are rare maximises the F of model 10 on the
last tenth of the training sentences.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.figures import report
from comma_systems import BEYOND, SYSTEMS, Commas, Phrased, System, Trees, only_commas, restored
from models import trained

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.evaluation import Result
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import write_result
from semipunct.papers.commas.model import CommaModel
from semipunct.papers.commas.ngrams import MARK, has_comma
from semipunct.papers.commas.restorer import CommaRestorer
from semipunct.papers.commas.task import commas_signature
from semipunct.papers.commas.trees import constituent_counts
from semipunct.pipelines.options import RestoreOptions
from semipunct.training.config import load_config

BOUNDS = (2, 5, 10, 20, 30, 50)
"""Candidates for the count below which words are rare."""


REFERENCE = "10"
"""The model that the others are compared with."""

CURVED = ("1", "3", "4", "5", "6", "7", "8", "10", "crf")
"""Models of the learning curve. The parsers behind 5, 6 and 7 are trained on all sentences."""


def main() -> None:
    """Train missing models, restore, compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--dev", nargs="+", required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of models")
    parser.add_argument("--folds", type=int, default=3, help="folds of jackknifing")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="systems of the table")
    parser.add_argument("--curve", action="store_true", help="learning curves of the models")
    parser.add_argument("--output", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    enable_compilation_cache()
    trees = Trees(arguments)
    figures: dict[str, Any] = {
        "figure 4": (chart := starts_and_ends(trees.of("training", "treebank")))
    }
    print_chart(chart)
    bound = chosen_bound(trees.of("training", "treebank"), arguments.models)
    figures["minimum_word_count"] = bound
    print(
        f"\nwords that occur less than {bound['chosen']} times are rare; F by count: {bound['f']}\n"
    )
    if arguments.curve:
        figures["curve"] = curve(trees, arguments.models, bound["chosen"])
    by_name = {
        name: outcome
        for name, outcome in results_of(trees, arguments, bound["chosen"])
        if outcome is not None
    }
    figures["f1 of parsers"] = trees.f1
    figures["systems"] = table(by_name)
    report("ptb", figures, arguments.output)


def results_of(trees: Trees, arguments: argparse.Namespace, bound: int) -> Any:
    """Yield the names of systems and their results, which are stored beside their models."""
    dev = trees.of("dev", "treebank")
    for system in (*SYSTEMS, *BEYOND):
        if arguments.only and system.name not in arguments.only:
            continue
        folder = arguments.models / system.name.replace(" ", "-").replace(",", "")
        if isinstance(system, System):
            commas, digest = restored(system, trees, folder, bound)
        else:
            commas, digest = system.restored(arguments, dev, folder)
        comparison = scored(system.name, dev, commas, digest)
        write_result(str(folder) + ".json", comparison)
        yield system.name, comparison


def scored(name: str, dev: Phrased, commas: Commas, digest: str) -> Result[Any]:
    """Compare restored commas with the treebank's."""
    gold = [tuple(map(only_commas, s.slots)) for s in dev]
    predicted = [tuple((MARK,) if c else () for c in of_sentence) for of_sentence in commas]
    statistics = restoration_statistics(gold, predicted)
    options = RestoreOptions(minimise="draws")
    return Result(name, commas_signature(digest, dev, options), statistics)


def table(by_name: dict[str, Result[Any]]) -> list[dict[str, Any]]:
    """Print the figures of systems, and p of their difference from the reference."""
    system_of = {system.name: system for system in (*SYSTEMS, *BEYOND)}
    print("| model | | trees | P | R | F | slots | sentences | p (F) | paper: F, sentences |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows: list[dict[str, Any]] = []
    for name, outcome in by_name.items():
        figures = outcome.statistics.figures()
        score, system = figures.micro, system_of[name]
        p = None
        if REFERENCE in by_name and name != REFERENCE:
            differences = compare(outcome, by_name[REFERENCE]).differences
            p = next(d.p for d in differences if d.measure == "micro_f1")
        row: dict[str, Any] = {
            "model": name,
            "about": system.about,
            "trees": f"{system.training}/{system.dev}"
            if isinstance(system, System)
            else "treebank",
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "slots": figures.slot_accuracy,
            "sentences": figures.sentence_accuracy,
            "p": p,
        }
        rows.append(row)
        paper = getattr(system, "paper", None) or ()
        paper_figures = ", ".join("" if x is None else f"{x:.1f}" for x in paper)
        shares = " | ".join(
            f"{100 * row[key]:.1f}" for key in ("precision", "recall", "f1", "slots", "sentences")
        )
        print(
            f"| {name} | {row['about']} | {row['trees']} | {shares} | "
            f"{'' if p is None else format(p, '.4f')} | {paper_figures} |"
        )
    for better, worse in PAIRS:
        if {better, worse} <= by_name.keys():
            differences = {
                d.measure: d for d in compare(by_name[better], by_name[worse]).differences
            }
            f, precision = differences["micro_f1"], differences["micro_precision"]
            print(
                f"{worse} to {better}: F {100 * f.difference:+.1f} (p = {f.p:.4f}), precision "
                f"{100 * precision.difference:+.1f} (p = {precision.p:.4f})"
            )
    return rows


PAIRS = (("5", "6"), ("7", "5"), ("3", "7"), ("3", "1"), ("8", "3"), ("10", "8"), ("3", "4"),
         ("9", "5"), ("10", "9"), ("crf", "10"), ("crf, parsed", "9"))  # fmt: skip
"""Pairs of models that the paper orders, the better one first, and pairs beyond the paper."""


def chosen_bound(training: Phrased, models: Path) -> dict[str, Any]:
    """Choose the count below which words are rare, by the F of model 10 on held-out training."""
    cut = len(training) * 9 // 10
    f1_of_bound: dict[int, float] = {}
    for bound in BOUNDS:
        settings = ["preset=model-10", f"model.minimum_word_count={bound}"]
        config = load_config(None, settings, kind="commas")
        folder = models / f"bound-{bound}"
        model = trained(config, training[:cut], training[cut:], folder, CommaModel)
        f1_of_bound[bound] = model.figures["dev_f1"]
    return {"chosen": max(f1_of_bound, key=lambda bound: f1_of_bound[bound]), "f": f1_of_bound}


def curve(trees: Trees, models: Path, bound: int) -> list[dict[str, Any]]:
    """Print the F of models trained on parts of the sentences."""
    rows: list[dict[str, Any]] = []
    for share in (0.125, 0.25, 0.5, 1.0):
        for system in SYSTEMS:
            if system.name not in CURVED:
                continue
            training = trees.of("training", system.training)
            part = training[: round(len(training) * share)]
            config = load_config(
                None, [*system.settings, f"model.minimum_word_count={bound}"], kind="commas"
            )
            folder = models / f"curve-{system.name}-{share}"
            dev = trees.of("dev", system.dev)
            model = trained(config, part, dev, folder, CommaModel)
            commas = CommaRestorer(model.model, model.parameters).commas(dev)
            predicted = [tuple(prediction.best[0].tolist()) for prediction in commas]
            f = scored(system.name, dev, predicted, model.digest).statistics.figures().micro.f1
            rows.append({"model": system.name, "sentences": len(part), "f1": f})
            print(f"{len(part):>6} sentences, model {system.name}: F {100 * f:.1f}", flush=True)
    return rows


def starts_and_ends(sentences: Phrased) -> dict[str, dict[str, list[float]]]:
    """Compute Figure 4: the percentage of slots by start and end count, with and without commas."""
    counts: dict[tuple[str, str], Counter[int]] = {}
    for s in sentences:
        commas = has_comma(s)
        for name, of_slot in zip(("starts", "ends"), constituent_counts(s.tree), strict=True):
            for slot in range(1, s.size):
                kind = "with" if commas[slot] else "without"
                counts.setdefault((name, kind), Counter())[of_slot[slot]] += 1
    return {
        name: {
            kind: [
                100 * counts[name, kind][n] / counts[name, kind].total()
                for n in range(max(counts[name, kind]) + 1)
            ]
            for kind in ("with", "without")
        }
        for name in ("starts", "ends")
    }


def print_chart(chart: dict[str, dict[str, list[float]]]) -> None:
    """Print Figure 4 as a table."""
    print("| count | starts, comma | starts, none | ends, comma | ends, none |")
    print("| --- | --- | --- | --- | --- |")
    columns = [chart[name][kind] for name in ("starts", "ends") for kind in ("with", "without")]
    for count in range(1, 11):
        cells = (f"{column[count]:.1f}" if count < len(column) else "" for column in columns)
        print(f"| {count} | {' | '.join(cells)} |")


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
