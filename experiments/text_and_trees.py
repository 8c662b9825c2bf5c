"""Marks restored from words alone by a text model, by a punctuation model with trees, and by both.

python experiments/text_and_trees.py DEV.conllu --model PUNCTUATION --parser PARSER
    --text TEXTMODEL... [--output JSON]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.figures import report
from text_marks import BINS

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.formats import read_treebank
from semipunct.marks.spacing import BY_TYPOGRAPHY
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.draws import Draws
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.pipelines.choice import Standing, chosen_strings
from semipunct.pipelines.distributions import SlotPosterior, mean, posteriors
from semipunct.pipelines.options import RestoreOptions
from semipunct.pipelines.parses import parse
from semipunct.pipelines.text_restoration import restore_running_text, text_views
from semipunct.pipelines.tree_restoration import TEXT, default_share, draw_punctuation
from semipunct.store.checkpoint import load

Views = list[tuple[SlotPosterior, ...]]
Row = dict[str, float]


def main() -> None:
    """Measure each system on the words of a treebank, with its sentence boundaries."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", required=True, type=Path, help="a punctuation model")
    parser.add_argument("--parser", required=True, type=Path)
    parser.add_argument("--text", required=True, nargs="+", type=Path, help="text models")
    parser.add_argument("--output", type=Path, help="file of the table")
    arguments = parser.parse_args()
    enable_compilation_cache()
    sentences = list(read_treebank([arguments.file]).sentences)
    of_trees, of_parser = views_with_trees(arguments, sentences)
    rows: dict[str, Any] = {}

    def add(name: str, row: Row) -> None:
        rows[name] = row
        show(name, row)

    share = default_share(load(arguments.model, PunctuationModel).model)
    usual = [
        tuple(mean(pair, (1 - share, share)) for pair in zip(*views, strict=True))
        for views in zip(of_trees, of_parser, strict=True)
    ]
    add("trees", figures(sentences, usual, None))
    for path in arguments.text:
        text_model = load(path, TextModel)
        views = text_views(text_model, sentences, RestoreOptions())
        threshold = float(text_model.parameters[THRESHOLD])
        pooled = [
            tuple(mean(slot, (1 - TEXT, TEXT / 2, TEXT / 2)) for slot in zip(*of, strict=True))
            for of in zip(of_trees, of_parser, views, strict=True)
        ]
        for objective in ("edits", "f1"):
            alone = restore_running_text(
                text_model, sentences, lines="sentence", objective=objective
            )
            slots, alone_views = (
                [restoration.slots for restoration in alone],
                [restoration.posteriors for restoration in alone],
            )
            add(
                f"{path.name}, sentences alone, {objective}",
                measured(sentences, slots, alone_views),
            )
            least = threshold if objective == "f1" else None
            add(f"{path.name}, {objective}", figures(sentences, views, least))
            add(f"{path.name} and trees, {objective}", figures(sentences, pooled, least))
    report("en", rows, arguments.output)


def views_with_trees(
    arguments: argparse.Namespace, sentences: Sequence[Sentence]
) -> tuple[Views, Views]:
    """Return the distributions of slots of the punctuation model and of the parser."""
    model = load(arguments.model, PunctuationModel)
    parser = load(arguments.parser, Parser)
    parses = parse(parser, sentences, slots=True)
    draws = draw_punctuation(
        model, [parse_of_sentence.sentence for parse_of_sentence in parses], RestoreOptions()
    )
    return [posteriors(draws_of_sentence) for draws_of_sentence in draws], [
        parse_of_sentence.slots for parse_of_sentence in parses
    ]


def figures(sentences: Sequence[Sentence], views: Views, threshold: float | None) -> Row:
    """Return the figures of the best decisions, with a threshold for a high F1."""
    none, plain = Draws((), np.zeros((0, 0), np.int64)), RestoreOptions()
    slots = [
        chosen_strings(Standing(s, "replace", BY_TYPOGRAPHY, True), none, view, plain, threshold)
        for s, view in zip(sentences, views, strict=True)
    ]
    return measured(sentences, slots, views)


def measured(sentences: Sequence[Sentence], slots: Sequence[Any], views: Views) -> Row:
    """Compare restored marks with a treebank, and measure the calibration of ``views``."""
    restoration_figures = restoration_statistics([s.slots for s in sentences], slots).figures()
    probability = np.array([1 - posterior.of(()) for view in views for posterior in view])
    marked = np.array([bool(slot) for s in sentences for slot in s.slots], float)
    return {
        "edits per slot": restoration_figures.average_edit_distance,
        "F1": restoration_figures.micro.f1,
        "precision": restoration_figures.micro.precision,
        "recall": restoration_figures.micro.recall,
        "calibration error": calibration_error(probability, marked),
    }


def calibration_error(probability: Any, marked: Any) -> float:
    """Return the expected calibration error of ``[n]`` probabilities of marks."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    gaps = [abs(float((probability - marked)[bins == b].sum())) for b in range(BINS)]
    return sum(gaps) / len(marked)


def show(name: str, row: Row) -> None:
    """Print a row."""
    shown = "  ".join(
        f"{key} {value:.2f}" if value > 1 else f"{key} {value:.4f}" for key, value in row.items()
    )
    print(f"{name:36} {shown}", flush=True)


if __name__ == "__main__":
    main()
