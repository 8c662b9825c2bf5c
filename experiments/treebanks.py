"""The treebanks that drivers use for training and evaluation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from semipunct.corpus import Sentence
from semipunct.formats import read_treebank
from semipunct.formats.conllu.from_text import bare_entry
from semipunct.formats.conllu.records import format_record

T = TypeVar("T")


def add_treebanks(parser: argparse.ArgumentParser) -> None:
    """Add the options for a treebank, given as two sets of files or as one file to split."""
    parser.add_argument("--name", required=True, help="name of the treebank in the results")
    parser.add_argument("--train", nargs="+", type=Path, default=[])
    parser.add_argument("--dev", nargs="+", type=Path, default=[])
    parser.add_argument("--split", type=Path, help="one file to split by order: 80%% / 10%% / 10%%")


def check_treebanks(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Exit with a message unless exactly one of the two alternatives is given."""
    if (arguments.split is None) == (not arguments.train or not arguments.dev):
        parser.error("give either --train and --dev, or --split")


def sentences(arguments: argparse.Namespace) -> tuple[Sequence[Sentence], Sequence[Sentence]]:
    """Read training and development sentences."""
    if arguments.split is None:
        return read_treebank(arguments.train).sentences, read_treebank(arguments.dev).sentences
    return training_and_dev(read_treebank([arguments.split]).sentences)


def training_and_dev(everything: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return the first 80% of a treebank and the next 10%; the rest is reserved for testing."""
    first, second = len(everything) * 8 // 10, len(everything) * 9 // 10
    return everything[:first], everything[first:second]


def stripped(sentences: Iterable[Sentence]) -> str:
    """Convert sentences to CoNLL-U without punctuation, to train other parsers."""
    return "".join(format_record(bare_entry(sentence).record) for sentence in sentences)
