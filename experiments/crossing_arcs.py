r"""Parsers of projective trees and of trees of any shape, compared with trees as annotated.

    python experiments/crossing_arcs.py --name en --train TRAIN... --dev DEV... --folder MODELS \
        [--seed 0] [--set ...] [--output FILE]

The default parser is trained on trees with lifted arcs, and with ``model.trees=nonprojective`` on
trees as annotated. Figures are of words; ``p`` is of the paired permutation test of LAS.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any, cast

from benchmarks.figures import machine, report
from models import trained
from tables import chance, markdown

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.formats.reading import read_examples
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.parses import parse
from semipunct.training.config import load_config
from semipunct.trees import DependencyTree

SHAPES = ("projective", "nonprojective")


def crossing_arcs(tree: DependencyTree) -> set[tuple[int, int]]:
    """Return the head and dependent of each arc that is not projective."""
    heads = (0, *tree.heads)

    def is_below(word: int, head: int) -> bool:
        while word and word != head:
            word = heads[word]
        return word == head

    return {
        (head, word)
        for word, head in enumerate(tree.heads, 1)
        if not all(is_below(x, head) for x in range(min(head, word) + 1, max(head, word)))
    }


def read(paths: Sequence[Path], lifted: bool) -> list[Sentence]:
    """Read treebanks, optionally with crossing arcs lifted."""
    examples = read_examples("sentences" if lifted else "sentences with crossing arcs", paths)
    return list(cast(Sequence[Sentence], examples))


def divided(
    arguments: argparse.Namespace, lifted: bool
) -> tuple[Sequence[Sentence], Sequence[Sentence]]:
    """Return the sentences for training, and the others."""
    dev = read(arguments.dev, lifted)
    if arguments.train:
        return read(arguments.train, lifted), dev
    end = len(dev) * 4 // 5
    return dev[:end], dev[end:]


def main() -> None:
    """Train, parse, and print a table."""
    arguments = options()
    enable_compilation_cache()
    gold = divided(arguments, lifted=False)[1]
    arcs_of_gold = [crossing_arcs(s.tree) for s in gold]
    digest = treebank_digest(gold)[:12]
    results: dict[str, Result] = {}
    rows: list[dict[str, Any]] = []
    for shape in SHAPES:
        training, dev = divided(arguments, lifted=shape == "projective")
        settings = [*arguments.set, f"model.trees={shape}"]
        config = load_config(None, settings, {"train.seed": arguments.seed}, "parser")
        folder = arguments.folder / f"{arguments.name}-{shape}-{arguments.seed}"
        start = process_time()
        fitted = trained(config, training, dev, folder, Parser)
        seconds = process_time() - start  # next to none if the model exists
        parses = [parsed.predicted for parsed in parse(fitted, gold)]
        line = {"task": "parsing", "system": shape, "treebank": digest}
        results[shape] = Result(shape, join_signature(line), parsing_statistics(gold, parses))
        found = [crossing_arcs(s.tree) for s in parses]
        right = sum(len(a & b) for a, b in zip(arcs_of_gold, found, strict=True))
        figures = results[shape].figures.as_dict()
        rows.append({
            "trees": shape,
            **{name: f"{100 * figures[name]:.2f}" for name in ("las", "uas", "complete")},
            "crossing arcs found": f"{right} of {sum(map(len, arcs_of_gold))}",
            "crossing arcs predicted": sum(map(len, found)),
            "training, CPU seconds": round(seconds),
        })  # fmt: skip
        print(rows[-1], flush=True)
    first, second = ({0: results[shape]} for shape in SHAPES)
    p = chance(first, second, "las")
    print(markdown(rows))
    counts = {"sentences": len(gold), "seed": arguments.seed, "settings": arguments.set, "p": p}
    report(arguments.name, {**counts, "rows": rows, **machine()}, arguments.output)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--name", required=True, help="name of the treebank in the results")
    parser.add_argument("--train", nargs="+", type=Path)
    parser.add_argument("--dev", nargs="+", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="folder to keep models in")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", nargs="*", default=[], help="settings of the parsers")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
