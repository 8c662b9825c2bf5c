"""Effect of punctuation on parsing: a parser without it, and two ways to use it.

    python experiments/parsing_with_punctuation.py --name en --train TRAIN... --dev DEV... \
        --folder MODELS [--seeds ...] [--output FILE]

Systems are the default parser of ``semipunct train --kind parser``, evaluated on words:

- ``stripped``: trained and tested on words alone.
- ``tokens``: marks are words; a word attached to a mark counts as attached to the mark's head.
- ``properties``: marks are properties of the adjacent words (``model.marks``).

Sentences whose marks have dependents are excluded. ``p`` is of the paired permutation test of UAS
against ``stripped``, over all seeds; the last columns are UAS by the proportion of marks.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.figures import machine, report
from models import trained
from tables import cell, chance, markdown

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.reading import to_entry
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.parses import parse
from semipunct.training.config import load_config
from semipunct.trees import DependencyTree

SHARES = (0.0, 0.1, 0.2, 1.01)
"""Limits of the classes of sentences by the proportion of marks."""


@dataclass(frozen=True)
class Example:
    """A sentence with and without marks as tokens.

    Attributes:
        bare: its words, with the marks in slots.
        whole: words and marks in one sequence.
        numbers: ``[n]`` numbers of the words in ``whole``.
    """

    bare: Sentence
    whole: Sentence
    numbers: tuple[int, ...]

    @property
    def share(self) -> float:
        return 1 - len(self.numbers) / len(self.whole.forms)

    def words_of(self, parsed: Sentence) -> Sentence:
        """Remove marks from a parse of ``whole``, and attach their dependents to their heads."""
        heads = (0, *parsed.tree.heads)
        number_of = {0: 0} | {number: word for word, number in enumerate(self.numbers, 1)}

        def above(number: int) -> int:
            head = heads[number]
            while head not in number_of:
                head = heads[head]
            return number_of[head]

        def of_words(values: Sequence[str]) -> tuple[str, ...]:
            return tuple(values[number - 1] for number in self.numbers)

        tree = DependencyTree(tuple(map(above, self.numbers)), of_words(parsed.tree.relations))
        columns = {name: of_words(getattr(parsed, name)) for name in ("upos", "xpos", "feats")}
        return replace(self.bare, tree=tree, **columns)


def examples(paths: Sequence[Path]) -> Iterator[Example]:
    """Read treebanks; sentences whose marks have dependents are excluded."""
    for path in paths:
        for bare in Conllu().read(path):
            if isinstance(bare.content, Sentence):
                whole: Any = to_entry(bare.record, "words")
                upos = whole.content.upos
                marks = [i for i, tag in enumerate(upos, 1) if tag == PUNCTUATION]
                numbers = tuple(i for i in range(1, len(upos) + 1) if i not in set(marks))
                yield Example(bare.content, whole.content, numbers)


def systems(
    arguments: argparse.Namespace, train: Sequence[Example], dev: Sequence[Example], seed: int
) -> Iterator[tuple[str, Callable[[], list[Sentence]]]]:
    """Yield the systems and their parses of the development sentences."""

    def parser(name: str, whole: bool, *settings: str) -> Any:
        config = load_config(None, [*arguments.set, *settings], {"train.seed": seed}, "parser")
        learnt, held_out = ([e.whole if whole else e.bare for e in of] for of in (train, dev))
        place = arguments.folder / f"{arguments.name}-{name}-{seed}"
        return trained(config, learnt, held_out, place, Parser)

    def plain(fitted: Any) -> list[Sentence]:
        return [
            parsed_sentence.sentence for parsed_sentence in parse(fitted, [e.bare for e in dev])
        ]

    def taken_out(fitted: Any) -> list[Sentence]:
        parses = parse(fitted, [e.whole for e in dev])
        return [
            e.words_of(parsed_sentence.sentence)
            for e, parsed_sentence in zip(dev, parses, strict=True)
        ]

    yield "stripped", partial(plain, parser("stripped", whole=False))
    yield "tokens", partial(taken_out, parser("tokens", whole=True))
    reading = parser("properties", False, "model.marks=true")
    yield "properties", partial(plain, reading)


def main() -> None:
    """Train, parse, and print a table."""
    arguments = options()
    enable_compilation_cache()
    train, dev = list(examples(arguments.train)), list(examples(arguments.dev))
    gold = [e.bare for e in dev]
    digest = treebank_digest(gold)[:12]
    results_of: dict[str, list[Result]] = {}
    for seed in arguments.seeds:
        for name, parsed in systems(arguments, train, dev, seed):
            line = {"task": "parsing", "system": name, "seed": str(seed), "treebank": digest}
            comparison = Result(name, join_signature(line), parsing_statistics(gold, parsed()))
            print(f"{name}, seed {seed}: {comparison.figures.as_dict()}", flush=True)
            results_of.setdefault(name, []).append(comparison)
    rows = [row(name, runs, results_of["stripped"], dev) for name, runs in results_of.items()]
    print(markdown(rows))
    counts = {"sentences": len(dev), "seeds": len(arguments.seeds), "training": len(train)}
    report(arguments.name, {**counts, "rows": rows, **machine()}, arguments.output)


def row(
    name: str, runs: Sequence[Result], base: Sequence[Result], dev: Sequence[Example]
) -> dict[str, Any]:
    """Return the figures of a system over its seeds, compared with ``base``."""
    means = {
        measure: statistics.mean(getattr(run.figures, measure) for run in runs)
        for measure in ("uas", "las", "upos")
    }
    each = {measure.upper(): f"{100 * mean:.2f}" for measure, mean in means.items()}
    # The reference has no difference from itself.
    p = None if runs is base else chance(dict(enumerate(runs)), dict(enumerate(base)), "uas")
    classes: dict[str, str] = {}
    for low, high in pairwise(SHARES):
        inside = [i for i, e in enumerate(dev) if low <= e.share < high]
        statistic: list[Any] = [run.statistics for run in runs]
        right = sum(int(s.heads[inside].sum()) for s in statistic)
        words = sum(int(s.words[inside].sum()) for s in statistic)
        title = f"UAS, marks {low:.0%} to {min(high, 1):.0%} ({len(inside)})"
        classes[title] = f"{100 * right / words:.2f}" if words else ""
    return {"system": name, **each, "p": cell("p", p), **classes}


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--name", required=True, help="name of the treebank in the results")
    parser.add_argument("--train", nargs="+", type=Path, required=True)
    parser.add_argument("--dev", nargs="+", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="folder to keep models in")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--set", nargs="*", default=[], help="settings of the parsers")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
