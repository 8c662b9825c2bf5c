"""Pieces of long sentences, which are parsed one by one, and joining of their analyses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Expected, Sentence, Words, unfillable
from semipunct.marks import Puncteme
from semipunct.tasks import limits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sentences, with long ones split into pieces.

    Attributes:
        sentences: the whole sentences.
        parts: the pieces of all sentences, in order.
        counts: the number of pieces of each sentence.
    """

    sentences: Sequence[Sentence | Words]
    parts: list[Words]
    counts: list[int]

    @classmethod
    def of(cls, sentences: Sequence[Sentence | Words]) -> Pieces:
        """Split sentences into pieces of at most ``limits.PARSED`` words.

        Args:
            sentences: the sentences.
        """
        parts: list[Words] = []
        counts: list[int] = []
        for s in sentences:
            number = -(-len(s.forms) // limits.PARSED)
            size = -(-len(s.forms) // number)
            for start in range(0, len(s.forms), size):
                forms, slots = s.forms[start : start + size], s.slots[start : start + size + 1]
                parts.append(Words(s.sentence_id, s.path, s.line, forms, slots))
            counts.append(number)
        return cls(sentences, parts, counts)

    def numbers(self, first: int | Sequence[int]) -> npt.NDArray[np.uint32]:
        """Return the sentence number of each piece, and its number there, ``[pieces, 2]``.

        Args:
            first: the number of the first sentence, or those of all.
        """
        numbers = range(first, first + len(self.counts)) if isinstance(first, int) else first
        pairs = [(i, k) for i, n in zip(numbers, self.counts, strict=True) for k in range(n)]
        return np.array(pairs, np.uint32).reshape(-1, 2)

    def group(self, results: Sequence[T]) -> Iterator[tuple[Sentence | Words, list[T]]]:
        """Yield each sentence with the results for its pieces.

        Args:
            results: the results for all pieces, in order.
        """
        remaining = iter(results)
        for sentence, count in zip(self.sentences, self.counts, strict=True):
            yield sentence, [next(remaining) for _ in range(count)]


def joined_tables(parts: Sequence[Table]) -> Table:
    """Join the probabilities ``[slots, strings]`` of the strings of slots in pieces.

    The last slot of a piece is the first slot of the next; each piece sees only one side of it, so
    the two distributions are averaged.

    Args:
        parts: the probabilities in each piece.
    """
    rows = parts[0]
    for part in parts[1:]:
        rows = np.concatenate([rows[:-1], (rows[-1:] + part[:1]) / np.float32(2), part[1:]])
    return rows


def joined_expectations(whole: Sentence | Words, parts: Sequence[Expected | None]) -> Expected:
    """Join the expectations for pieces; the last slot of each is the first slot of the next.

    Args:
        whole: the sentence; nothing is expected in its slots that are never filled.
        parts: the expectations for each piece; None for those without.
    """
    heads: list[float] = []
    slots: list[tuple[float, Puncteme]] = []
    for part in parts:
        if part is not None:
            slots_of_part = list(zip(part.probabilities, part.strings, strict=True))
            slots = (
                [*slots[:-1], max(slots[-1], slots_of_part[0]), *slots_of_part[1:]]
                if slots
                else slots_of_part
            )
            heads += part.heads
    expected = Expected(tuple(heads), tuple(s for _, s in slots), tuple(p for p, _ in slots))
    return _without(expected, unfillable(whole))


def _without(expected: Expected, slots: Set[int]) -> Expected:
    """Remove the expectations for some slots."""
    if not slots:
        return expected
    strings, probabilities = list(expected.strings), list(expected.probabilities)
    for slot in slots:
        strings[slot], probabilities[slot] = (), 0.0
    return replace(expected, strings=tuple(strings), probabilities=tuple(probabilities))
