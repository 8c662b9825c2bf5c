"""Sentences to correct and to learn from: correct ones with drawn errors, and those of learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.parallel import ParallelSentence, aligned, to_learn_from
from semipunct.corpus.synthetic import english_learner_errors, erroneous
from semipunct.formats.parallel import read_parallel_texts
from semipunct.tasks.base import Trained
from semipunct.tasks.parse import parse

Pairs = Sequence[ParallelSentence[Sentence]]
"""Sentences as they were written, with references."""

REFERENCES = 4
"""Of JFLEG."""


def with_errors(clean: Sequence[Sentence], seed: int) -> Pairs:
    """Draw errors of learners in correct sentences, which are the references.

    Errors look at words and marks: sentences with other tags and trees get the same ones.

    Args:
        clean: correct.
        seed: fixes the errors.
    """
    written = erroneous(clean, english_learner_errors(), seed)
    return [aligned(one, [right]) for one, right in zip(written, clean, strict=True)]


def learnt_from(clean: Sequence[Sentence], seed: int) -> list[Sentence]:
    """Return correct sentences beside what is written in their place, with drawn errors.

    Args:
        clean: correct.
        seed: fixes the errors.
    """
    return [to_learn_from(pair) for pair in with_errors(clean, seed)]


def only_right(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences without what was written.

    Args:
        sentences: correct, beside what was written.
    """
    return [replace(sentence, written=None) for sentence in sentences]


def only_written(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences as they were written.

    Args:
        sentences: correct, beside what was written.
    """
    return [
        sentence if sentence.written is None
        else replace(sentence, slots=sentence.written.slots, written=None)
        for sentence in sentences
    ]  # fmt: skip


def of_learners(folder: Path, parser: Trained[Any], first: int | None = None) -> Pairs:
    """Read the development part of JFLEG, whose trees are a parser's.

    Slots count between words that a sentence and its reference share.

    Args:
        folder: of JFLEG.
        parser: reads words alone.
        first: how many sentences to take; None for all.
    """
    files = [folder / f"dev.ref{number}" for number in range(REFERENCES)]
    found = list(read_parallel_texts(folder / "dev.src", files))[:first]
    trees = parse(parser, [pair.source for pair in found])
    return [
        ParallelSentence(one.sentence, (), pair.references)
        for pair, one in zip(found, trees, strict=True)
    ]


def parsed(pairs: Pairs, parser: Trained[Any]) -> Pairs:
    """Replace the trees and tags of what was written by those of a parser.

    Args:
        pairs: sentences with references.
        parser: reads words alone.
    """
    trees = parse(parser, [pair.source for pair in pairs])
    return [replace(p, source=one.sentence) for p, one in zip(pairs, trees, strict=True)]
