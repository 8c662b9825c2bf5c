"""Data for correction: correct sentences with sampled errors, and sentences of learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.learners import english_learner_errors, erroneous
from semipunct.corpus.parallel import ParallelSentence, align_versions, to_learn_from
from semipunct.formats.parallel import read_parallel_texts
from semipunct.pipelines.parses import parse
from semipunct.pipelines.trained import Trained

Pairs = Sequence[ParallelSentence[Any]]
"""Original sentences, with trees or without, with their references."""

REFERENCES = 4
"""The number of references in JFLEG."""


def with_errors(clean: Sequence[Sentence], seed: int) -> Pairs:
    """Sample learner errors in correct sentences, which become the references."""
    written = erroneous(clean, english_learner_errors(), seed)
    return [
        align_versions(sentence, [right]) for sentence, right in zip(written, clean, strict=True)
    ]


def learnt_from(clean: Sequence[Sentence], seed: int) -> list[Sentence]:
    """Annotate correct sentences with an erroneous version with sampled errors."""
    return [to_learn_from(pair) for pair in with_errors(clean, seed)]


def only_right(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the correct versions of sentences alone."""
    return [replace(sentence, written=None) for sentence in sentences]


def only_written(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the written versions of sentences alone."""
    return [
        sentence if sentence.written is None
        else replace(sentence, slots=sentence.written.slots, written=None)
        for sentence in sentences
    ]  # fmt: skip


def of_learners(folder: Path, parser: Trained[Any] | None, first: int | None = None) -> Pairs:
    """Read the development part of JFLEG, with trees of a parser if there is one."""
    files = [folder / f"dev.ref{number}" for number in range(REFERENCES)]
    pairs = list(read_parallel_texts(folder / "dev.src", files))[:first]
    if parser is None:
        return pairs
    trees = parse(parser, [pair.source for pair in pairs])
    return [
        ParallelSentence(parse_of_source.sentence, (), pair.references)
        for pair, parse_of_source in zip(pairs, trees, strict=True)
    ]
