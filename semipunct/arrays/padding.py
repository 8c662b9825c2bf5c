"""Padding: sentences laid end to end in arrays of few shapes.

Sentences are packed one after another, never padded to the longest. Padded are the sums of their
words, feature entries and absorptions, to sizes that most batches of a run fit into, so that a
whole run compiles two or three shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def round_up(size: int, least: int = 8, steps: int = 4) -> int:
    """Return the next size of the form (1 + i / steps) * 2^k, for i below ``steps``.

    Args:
        size: the size that is needed.
        least: the lower bound of the result.
        steps: sizes from one power of two to the next; a power of two itself.
    """
    size = max(size, least)
    unit = max(1, 2 ** (int(size).bit_length() - steps.bit_length()))
    return -(-size // unit) * unit


def row_lengths(lengths: Sequence[int], size: int) -> npt.NDArray[np.int32]:
    """Return the lengths of the rows of a batch, ``[size]``; those that are padding have none.

    Args:
        lengths: of the others, which come first.
        size: rows of the batch.
    """
    found = np.zeros(size, np.int32)
    found[: len(lengths)] = lengths
    return found


def padded(
    rows: Sequence[npt.NDArray[Any]],
    shape: tuple[int, int],
    *,
    axis: int = 0,
    fill: float = 0,
) -> npt.NDArray[Any]:
    """Stack arrays that differ in length, padded to one length, and rows of nothing but padding.

    Args:
        rows: of one dtype, and of the same shape but for one axis; at least one.
        shape: size of the batch, which is at least the number of rows, and their padded length.
        axis: the one that is padded; that of the batch comes before it.
        fill: stands in the padding.
    """
    first = rows[0]
    whole = (*first.shape[:axis], *shape, *first.shape[axis + 1 :])
    found = np.full(whole, fill, first.dtype)
    before = (slice(None),) * axis
    for number, row in enumerate(rows):
        found[(*before, number, slice(row.shape[axis]))] = row
    return found


def shuffled(sentences: int, batch: int, generator: np.random.Generator) -> Iterator[list[int]]:
    """Yield sentence numbers in random order.

    Args:
        sentences: the number of sentences.
        batch: the number of sentences in a batch; the last one may be smaller.
        generator: of random numbers.
    """
    order = generator.permutation(sentences).tolist()
    for start in range(0, sentences, batch):
        yield order[start : start + batch]


def balanced(
    lengths: Sequence[int], batch: int, generator: np.random.Generator
) -> Iterator[list[int]]:
    """Yield sentence numbers in random order, in batches of about equally many words.

    There are as many batches as ``shuffled`` makes, none of them empty.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the mean number of sentences in a batch.
        generator: of random numbers.
    """
    order = generator.permutation(len(lengths))
    batches = -(-len(lengths) // batch)
    words = np.cumsum(np.asarray(lengths)[order])
    number = np.arange(1, batches)
    ends = np.searchsorted(words, words[-1] * number / batches) if batches > 1 else number
    # A sentence of many words may be long enough for several batches.
    ends = np.maximum.accumulate(np.maximum(ends, number) - number) + number
    ends = np.minimum(ends, len(order) - batches + number)
    for members in np.split(order, ends):
        yield members.tolist()


MEAN_LENGTH = 24
"""The length of sentences of which a batch of ``bucketed`` holds as many as its size says."""


_SHORTEST = 16
"""Sentences are padded to no less: the short ones are few words in all, and one shape less."""


def padded_length(words: int) -> int:
    """Return the length that a sentence is padded to: one of two between powers of two."""
    return round_up(words, _SHORTEST, 2)


def room(length: int, batch: int) -> int:
    """Return how many sentences of a length a batch of ``bucketed`` holds.

    Args:
        length: from ``padded_length``.
        batch: the size of a batch.
    """
    return max(1, MEAN_LENGTH * batch // length)


def bucketed(
    lengths: Sequence[int], batch: int, generator: np.random.Generator | None = None
) -> Iterator[list[int]]:
    """Yield sentence numbers in batches of one padded length each, and of few shapes in all.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the number of sentences of ``MEAN_LENGTH`` words in a batch; of others there are so
            many that padded they have about as many words.
        generator: of random numbers; None for the order of lengths.
    """
    members = _buckets(lengths)
    if generator is not None:
        members = {length: generator.permutation(of).tolist() for length, of in members.items()}
    batches = [
        of[start : start + room(length, batch)]
        for length, of in members.items()
        for start in range(0, len(of), room(length, batch))
    ]
    order = range(len(batches)) if generator is None else generator.permutation(len(batches))
    for i in order:
        yield batches[i]


def buckets(lengths: Sequence[int], batch: int) -> int:
    """Return how many batches ``bucketed`` yields.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the size of a batch.
    """
    return sum(-(-len(of) // room(length, batch)) for length, of in _buckets(lengths).items())


def _buckets(lengths: Sequence[int]) -> dict[int, list[int]]:
    """Return the numbers of the sentences of each padded length, short ones first."""
    found: dict[int, list[int]] = {}
    for i, words in enumerate(lengths):
        found.setdefault(padded_length(words), []).append(i)
    return dict(sorted(found.items()))


def by_length(lengths: Sequence[int], batch: int, words: int) -> Iterator[list[int]]:
    """Yield sentence numbers from short to long, in batches within both limits.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the most sentences in a batch.
        words: the most words in a batch; a longer sentence is a batch of its own.
    """
    current: list[int] = []
    total = 0
    ascending: list[int] = np.argsort(np.asarray(lengths), kind="stable").tolist()
    for i in ascending:
        if current and (len(current) == batch or total + lengths[i] > words):
            yield current
            current, total = [], 0
        current.append(i)
        total += lengths[i]
    if current:
        yield current
