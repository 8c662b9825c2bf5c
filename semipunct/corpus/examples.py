"""Examples: the interface of training data for all kinds of models, and their digests."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Literal, Protocol

from semipunct.corpus.parallel import ParallelSentence
from semipunct.corpus.sentences import Sentence, Words

ExampleType = Literal[
    "sentences", "sentences with crossing arcs", "sentences with marks as words",
    "passages", "running text",
]  # fmt: skip
"""The examples that a model learns from; ``semipunct.formats.reading`` has a reader for each."""


class Example(Protocol):
    """One item of training data, such as a sentence or a passage of running text."""

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int:
        """The number of words, by which batches are balanced."""
        ...

    @property
    def choices(self) -> int:
        """The number of predicted outcomes, by which metrics are normalised."""
        ...

    @property
    def seen(self) -> tuple[Any, ...]:
        """All data that a model uses, as JSON values."""
        ...


def treebank_digest(examples: Iterable[Example]) -> str:
    """Compute a SHA-256 digest of all data in examples that a model uses."""
    return _digest(example.seen for example in examples)


def parallel_digest(pairs: Iterable[ParallelSentence[Sentence | Words]]) -> str:
    """Compute a SHA-256 digest of words, slots and references, without trees."""
    return _digest((pair.source.forms, pair.source.slots, pair.references) for pair in pairs)


def _digest(rows: Iterable[tuple[Any, ...]]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
