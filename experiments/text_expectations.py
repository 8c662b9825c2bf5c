"""The template ``expected`` with a text model's predictions instead of those of a parser.

    python experiments/text_expectations.py TRAIN.conllu DEV.conllu --parser PARSER --text TEXTMODEL
        --model FOLDER [--visits N] [--output JSON]

A punctuation model of the preset ``parsed`` is trained on the trees of the treebank, with the text
model's most probable mark of each slot, and its probability, as ``Expected``; the text model must
not have been trained on the treebank, so nothing is jackknifed. The development sentences are
restored from their words, with trees of the parser and expectations of the text model. Rows: the
punctuation model alone, and its mean with the distributions of the parser, of the text model, and
of both.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from text_and_trees import Views, figures, show

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.corpus.sentences import Expected
from semipunct.formats import read_treebank
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.running_text.model import TextModel
from semipunct.store.checkpoint import load
from semipunct.tasks.options import RestoreOptions
from semipunct.tasks.parse import parse
from semipunct.tasks.restore import draw_punctuation
from semipunct.tasks.slot_posteriors import SlotPosterior, mean, posteriors
from semipunct.tasks.text_views import text_views
from semipunct.training.config import load_config
from semipunct.training.train import train

WEIGHTS = {
    "alone": (1.0, 0.0, 0.0),
    "and parser": (0.5, 0.5, 0.0),
    "and text": (0.5, 0.0, 0.5),
    "and both": (0.34, 0.33, 0.33),
}
"""The weights of the punctuation model, the parser and the text model in each row."""


def main() -> None:
    """Train, restore and print the figures."""
    arguments = options()
    enable_compilation_cache()
    text = load(arguments.text, TextModel)
    training, dev = (
        list(read_treebank([path]).sentences) for path in (arguments.train, arguments.dev)
    )
    views = {"dev": text_views(text, dev, RestoreOptions())}
    if not (arguments.model / "manifest.json").exists():
        views["train"] = text_views(text, training, RestoreOptions())
        settings = ["preset=parsed"]
        if arguments.visits is not None:
            settings.append(f"train.visits={arguments.visits}")
        train(
            [with_expected(*pair) for pair in zip(training, views["train"], strict=True)],
            [with_expected(*pair) for pair in zip(dev, views["dev"], strict=True)],
            arguments.model,
            config=load_config(None, settings, kind="punctuation"),
        )
    model, parser = load(arguments.model, PunctuationModel), load(arguments.parser, Parser)
    parses = parse(parser, dev, slots=True)
    parsed = [with_expected(p.sentence, v) for p, v in zip(parses, views["dev"], strict=True)]
    of_trees = [posteriors(draws) for draws in draw_punctuation(model, parsed, RestoreOptions())]
    of_parser: Views = [p.slots for p in parses]
    rows: dict[str, Any] = {}
    for name, weights in WEIGHTS.items():
        pooled = [
            tuple(mean(slot, weights) for slot in zip(*of, strict=True))
            for of in zip(of_trees, of_parser, views["dev"], strict=True)
        ]
        rows[name] = figures(dev, pooled, None)
        show(name, rows[name])
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def with_expected(sentence: Sentence, view: Sequence[SlotPosterior]) -> Sentence:
    """Return a sentence with the predictions of a text model.

    Args:
        sentence: from a treebank, whose heads count as certain, or from a parser.
        view: the distribution of each slot.
    """
    strings = [next((s for s in of_slot.strings if s), ()) for of_slot in view]
    heads = (1.0,) * len(sentence.forms)
    if sentence.expected is not None:
        heads = sentence.expected.heads
    probabilities = [of.of(s) if s else 0.0 for of, s in zip(view, strings, strict=True)]
    return replace(sentence, expected=Expected(heads, tuple(strings), tuple(probabilities)))


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    for name in ("parser", "text", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--visits", type=int, help="of training; by default as the preset says")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
