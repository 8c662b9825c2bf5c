"""Parsers that drivers train: one of a whole treebank, and those that leave a part of it out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models import trained

from semipunct.corpus import Sentence
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.models.parsing.parser import Parser
from semipunct.tasks.base import Trained
from semipunct.tasks.parse import parse, parses
from semipunct.training.config import load_config
from semipunct.training.jackknife import jackknifed


class ParsedTreebank(NamedTuple):
    """A treebank with the trees and tags of parsers that have not seen its sentences.

    Attributes:
        committee: parsers, first that of the whole treebank.
        training: its sentences, each with the tree of a parser that was trained on the others.
        dev: the development sentences, with the trees of the first parser.
        drawn: gives as many copies of the training sentences as it is told, each with trees and
            tags that are drawn from the parser that has not seen them.
    """

    committee: Sequence[Trained[Any]]
    training: Sequence[Sentence]
    dev: Sequence[Sentence]
    drawn: Callable[[int], list[Sentence]]


def add_parsers(parser: argparse.ArgumentParser) -> None:
    """Let a command line choose the parsers.

    Args:
        parser: of the command line.
    """
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", nargs="*", default=[], help="settings of the parsers")
    parser.add_argument(
        "--fold-set", nargs="*", default=[], help="further ones of those that leave a part out"
    )


def parsed_treebank(
    arguments: argparse.Namespace,
    training: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: Path,
    first: int | None = None,
) -> ParsedTreebank:
    """Parse a treebank by jackknifing; parsers that the folder lacks are trained.

    Args:
        arguments: the command line, with the options of ``add_parsers``.
        training: the treebank.
        dev: others to choose the best weights on.
        folder: for ``parser`` and ``folds``.
        first: how many sentences of either are parsed, by parsers of all; None for all. Parsers
            that leave other parts out are not needed then.
    """
    config = load_config(None, arguments.set, {}, "parser")
    parser = trained(config, training, dev, folder / "parser", Parser)
    parsed = _parsed("parser", parser, dev[:first])
    seen: list[Sentence] = []
    parts: list[range] = []
    committee: list[Trained[Any]] = [parser]
    of_folds = load_config(None, [*arguments.set, *arguments.fold_set], {}, "parser")
    wanted = training[:first]
    for part, fitted in jackknifed(of_folds, training, dev, folder / "folds", arguments.folds):
        seen += _parsed(f"part from {part.start}", fitted, wanted[part.start : part.stop])
        committee.append(fitted)
        parts.append(part)
        if part.stop >= len(wanted):
            break

    def drawn(count: int) -> list[Sentence]:
        found: list[Sentence] = []
        for part, fitted in zip(parts, committee[1:], strict=True):
            own = wanted[part.start : part.stop]
            for trees in parses(fitted, own, count, first=part.start):
                found += [one.sentence for one in trees]
        return found

    return ParsedTreebank(committee, seen, parsed, drawn)


def _parsed(name: str, parser: Trained[Any], gold: Sequence[Sentence]) -> list[Sentence]:
    found = [one.sentence for one in parse(parser, gold)]
    figures = parsing_statistics(gold, found).figures()
    print(
        f"{name}: LAS {figures.las:.4f}, UAS {figures.uas:.4f}, UPOS {figures.upos:.4f}", flush=True
    )
    return found
