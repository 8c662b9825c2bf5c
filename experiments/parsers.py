"""Parsers that drivers train: one on a whole treebank, and one without each of its folds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models import trained

from semipunct.corpus import Sentence
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines.jackknife import train_jackknife
from semipunct.pipelines.parses import parse
from semipunct.pipelines.trained import Trained
from semipunct.training.config import load_config


class ParsedTreebank(NamedTuple):
    """A treebank parsed by jackknifing; the first parser, trained on all of it, parses ``dev``."""

    committee: Sequence[Trained[Any]]
    training: Sequence[Sentence]
    dev: Sequence[Sentence]


def add_parsers(parser: argparse.ArgumentParser) -> None:
    """Add the options of the parsers to a command line."""
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", nargs="*", default=[], help="settings of the parsers")
    parser.add_argument(
        "--fold-set", nargs="*", default=[], help="further settings for the parsers of the folds"
    )


def parsed_treebank(
    arguments: argparse.Namespace,
    training: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: Path,
    first: int | None = None,
) -> ParsedTreebank:
    """Parse a treebank by jackknifing; missing parsers are trained."""
    config = load_config(None, arguments.set, {}, "parser")
    parser = trained(config, training, dev, folder / "parser", Parser)
    parsed = _parsed("parser", parser, dev[:first])
    seen: list[Sentence] = []
    committee: list[Trained[Any]] = [parser]
    of_folds = load_config(None, [*arguments.set, *arguments.fold_set], {}, "parser")
    chosen = training[:first]
    for part, fitted in train_jackknife(of_folds, training, dev, folder / "folds", arguments.folds):
        seen += _parsed(f"part from {part.start}", fitted, chosen[part.start : part.stop])
        committee.append(fitted)
        if part.stop >= len(chosen):
            break

    return ParsedTreebank(committee, seen, parsed)


def _parsed(name: str, parser: Trained[Any], gold: Sequence[Sentence]) -> list[Sentence]:
    sentences = [parse_of_sentence.sentence for parse_of_sentence in parse(parser, gold)]
    figures = parsing_statistics(gold, sentences).figures()
    print(
        f"{name}: LAS {figures.las:.4f}, UAS {figures.uas:.4f}, UPOS {figures.upos:.4f}", flush=True
    )
    return sentences
