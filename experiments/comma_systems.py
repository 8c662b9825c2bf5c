"""Comma models, with the trees used for training and for restoring commas."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models import trained

import semipunct
from semipunct.corpus import Sentence
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.commas.delimiters import DelimiterModel
from semipunct.papers.commas.figures import bracket_statistics
from semipunct.papers.commas.model import CommaModel
from semipunct.papers.commas.ngrams import MARK
from semipunct.papers.commas.parser import PhraseParser
from semipunct.papers.commas.ptb import COMMA_TAGS, Ptb, read_commas, read_whole_phrases
from semipunct.papers.commas.restorer import CommaRestorer
from semipunct.papers.commas.task import parse_phrases
from semipunct.training.config import load_config

VISITS = {"whole": 40_000, "fold": 10_000}
"""Sentence visits in the training of parsers, on all sentences and without a fold."""


Phrased = Sequence[Sentence[Any]]


Commas = list[tuple[bool, ...]]


@dataclass(frozen=True)
class System:
    """A model in the table of results.

    Attributes:
        name: its number in the paper, or a short description.
        training: trees for training: an argument of ``Trees.of``.
        dev: trees for restoring commas.
        paper: F and the proportion of correct sentences.
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
    System("field", "CRF over spans", ("model.field=true",), kind="phrase-commas"),
    System("phrases", "generative, on phrases", (), kind="phrase-commas"),
    System("phrases, parsed", "generative, on parses without commas", (), "parsed", "parsed",
           kind="phrase-commas"),
)  # fmt: skip


class Trees:
    """Sentences with trees from the treebank (``treebank``) or parsers.

    The parser of ``parsed`` reads no commas; the parser of ``read`` does.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._models, self._folds = arguments.models, arguments.folds
        paths = {"training": arguments.train, "dev": arguments.dev}
        self._commas = {part: read_commas(files).sentences for part, files in paths.items()}
        self._whole = {part: read_whole_phrases(files).sentences for part, files in paths.items()}
        self._cache: dict[tuple[str, str], Phrased] = {}
        self.f1: dict[str, float] = {}

    def of(self, part: str, trees: str) -> Phrased:
        """Return the sentences of ``training`` or ``dev``, with trees of one kind."""
        if trees == "treebank":
            return self._commas[part]
        if (part, trees) not in self._cache:
            parse = self._folded if part == "training" else self._parsed
            self._cache[part, trees] = parse(trees)
        return self._cache[part, trees]

    def _parser(self, trees: str, name: str, training: Phrased, visits: int) -> Any:
        settings = [f"train.visits={visits}", f"model.commas={str(trees == 'read').lower()}"]
        config = load_config(None, settings, kind="phrase-parser")
        folder = self._models / f"parser-{trees}-{name}"
        return trained(config, training, self._whole["dev"], folder, PhraseParser)

    def _parsed(self, trees: str) -> Phrased:
        parser = self._parser(trees, "whole", self._whole["training"], VISITS["whole"])
        parses = parse_phrases(parser, self._commas["dev"])
        gold: Any = [s.tree for s in self._commas["dev"]]
        statistics = bracket_statistics(gold, [s.tree for s in parses])
        self.f1[trees] = statistics.figures().labelled.f1
        return parses

    def _folded(self, trees: str) -> Phrased:
        whole, commas = self._whole["training"], self._commas["training"]
        parses: list[Sentence[Any]] = []
        size = -(-len(whole) // self._folds)
        for fold in range(self._folds):
            out = range(fold * size, min(len(whole), (fold + 1) * size))
            remaining = [s for i, s in enumerate(whole) if i not in out]
            parser = self._parser(trees, f"fold-{fold}", remaining, VISITS["fold"])
            parses += parse_phrases(parser, [commas[i] for i in out])
        return parses


def restored(system: System, trees: Trees, folder: Path, bound: int) -> tuple[Commas, str]:
    """Train a model and restore the commas of the development sentences.

    Words below the count ``bound`` are rare.
    """
    training, dev = trees.of("training", system.training), trees.of("dev", system.dev)
    settings, expected = [*system.settings], DelimiterModel
    if system.kind != "phrase-commas":
        settings, expected = [*settings, f"model.minimum_word_count={bound}"], CommaModel
    config = load_config(None, settings, kind=system.kind)
    model: Any = trained(config, training, dev, folder, expected)
    commas = CommaRestorer(model.model, model.parameters).commas(dev)
    return [tuple(prediction.best[0].tolist()) for prediction in commas], model.digest


@dataclass(frozen=True)
class Generative:
    """The punctuation model, with commas as its only marks, on dependency trees of phrases."""

    name: str = "punctuation"
    about: str = "our generative model on dependency trees"

    def restored(
        self, arguments: argparse.Namespace, dev: Phrased, folder: Path
    ) -> tuple[Commas, str]:
        training, held_out = (dependencies(paths) for paths in (arguments.train, arguments.dev))
        config = load_config(None, ["model.minimum_token_count=2"])
        model = trained(config, training, held_out, folder, PunctuationModel)
        restorations = semipunct.Pipeline(model).restore(held_out, marks=frozenset((MARK,)))
        return [
            tuple(MARK in slot for slot in restoration.slots) for restoration in restorations
        ], model.digest


BEYOND: tuple[Generative, ...] = (Generative(),)


def dependencies(paths: Sequence[str]) -> list[Sentence]:
    """Read the dependency trees of phrases, with commas as the only marks in slots."""
    entries = (entry for path in paths for entry in Ptb(mark_tags=COMMA_TAGS).read(path))
    content_of_entries = [entry.content for entry in entries if isinstance(entry.content, Sentence)]
    return [
        replace(s, upos=s.xpos, slots=tuple(map(only_commas, s.slots))) for s in content_of_entries
    ]


def only_commas(slot: Sequence[str]) -> tuple[str, ...]:
    """Remove all marks except commas from a slot, including dots of abbreviations."""
    return (MARK,) if MARK in slot else ()
