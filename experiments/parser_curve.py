"""Edits per slot as a function of parsing accuracy: curves in addition to Figure 4.

    python experiments/parser_curve.py --name zh --train TRAIN... --dev DEV... --models FOLDER \
        --parts 0.1 0.2 0.5 [--systems gold parsed] [--seed 0] [--output FILE]

Parsers are trained on parts of the treebank. ``--models`` is the folder of ``parsed_text.py`` with
its parser of the whole treebank and its punctuation models: ``gold``, trained on the treebank's own
trees, and those trained on jackknifed trees, which are robust. Each model restores the development
treebank from its words with the trees and tags of every parser. Only these are used: the parser's
own prediction of slots has no weight.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import report
from models import trained
from parsed_text import OURS
from tables import markdown
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.models.parsing.parser import Parser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.parses import parse
from semipunct.pipelines.pipeline import Pipeline
from semipunct.store.checkpoint import SavedModel, load
from semipunct.training.config import load_config

Row = dict[str, Any]


def main() -> None:
    """Train missing parsers, and print a row for each parser."""
    arguments = options()
    enable_compilation_cache()
    training, dev = sentences(arguments)
    models = arguments.models / arguments.name
    systems = {
        name: load(models / f"{name}-{arguments.seed}", PunctuationModel)
        for name in arguments.systems
    }
    config = load_config(None, arguments.set, {}, "parser")
    rows: list[Row] = []
    for part in sorted({*arguments.parts, 1.0}):
        some = spread(training, part)
        place = models / ("parser" if part == 1 else f"parser-{part:g}")
        parser = trained(config, some, dev, place, Parser)
        parsed = [parse_of_sentence.sentence for parse_of_sentence in parse(parser, dev)]
        attachment = parsing_statistics(dev, parsed).figures()
        row = {"part": part, "las": attachment.las, "uas": attachment.uas, "upos": attachment.upos}
        rows.append(row | restored(systems, dev, parsed))
        print(rows[-1], flush=True)
    rows.append({"part": "gold trees", "las": 1.0, "uas": 1.0, "upos": 1.0})
    rows[-1] |= restored(systems, dev, dev)
    print(markdown(rows))
    report(arguments.name, {"seed": arguments.seed, "rows": rows}, arguments.output)


def spread(training: Sequence[Sentence], part: float) -> Sequence[Sentence]:
    """Return a part of the sentences, spread evenly over the treebank.

    Args:
        training: the sentences.
        part: proportion of the treebank, above 0 and at most 1.
    """
    count = max(1, round(part * len(training)))
    return [training[i * len(training) // count] for i in range(count)]


def restored(
    systems: Mapping[str, SavedModel[PunctuationModel]],
    dev: Sequence[Sentence],
    parsed: Sequence[Sentence],
) -> Row:
    """Return the edits per slot of each system.

    Args:
        systems: the systems by name.
        dev: sentences with their punctuation.
        parsed: the same sentences with the trees and tags to use.
    """
    gold = [s.slots for s in dev]
    return {
        name: restoration_statistics(
            gold, [restoration.slots for restoration in Pipeline(system).restore(parsed)]
        ).score
        for name, system in systems.items()
    }


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--models", required=True, type=Path, help="a folder")
    parser.add_argument("--parts", nargs="+", type=float, default=[0.1, 0.2, 0.5])
    parser.add_argument("--systems", nargs="+", choices=list(OURS), default=["gold", "parsed"])
    parser.add_argument("--seed", type=int, default=0, help="seed of the punctuation models")
    parser.add_argument("--set", nargs="*", default=[], help="settings of the parsers")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    if not all(0 < part <= 1 for part in arguments.parts):
        parser.error("parts of a treebank are above 0 and at most 1")
    return arguments


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
