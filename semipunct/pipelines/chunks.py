"""The loop of all tasks over the entries of files (docs/decisions/architecture.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from semipunct.corpus.treebank import Entry, Omitted
from semipunct.pipelines.notices import Omissions

T = TypeVar("T")
R = TypeVar("R")

# An entry and its answer; None for an omitted entry.
Outcome = tuple[Entry[Any, Any], R | None]

# Sentences per chunk.
CHUNK = 256


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive entries that a model answers together.

    Attributes:
        entries: the entries that are not omitted.
        numbers: the numbers of their sentences (see ``answer_entries``), which with the seed
            determine the draws.
    """

    entries: Sequence[Entry[Any, Any]]
    numbers: Sequence[int]
    number: int

    @property
    def contents(self) -> list[Any]:
        return [entry.content for entry in self.entries]


def answer_entries(
    entries: Iterable[Entry[Any, Any]],
    answer: Callable[[Chunk], Iterable[R | None]],
    omissions: Omissions,
    *,
    size: int | None = None,
    first: int = 0,
) -> Iterator[Outcome[R]]:
    """Yield entries in order with their answers, one chunk after another.

    Sentences of treebanks are numbered consecutively, without omitted ones. The number of a
    sentence of a text depends on its line and its place in the line, so an edit in one part of a
    text leaves the numbers in other parts unchanged.

    Args:
        answer: returns the answers for a non-empty chunk; None for a sentence without an answer.
        size: the entries of a chunk, omitted ones included.
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
    """The numbers of sentences, each of which seeds independent draws."""

    def __init__(self, first: int = 0) -> None:
        self._next = first
        self._line, self._before = 0, 0

    def next_numbers(self, sentences: Iterable[Any]) -> list[int]:
        """Return the numbers of the next sentences, which exclude omitted ones."""
        numbers: list[int] = []
        for sentence in sentences:
            if getattr(sentence, "source", "treebank") == "text":
                self._before = self._before + 1 if sentence.line == self._line else 0
                self._line = sentence.line
                # 32 bits, as random keys require.
                numbers.append((self._line - 1 + self._before * _STRIDE) % 2**32)
            else:
                numbers.append(self._next)
                self._next += 1
        return numbers


# The prime next to 2^32 times the golden ratio, so that close places get distinct numbers.
_STRIDE = 2654435761


def in_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most ``size`` consecutive items."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def in_groups(items: Iterable[T], size_of: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """Yield lists of consecutive items whose sizes sum to at most ``room``, or single items."""
    group: list[T] = []
    total = 0
    for item in items:
        size = size_of(item)
        if group and total + size > room:
            yield group
            group, total = [], 0
        group.append(item)
        total += size
    if group:
        yield group
