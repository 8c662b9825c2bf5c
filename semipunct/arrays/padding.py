"""Padding: sentences concatenated in arrays of few shapes.

Sentences are concatenated, not padded to the longest. The total numbers of their words, feature
entries and absorptions are padded to sizes that suffice for most batches of a run, so a whole run
compiles two or three shapes.

How the sizes are chosen: docs/decisions/recursions.md.
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
        steps: the number of sizes from one power of two to the next; itself a power of two.
    """
    size = max(size, least)
    unit = max(1, 2 ** (int(size).bit_length() - steps.bit_length()))
    return -(-size // unit) * unit


def row_lengths(lengths: Sequence[int], size: int) -> npt.NDArray[np.int32]:
    """Return the lengths of the rows of a batch, ``[size]``; padding rows have length 0.

    Args:
        lengths: the lengths of the other rows, which come first.
        size: the number of rows of the batch.
    """
    padded = np.zeros(size, np.int32)
    padded[: len(lengths)] = lengths
    return padded


def pad_rows(
    rows: Sequence[npt.NDArray[Any]],
    shape: tuple[int, int],
    *,
    axis: int = 0,
    fill: float = 0,
) -> npt.NDArray[Any]:
    """Stack arrays of different lengths, padded to one length, followed by padding rows.

    Args:
        rows: at least one array; all of one dtype, and of the same shape except along one axis.
        shape: size of the batch, which is at least the number of rows, and their padded length.
        axis: the axis to pad, which comes after the batch axis.
        fill: the value of the padding.
    """
    first = rows[0]
    whole = (*first.shape[:axis], *shape, *first.shape[axis + 1 :])
    padded = np.full(whole, fill, first.dtype)
    before = (slice(None),) * axis
    for number, row in enumerate(rows):
        padded[(*before, number, slice(row.shape[axis]))] = row
    return padded


def shuffled_batches(
    sentences: int, batch: int, generator: np.random.Generator
) -> Iterator[list[int]]:
    """Yield sentence numbers in random order.

    Args:
        sentences: the number of sentences.
        batch: the number of sentences in a batch; the last one may be smaller.
        generator: the random generator.
    """
    order = generator.permutation(sentences).tolist()
    for start in range(0, sentences, batch):
        yield order[start : start + batch]


def balanced_batches(
    lengths: Sequence[int], batch: int, generator: np.random.Generator
) -> Iterator[list[int]]:
    """Yield sentence numbers in random order, in batches with about the same number of words.

    The number of batches is that of ``shuffled_batches``; none of them is empty.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the mean number of sentences in a batch.
        generator: the random generator.
    """
    order = generator.permutation(len(lengths))
    batches = -(-len(lengths) // batch)
    words = np.cumsum(np.asarray(lengths)[order])
    number = np.arange(1, batches)
    ends = np.searchsorted(words, words[-1] * number / batches) if batches > 1 else number
    # A long sentence may have as many words as several batches.
    ends = np.maximum.accumulate(np.maximum(ends, number) - number) + number
    ends = np.minimum(ends, len(order) - batches + number)
    for members in np.split(order, ends):
        yield members.tolist()


MEAN_LENGTH = 24
"""The sentence length for which the size of a batch of ``bucketed_batches`` is exact."""


_SHORTEST = 16
"""The minimal padded length: short sentences have few words in total, and this saves a shape."""


def padded_length(words: int) -> int:
    """Return the length that a sentence is padded to: one of two between powers of two."""
    return round_up(words, _SHORTEST, 2)


def room(length: int, batch: int) -> int:
    """Return the number of sentences of a given length in a batch of ``bucketed_batches``.

    Args:
        length: a length returned by ``padded_length``.
        batch: the size of a batch.
    """
    return max(1, MEAN_LENGTH * batch // length)


def bucketed_batches(
    lengths: Sequence[int], batch: int, generator: np.random.Generator | None = None
) -> Iterator[list[int]]:
    """Yield sentence numbers in batches of one padded length each, with few shapes in total.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the number of sentences of ``MEAN_LENGTH`` words in a batch; for other lengths the
            number is adjusted so that padded batches have about the same number of words.
        generator: the random generator; None for ascending lengths.
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


_PARSED_WORDS = 768
"""Words of a batch of ``in_small_batches``, with padding: as many take full advantage of the
arithmetic of a processor, and more would only add padding to the last batch."""

_SHORT = 12
"""The minimal padded length there: lines of speech and chat have few words."""


def in_small_batches(lengths: Sequence[int]) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """Yield sentence numbers in batches with little padding, from short to long.

    The padded length of a sentence depends only on its own length, so that what is computed for it
    does not depend on the other sentences.

    Args:
        lengths: ``[sentences]`` words of each.

    Yields:
        The sentences of a batch, and its shape: the number of sentences and their padded length.
    """
    members: dict[int, list[int]] = {}
    for i, words in enumerate(lengths):
        members.setdefault(_SHORT if words <= _SHORT else padded_length(words), []).append(i)
    for length, of in sorted(members.items()):
        size = max(1, _PARSED_WORDS // length)
        for start in range(0, len(of), size):
            yield of[start : start + size], (size, length)


def buckets(lengths: Sequence[int], batch: int) -> int:
    """Return how many batches ``bucketed_batches`` yields.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the size of a batch.
    """
    return sum(-(-len(of) // room(length, batch)) for length, of in _buckets(lengths).items())


def _buckets(lengths: Sequence[int]) -> dict[int, list[int]]:
    """Return the numbers of the sentences of each padded length, in ascending order of length."""
    buckets: dict[int, list[int]] = {}
    for i, words in enumerate(lengths):
        buckets.setdefault(padded_length(words), []).append(i)
    return dict(sorted(buckets.items()))


def by_length(lengths: Sequence[int], batch: int, words: int) -> Iterator[list[int]]:
    """Yield sentence numbers from short to long, in batches within both limits.

    Args:
        lengths: ``[sentences]`` words of each.
        batch: the maximal number of sentences in a batch.
        words: the maximal number of words in a batch; a longer sentence forms its own batch.
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
