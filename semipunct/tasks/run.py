"""The loop over the entries of files that all tasks share: chunks, order, what is left out.

Why there is one loop: docs/decisions/0050-kinds.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from semipunct.corpus.treebank import Entry, Omitted
from semipunct.tasks.notices import Omissions

T = TypeVar("T")
R = TypeVar("R")

Outcome = tuple[Entry[Any, Any], R | None]
"""An entry and the answer for it; None for one that is left out."""

CHUNK = 256
"""Sentences answered at a time."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive entries that are answered together.

    Attributes:
        entries: those that are not omitted.
        first: the number of usable entries before the first one, from 0; with the seed it
            determines draws, so that these do not depend on the size of chunks.
        number: the number of the chunk, from 0.
    """

    entries: Sequence[Entry[Any, Any]]
    first: int
    number: int

    @property
    def contents(self) -> list[Any]:
        """The sentences of the entries."""
        return [entry.content for entry in self.entries]


def answer_entries(
    entries: Iterable[Entry[Any, Any]],
    answer: Callable[[Chunk], Iterable[R | None]],
    omissions: Omissions,
    *,
    size: int | None = None,
) -> Iterator[Outcome[R]]:
    """Yield entries in their order with the answers for them, one chunk after another.

    Args:
        entries: sentences of files.
        answer: returns the answers for a chunk, which has at least one entry; None for a sentence
            without one.
        omissions: counts the entries that are left out when they are read.
        size: the number of entries of all chunks but the last, omitted ones included; by default
            ``CHUNK``.
    """
    first = 0
    for number, chunk in enumerate(in_chunks(entries, size or CHUNK)):
        usable = [entry for entry in chunk if not isinstance(entry.content, Omitted)]
        answers = iter(answer(Chunk(usable, first, number)) if usable else ())
        first += len(usable)
        for entry in chunk:
            if isinstance(entry.content, Omitted):
                omissions.count(entry.content)
                yield entry, None
            else:
                yield entry, next(answers)


def in_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of consecutive items, to limit the number of items in memory.

    Args:
        items: to divide.
        size: of every list but the last.
    """
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
