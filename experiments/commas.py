"""Comma restoration: the models of Shieber and Tao (2003), what goes beyond them, and Figure 4.

    python experiments/commas.py --train TRAIN.mrg --dev DEV.mrg --models FOLDER [--output PATH]

Every model is trained on the training sentences and restores the commas of the development
sentences. What end counts and parts of speech are read from is said of each: the treebank's own
trees, or those of our parser of phrases. Training sentences are parsed by parsers that have not
seen them (``--folds``). The count below which words are rare is chosen on the last tenth of the
training sentences, by the F of model 10.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models import trained

import semipunct
from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.evaluation import Result
from semipunct.evaluation.brackets import bracket_statistics
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.restoration import restoration_statistics
from semipunct.evaluation.results import write_result
from semipunct.formats.ptb import Ptb
from semipunct.formats.registry import COMMA_TAGS, read_commas, read_whole_phrases
from semipunct.models.commas.decoding import CommaRestorer
from semipunct.models.commas.delimiters import DelimiterModel
from semipunct.models.commas.delimiting import DelimiterRestorer
from semipunct.models.commas.model import CommaModel
from semipunct.models.commas.ngrams import MARK, has_comma
from semipunct.models.constituency.parser import PhraseParser
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks.parse_phrases import parse_phrases
from semipunct.tasks.restoration import RestoreOptions
from semipunct.tasks.restore_commas import commas_signature
from semipunct.training.config import load_config
from semipunct.trees.phrases import constituent_counts

BOUNDS = (2, 5, 10, 20, 30, 50)
"""Counts below which words are rare, of which one is chosen."""

REFERENCE = "10"
"""The model that others are compared with."""

VISITS = {"whole": 40_000, "fold": 10_000}
"""Of the training of parsers, on all sentences and on those outside of a fold."""

Phrased = Sequence[Sentence[Any]]
Commas = list[tuple[bool, ...]]


@dataclass(frozen=True)
class System:
    """A model of the table.

    Attributes:
        name: its number in the paper, or what it is.
        about: in words.
        settings: as after ``--set``.
        training: the trees that it is trained with: a key of ``Trees``.
        dev: the trees that it restores commas with.
        paper: F, and the share of whole sentences, in the paper; None beyond it.
        kind: of model.
    """

    name: str
    about: str
    settings: tuple[str, ...]
    training: str = "treebank"
    dev: str = "treebank"
    paper: tuple[float | None, float | None] | None = None
    kind: str = "commas"


SYSTEMS = (
    System("1", "trigrams", ("preset=model-1",), paper=(62.2, 47.0)),
    System("2", "with omission penalty", ("preset=model-2",), paper=(None, None)),
    System("3", "end count >= 3", ("preset=model-3",), paper=(68.4, 52.3)),
    System("4", "end count >= 2", ("preset=model-4",), paper=(63.2, None)),
    System(
        "5", "as 3, parses without commas", ("preset=model-3",), "parsed", "parsed", (64.5, None)
    ),
    System(
        "6", "as 3, trained on parses with commas", ("preset=model-3",), "read", "parsed",
        (64.1, 48.6),
    ),
    System("7", "as 6, clairvoyant", ("preset=model-3",), "read", "read", (66.8, None)),
    System("8", "end counts", ("preset=model-8",), paper=(72.1, None)),
    System(
        "9", "as 10, parses without commas", ("preset=model-10",), "parsed", "parsed", (70.1, 54.9)
    ),
    System("10", "end counts, parts of speech", ("preset=model-10",), paper=(74.8, 57.9)),
    System("crf-10", "model 10, its weights learnt for commas given words",
           ("preset=model-10", "train.learn=all", "train.learning_rate=0.01")),
    System("crf-words", "CRF: words, tags", ("preset=crf", 'model.templates=["words","tags"]')),
    System("crf-counts", "CRF: words, tags, counts",
           ("preset=crf", 'model.templates=["words","tags","counts"]')),
    System("crf", "CRF: words, tags, counts, phrases", ("preset=crf",)),
    System("crf+10", "the same on top of model 10",
           ("preset=crf", "model.ngrams=true", "model.ends=counts", "model.tags=true")),
    System("crf, parsed", "CRF, parses without commas", ("preset=crf",), "parsed", "parsed"),
    System("phrases", "generative, on phrases", (), kind="phrase-commas"),
    System("phrases, parsed", "generative, on parses without commas", (), "parsed", "parsed",
           kind="phrase-commas"),
)  # fmt: skip


class Trees:
    """The sentences with trees of all kinds: of the treebank, and of parsers.

    ``treebank`` has the treebank's; ``parsed`` those of a parser that reads no commas; ``read``
    those of one that reads them, which nobody has who is to restore them.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Read the treebank."""
        self._models, self._folds = arguments.models, arguments.folds
        paths = {"training": arguments.train, "dev": arguments.dev}
        self._commas = {part: read_commas(files).sentences for part, files in paths.items()}
        self._whole = {part: read_whole_phrases(files).sentences for part, files in paths.items()}
        self._found: dict[tuple[str, str], Phrased] = {}
        self.f1: dict[str, float] = {}

    def of(self, part: str, trees: str) -> Phrased:
        """Return the sentences of a part with trees of a kind.

        Args:
            part: ``training`` or ``dev``.
            trees: ``treebank``, ``parsed`` or ``read``.
        """
        if trees == "treebank":
            return self._commas[part]
        if (part, trees) not in self._found:
            parse = self._folded if part == "training" else self._parsed
            self._found[part, trees] = parse(trees)
        return self._found[part, trees]

    def _parser(self, trees: str, name: str, training: Phrased, visits: int) -> Any:
        settings = [f"train.visits={visits}", f"model.commas={str(trees == 'read').lower()}"]
        config = load_config(None, settings, kind="phrase-parser")
        folder = self._models / f"parser-{trees}-{name}"
        return trained(config, training, self._whole["dev"], folder, PhraseParser)

    def _parsed(self, trees: str) -> Phrased:
        parser = self._parser(trees, "whole", self._whole["training"], VISITS["whole"])
        found = parse_phrases(parser, self._commas["dev"])
        gold: Any = [s.tree for s in self._commas["dev"]]
        statistics = bracket_statistics(gold, [s.tree for s in found])
        self.f1[trees] = statistics.figures().labelled.f1
        return found

    def _folded(self, trees: str) -> Phrased:
        """Parse each sentence of training with a parser that has not seen it."""
        whole, commas = self._whole["training"], self._commas["training"]
        found: list[Sentence[Any]] = []
        size = -(-len(whole) // self._folds)
        for fold in range(self._folds):
            out = range(fold * size, min(len(whole), (fold + 1) * size))
            rest = [s for i, s in enumerate(whole) if i not in out]
            parser = self._parser(trees, f"fold-{fold}", rest, VISITS["fold"])
            found += parse_phrases(parser, [commas[i] for i in out])
        return found


def main() -> None:
    """Train what is not there yet, restore, compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--dev", nargs="+", required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of models")
    parser.add_argument("--folds", type=int, default=3, help="parts of training, when parsed")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="systems of the table")
    parser.add_argument("--curve", action="store_true", help="models by the size of the treebank")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
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
    results = {
        name: result
        for name, result in results_of(trees, arguments, bound["chosen"])
        if result is not None
    }
    figures["f1 of parsers"] = trees.f1
    figures["systems"] = table(results)
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def results_of(trees: Trees, arguments: argparse.Namespace, bound: int) -> Any:
    """Yield the names of systems and their results, stored beside their models.

    Args:
        trees: of all kinds.
        arguments: of the command line.
        bound: the count below which words are rare.
    """
    dev = trees.of("dev", "treebank")
    for system in (*SYSTEMS, *BEYOND):
        if arguments.only and system.name not in arguments.only:
            continue
        folder = arguments.models / system.name.replace(" ", "-").replace(",", "")
        if isinstance(system, System):
            commas, digest = restored(system, trees, folder, bound)
        else:
            commas, digest = system.restored(arguments, dev, folder)
        result = scored(system.name, dev, commas, digest)
        write_result(str(folder) + ".json", result)
        yield system.name, result


def restored(system: System, trees: Trees, folder: Path, bound: int) -> tuple[Commas, str]:
    """Train a model and restore the commas of the development sentences.

    Args:
        system: which one.
        trees: of all kinds.
        folder: of the model.
        bound: the count below which words are rare.
    """
    training, dev = trees.of("training", system.training), trees.of("dev", system.dev)
    if system.kind == "phrase-commas":
        config = load_config(None, system.settings, kind=system.kind)
        found: Any = trained(config, training, dev, folder, DelimiterModel)
        commas = DelimiterRestorer(found.model, found.parameters).commas(dev)
    else:
        settings = [*system.settings, f"model.minimum_word_count={bound}"]
        config = load_config(None, settings, kind=system.kind)
        found = trained(config, training, dev, folder, CommaModel)
        commas = CommaRestorer(found.model, found.parameters).commas(dev)
    return [tuple(one.best[0].tolist()) for one in commas], found.digest


@dataclass(frozen=True)
class Generative:
    """Our model of punctuation, with commas as its only marks, on dependency trees of phrases."""

    name: str = "punctuation"
    about: str = "our generative model on dependency trees"

    def restored(
        self, arguments: argparse.Namespace, dev: Phrased, folder: Path
    ) -> tuple[Commas, str]:
        """Train it and restore the commas of the development sentences.

        Args:
            arguments: of the command line.
            dev: the sentences.
            folder: of the model.
        """
        training, held_out = (dependencies(paths) for paths in (arguments.train, arguments.dev))
        config = load_config(None, ["model.minimum_token_count=2"])
        found = trained(config, training, held_out, folder, PunctuationModel)
        restorations = semipunct.restore(found, held_out, marks=frozenset((MARK,)))
        return [tuple(MARK in slot for slot in one.slots) for one in restorations], found.digest


BEYOND: tuple[Generative, ...] = (Generative(),)


def dependencies(paths: Sequence[str]) -> list[Sentence]:
    """Read the dependency trees of phrases, with no marks in slots but commas.

    Parts of speech are universal tags as well, since files in brackets have none.
    """
    entries = (entry for path in paths for entry in Ptb(mark_tags=COMMA_TAGS).read(path))
    found = [entry.content for entry in entries if isinstance(entry.content, Sentence)]
    return [replace(s, upos=s.xpos, slots=tuple(map(only_commas, s.slots))) for s in found]


def only_commas(slot: Sequence[str]) -> tuple[str, ...]:
    """Return a slot without all other marks, the dots of abbreviations among them."""
    return (MARK,) if MARK in slot else ()


def scored(name: str, dev: Phrased, commas: Commas, digest: str) -> Result[Any]:
    """Compare restored commas with those of the treebank.

    Args:
        name: of the system.
        dev: the sentences.
        commas: for each slot whether it was given one.
        digest: of the model.
    """
    gold = [tuple(map(only_commas, s.slots)) for s in dev]
    told = [tuple((MARK,) if c else () for c in own) for own in commas]
    statistics = restoration_statistics(gold, told)
    options = RestoreOptions(minimise="draws")
    return Result(name, commas_signature(digest, dev, options), statistics)


def table(results: dict[str, Result[Any]]) -> list[dict[str, Any]]:
    """Print the figures of systems, and the p of their difference from the reference."""
    known = {system.name: system for system in (*SYSTEMS, *BEYOND)}
    print("| model | | trees | P | R | F | slots | sentences | p (F) | paper: F, sentences |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows: list[dict[str, Any]] = []
    for name, result in results.items():
        figures = result.statistics.figures()
        score, system = figures.micro, known[name]
        p = None
        if REFERENCE in results and name != REFERENCE:
            found = compare(result, results[REFERENCE]).differences
            p = next(d.p for d in found if d.measure == "micro_f1")
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
        told = ", ".join("" if x is None else f"{x:.1f}" for x in paper)
        shares = " | ".join(
            f"{100 * row[key]:.1f}" for key in ("precision", "recall", "f1", "slots", "sentences")
        )
        print(
            f"| {name} | {row['about']} | {row['trees']} | {shares} | "
            f"{'' if p is None else format(p, '.4f')} | {told} |"
        )
    for better, worse in PAIRS:
        if {better, worse} <= results.keys():
            found = {d.measure: d for d in compare(results[better], results[worse]).differences}
            f, precision = found["micro_f1"], found["micro_precision"]
            print(
                f"{worse} to {better}: F {100 * f.difference:+.1f} (p = {f.p:.4f}), precision "
                f"{100 * precision.difference:+.1f} (p = {precision.p:.4f})"
            )
    return rows


PAIRS = (("5", "6"), ("7", "5"), ("3", "7"), ("3", "1"), ("8", "3"), ("10", "8"), ("3", "4"),
         ("9", "5"), ("10", "9"), ("crf", "10"), ("crf, parsed", "9"))  # fmt: skip
"""Models whose order the paper tells, the better one first, and what goes beyond them."""


def chosen_bound(training: Phrased, models: Path) -> dict[str, Any]:
    """Choose the count below which words are rare, by the F of model 10 on held-out training.

    Args:
        training: sentences; the last tenth is held out.
        models: folder of models.
    """
    cut = len(training) * 9 // 10
    found: dict[int, float] = {}
    for bound in BOUNDS:
        settings = ["preset=model-10", f"model.minimum_word_count={bound}"]
        config = load_config(None, settings, kind="commas")
        folder = models / f"bound-{bound}"
        model = trained(config, training[:cut], training[cut:], folder, CommaModel)
        found[bound] = model.figures["dev_f1"]
    return {"chosen": max(found, key=lambda bound: found[bound]), "f": found}


def curve(trees: Trees, models: Path, bound: int) -> list[dict[str, Any]]:
    """Print the F of models that were trained on parts of the treebank.

    Args:
        trees: of all kinds.
        models: folder of models.
        bound: the count below which words are rare.
    """
    rows: list[dict[str, Any]] = []
    for share in (0.125, 0.25, 0.5, 1.0):
        for system in SYSTEMS:
            if system.training != "treebank" or system.name not in (
                "1",
                "3",
                "4",
                "8",
                "10",
                "crf",
            ):
                continue
            training = trees.of("training", "treebank")
            part = training[: round(len(training) * share)]
            config = load_config(
                None, [*system.settings, f"model.minimum_word_count={bound}"], kind="commas"
            )
            folder = models / f"curve-{system.name}-{share}"
            dev = trees.of("dev", "treebank")
            model = trained(config, part, dev, folder, CommaModel)
            commas = CommaRestorer(model.model, model.parameters).commas(dev)
            told = [tuple(one.best[0].tolist()) for one in commas]
            f = scored(system.name, dev, told, model.digest).statistics.figures().micro.f1
            rows.append({"model": system.name, "sentences": len(part), "f1": f})
            print(f"{len(part):>6} sentences, model {system.name}: F {100 * f:.1f}", flush=True)
    return rows


def starts_and_ends(sentences: Phrased) -> dict[str, dict[str, list[float]]]:
    """Compute Figure 4: the distribution of start and end counts of slots within sentences.

    Args:
        sentences: with their phrases.

    Returns:
        For ``starts`` and ``ends`` and slots ``with`` and ``without`` commas, the percentage of
        slots with each count from 0.
    """
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
    main()
