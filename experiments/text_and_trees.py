"""Marks restored from words alone by a text model, by a punctuation model with trees, and by both.

    python experiments/text_and_trees.py split TRAIN.conllu FOLDER
    python experiments/text_and_trees.py weights HELD-OUT.conllu --model PUNCTUATION --parser PARSER
        --text TEXTMODEL
    python experiments/text_and_trees.py treebank DEV.conllu --model PUNCTUATION --parser PARSER
        --text TEXTMODEL... [--output JSON]
    python experiments/text_and_trees.py talks FILE.tsv[.gz] --model PUNCTUATION --parser PARSER
        --text TEXTMODEL... [--last 45000] [--output JSON]

``split`` writes every tenth block of 125 sentences of a treebank to ``held-out.conllu``, and the
others to ``rest.conllu``, on which all models are trained. ``weights`` compares the weights of the
text model in the mean with the punctuation model, and in the normalised product of powers, on the
former. ``treebank`` gives edits per slot and F1 over all marks, as ``semipunct restore --gold``,
with gold sentence boundaries, and ``talks`` F1 as ``spoken_text.py`` does, without. The calibration
error is that of the probability of a mark, as in ``text_marks.py``.
"""

import argparse
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from spoken_text import label, scores, words_and_labels
from text_marks import BINS

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Omitted, Sentence
from semipunct.corpus.located import Located, RawText
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.formats import read_treebank
from semipunct.formats.running_text import line_of_text
from semipunct.inference.draws import Draws
from semipunct.marks.joining import BY_TYPOGRAPHY
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.running_text.model import THRESHOLD, TextModel
from semipunct.store.checkpoint import load
from semipunct.tasks.base import Trained
from semipunct.tasks.choice import Standing, chosen_strings
from semipunct.tasks.options import RestoreOptions
from semipunct.tasks.parse import parse
from semipunct.tasks.restoration import Restoration
from semipunct.tasks.restore import draw_punctuation
from semipunct.tasks.restore_running_text import restore_running_text
from semipunct.tasks.restore_words import TEXT, default_share, restore_words
from semipunct.tasks.segment_running_text import segment_running_text
from semipunct.tasks.slot_posteriors import SlotPosterior, mean, posteriors
from semipunct.tasks.text_views import text_views

BLOCK = 125
"""The sentences of a block of a treebank, of which every tenth one is held out."""

WEIGHTS = (0.5, 0.6, 0.7, 0.8)
FLOOR = 1e-4
"""The probability of strings that a distribution lacks, in a product."""

Views = list[tuple[SlotPosterior, ...]]
Row = dict[str, float]


def main() -> None:
    """Print and write a table."""
    arguments = options()
    enable_compilation_cache()
    figures: dict[str, Any] = arguments.run(arguments)
    if getattr(arguments, "output", None):
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def split(arguments: argparse.Namespace) -> dict[str, Any]:
    """Divide a treebank into the two files."""
    blocks = arguments.file.read_text("utf-8").strip("\n").split("\n\n")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, is_held_out in (("rest", False), ("held-out", True)):
        some = [b for i, b in enumerate(blocks) if (i // BLOCK % 10 == 9) == is_held_out]
        path = arguments.folder / f"{name}.conllu"
        path.write_text("".join(f"{block}\n\n" for block in some), encoding="utf-8")
    return {}


def weights(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure the mean and the product of the two models for each weight."""
    sentences = list(read_treebank([arguments.file]).sentences)
    of_trees, _ = views_with_trees(arguments, sentences)
    rows: dict[str, Any] = {}
    for path in arguments.text:
        text_model = load(path, TextModel)
        views = text_views(text_model, sentences, RestoreOptions())
        threshold = float(text_model.parameters[THRESHOLD])
        for name, pool in (("mean", mean), ("product", product)):
            for weight in WEIGHTS:
                pooled = pooled_views(pool, of_trees, views, weight)
                row = figures(sentences, pooled, None)
                row["F1 for f1"] = figures(sentences, pooled, threshold)["F1"]
                rows[f"{path.name} {name} {weight:g}"] = row
                show(f"{path.name} {name} {weight:g}", row)
    return rows


def treebank(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure each system on the words of a treebank, with its sentence boundaries."""
    sentences = list(read_treebank([arguments.file]).sentences)
    of_trees, of_parser = views_with_trees(arguments, sentences)
    rows: dict[str, Any] = {}

    def add(name: str, row: Row) -> None:
        rows[name] = row
        show(name, row)

    share = default_share(load(arguments.model, PunctuationModel).model)
    usual = pooled_views(mean, of_trees, of_parser, share)
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
    return rows


def talks(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure each system on transcripts of talks."""
    pairs = words_and_labels(arguments.file)[-arguments.last :]
    words = [word for word, _ in pairs]
    gold = [name for _, name in pairs]
    ends = list(accumulate(len(word) + 1 for word in words))
    raw = RawText(" ".join(words), str(arguments.file))
    model, parser = trees_of(arguments)
    rows: dict[str, Any] = {}

    def add(name: str, parts: Sequence[Located], restorations: Sequence[Any]) -> None:
        predicted, probability = labels(parts, restorations, ends)
        row = {key: of["F1"] for key, of in scores(gold, predicted).items()}
        row["calibration error"] = calibration_error(
            probability, np.array([label != "O" for label in gold], float)
        )
        rows[name] = row
        show(name, row)

    whole = line_of_text("#1", raw.path, 1, raw.text)
    for path in arguments.text:
        text_model = load(path, TextModel)
        add(path.name, [whole], restore_running_text(text_model, [whole.content], lines="none"))
        (parts,) = segment_running_text(text_model, [raw], lines="none")
        contents = [part.content for part in parts if not isinstance(part.content, Omitted)]
        restorations = restore_words(model, parser, contents, text_model=text_model)
        add(f"{path.name} and trees", parts, restorations)
    return rows


def views_with_trees(
    arguments: argparse.Namespace, sentences: Sequence[Sentence]
) -> tuple[Views, Views]:
    """Return the distributions of slots of the punctuation model and of the parser.

    Args:
        arguments: the command line, with the models.
        sentences: of which only the words are read.
    """
    model, parser = trees_of(arguments)
    parses = parse(parser, sentences, slots=True)
    draws = draw_punctuation(
        model, [parse_of_sentence.sentence for parse_of_sentence in parses], RestoreOptions()
    )
    return [posteriors(draws_of_sentence) for draws_of_sentence in draws], [
        parse_of_sentence.slots for parse_of_sentence in parses
    ]


def trees_of(arguments: argparse.Namespace) -> tuple[Trained[Any], Trained[Any]]:
    """Load the punctuation model and the parser."""
    return load(arguments.model, PunctuationModel), load(arguments.parser, Parser)


def pooled_views(
    pool: Callable[[Sequence[SlotPosterior], Sequence[float]], SlotPosterior],
    of_trees: Views,
    of_text: Views,
    weight: float,
) -> Views:
    """Combine two distributions of each slot.

    Args:
        pool: combines several distributions, given their weights.
        of_trees: those of the punctuation model.
        of_text: those of the text model.
        weight: that of the text model.
    """
    return [
        tuple(pool(pair, (1 - weight, weight)) for pair in zip(*pair_of_views, strict=True))
        for pair_of_views in zip(of_trees, of_text, strict=True)
    ]


def product(several: Sequence[SlotPosterior], weights: Sequence[float]) -> SlotPosterior:
    """Return the normalised product of powers of distributions (a logarithmic opinion pool).

    Args:
        several: the distributions.
        weights: the exponent of each.
    """
    strings = list(dict.fromkeys(string for posterior in several for string in posterior.strings))
    logs = np.zeros(len(strings))
    for posterior, weight in zip(several, weights, strict=True):
        logs += weight * np.log([max(posterior.of(string), FLOOR) for string in strings])
    share = np.exp(logs - logs.max())
    order = np.argsort(-share, kind="stable").tolist()
    return SlotPosterior(tuple(strings[i] for i in order), share[order] / share.sum())


def figures(sentences: Sequence[Sentence], views: Views, threshold: float | None) -> Row:
    """Return the figures of the best decisions under distributions of slots.

    Args:
        sentences: with their gold marks.
        views: the distributions.
        threshold: for a high F1, the probability from which marks are inserted.
    """
    none, plain = Draws((), np.zeros((0, 0), np.int64)), RestoreOptions()
    slots = [
        chosen_strings(Standing(s, "replace", BY_TYPOGRAPHY, True), none, view, plain, threshold)
        for s, view in zip(sentences, views, strict=True)
    ]
    return measured(sentences, slots, views)


def measured(sentences: Sequence[Sentence], slots: Sequence[Any], views: Views) -> Row:
    """Compare restored marks with those of a treebank.

    Args:
        sentences: with their gold marks.
        slots: the restored marks of each.
        views: the distributions whose calibration is measured.
    """
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


def labels(
    sentences: Sequence[Located], restorations: Sequence[Restoration], ends: Sequence[int]
) -> tuple[list[str], Any]:
    """Return the label of each word of a file, and the probability that it is not O.

    Args:
        sentences: of the text.
        restorations: what was restored to those with words.
        ends: one past the end of each word of the file in the text.
    """
    predicted, probability = ["O"] * len(ends), np.zeros(len(ends))
    remaining = iter(restorations)
    for part in sentences:
        if isinstance(part.content, Omitted):
            continue
        restoration = next(remaining)
        for (start, _), slot, view in zip(
            part.spans, restoration.slots[1:], restoration.posteriors[1:], strict=True
        ):
            # The file has a few words that are several for us, and some that are marks for us.
            word = bisect_right(ends, part.offset + start)
            predicted[word] = label(slot)
            pairs = zip(view.strings, view.probability.tolist(), strict=True)
            probability[word] = sum(p for string, p in pairs if label(string) != "O")
    return predicted, probability


def calibration_error(probability: Any, marked: Any) -> float:
    """Return the expected calibration error of probabilities.

    Args:
        probability: ``[n]`` that there is a mark.
        marked: ``[n]`` 1 where there is one.
    """
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    gaps = [abs(float((probability - marked)[bins == b].sum())) for b in range(BINS)]
    return sum(gaps) / len(marked)


def show(name: str, row: Row) -> None:
    """Print a row.

    Args:
        name: its name.
        row: its figures by name.
    """
    shown = "  ".join(
        f"{key} {value:.2f}" if value > 1 else f"{key} {value:.4f}" for key, value in row.items()
    )
    print(f"{name:36} {shown}", flush=True)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    dividing = commands.add_parser("split", help="hold out a part of a treebank")
    dividing.add_argument("file", type=Path)
    dividing.add_argument("folder", type=Path)
    dividing.set_defaults(run=split)
    for name, run in (("weights", weights), ("treebank", treebank), ("talks", talks)):
        command = commands.add_parser(name, help=(run.__doc__ or "").splitlines()[0])
        command.add_argument("file", type=Path)
        command.add_argument("--model", required=True, type=Path, help="a punctuation model")
        command.add_argument("--parser", required=True, type=Path)
        command.add_argument("--text", required=True, nargs="+", type=Path, help="text models")
        command.add_argument("--output", type=Path, help="JSON file to write")
        command.set_defaults(run=run)
        if run is talks:
            command.add_argument("--last", type=int, default=45_000, help="words measured")
    return parser.parse_args()


if __name__ == "__main__":
    main()
