"""The loop over the entries of files that all tasks share: chunks, order, omissions.

Why there is one loop: docs/decisions/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from semipunct.corpus.treebank import Entry, Omitted
from semipunct.pipelines.notices import Omissions

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
        entries: without omitted ones.
        numbers: of their sentences (see ``answer_entries``); with the seed they determine draws,
            so that these do not depend on the size of chunks.
        number: the number of the chunk, from 0.
    """

    entries: Sequence[Entry[Any, Any]]
    numbers: Sequence[int]
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
    first: int = 0,
) -> Iterator[Outcome[R]]:
    """Yield entries in their order with the answers for them, one chunk after another.

    Sentences of treebanks are numbered in their order, without omitted ones; sentences of a text by
    their line and their place among the sentences that begin there, so that a change in one part of
    a text does not affect the numbers in another one.

    Args:
        answer: returns the answers for a chunk, which has at least one entry; None for a sentence
            without one.
        size: the number of entries of all chunks but the last, omitted ones included; by default
            ``CHUNK``.
    """
    numbering = Numbering(first)
    for number, chunk in enumerate(in_chunks(entries, size or CHUNK)):
        usable = [entry for entry in chunk if not isinstance(entry.content, Omitted)]
        chunk_of_usable = Chunk(usable, numbering.next_numbers([e.content for e in usable]), number)
        answers = iter(answer(chunk_of_usable) if usable else ())
        for entry in chunk:
            if isinstance(entry.content, Omitted):
                omissions.count(entry.content)
                yield entry, None
            else:
                yield entry, next(answers)


class Numbering:
    """Numbers of sentences, by which their draws are independent.

    Sentences of treebanks are numbered in their order, sentences of a text by their place.
    """

    def __init__(self, first: int = 0) -> None:
        """Begin to count."""
        self._next = first
        self._line, self._before = 0, 0

    def next_numbers(self, sentences: Iterable[Any]) -> list[int]:
        """Return the numbers of the next sentences.

        Args:
            sentences: in their order, without omitted ones.
        """
        numbers: list[int] = []
        for sentence in sentences:
            if getattr(sentence, "source", "treebank") == "text":
                self._before = self._before + 1 if sentence.line == self._line else 0
                self._line = sentence.line
                numbers.append(place_number(self._line, self._before))
            else:
                numbers.append(self._next)
                self._next += 1
        return numbers


def place_number(line: int, before: int) -> int:
    """Return the number of a sentence of a text.

    Returns:
        a number that fits 32 bits, as random keys have them; for the first sentence of a line that
        of the line before it.
    """
    return (line - 1 + before * _STRIDE) % 2**32


_STRIDE = 2654435761
"""The prime next to 2^32 times the golden ratio: places that are close get different numbers."""


def in_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of consecutive items, to limit the number of items in memory."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def in_groups(
    items: Iterable[T], size_of: Callable[[T], int], room: int, most: int | None = None
) -> Iterator[list[T]]:
    """Yield lists of consecutive items with a limited sum of sizes, to limit memory.

    Args:
        room: the maximum sum of sizes, unless a single item is larger.
        most: the maximum number of items of a list; None for any.
    """
    group: list[T] = []
    total = 0
    for item in items:
        size = size_of(item)
        if group and (total + size > room or len(group) == most):
            yield group
            group, total = [], 0
        group.append(item)
        total += size
    if group:
        yield group
