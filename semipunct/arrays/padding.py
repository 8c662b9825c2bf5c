"""Padding: sentences concatenated in arrays of few shapes.

Totals are padded to sizes that suffice for most batches of a run (docs/decisions/recursions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def round_up(size: int, least: int = 8, steps: int = 4) -> int:
    """Return the next size >= ``least`` of the form (1 + i / steps) * 2^k, with i < steps."""
    size = max(size, least)
    unit = max(1, 2 ** (int(size).bit_length() - steps.bit_length()))
    return -(-size // unit) * unit


def row_lengths(lengths: Sequence[int], size: int) -> npt.NDArray[np.int32]:
    """Pad the lengths of the rows of a batch with zeros, to ``[size]``."""
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
    """Stack arrays, padded along one axis, followed by padding rows.

    Args:
        rows: at least one array; shapes differ only along ``axis``.
        shape: number of rows and padded length.
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
    """Yield sentence numbers in random order; the last batch may be smaller."""
    order = generator.permutation(sentences).tolist()
    for start in range(0, sentences, batch):
        yield order[start : start + batch]


def balanced_batches(
    lengths: Sequence[int], batch: int, generator: np.random.Generator
) -> Iterator[list[int]]:
    """Yield sentence numbers in random order, in batches with about equally many words.

    There are as many batches as from ``shuffled_batches``, none empty.
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


# Sentence length at which the batch size of ``bucketed_batches`` is exact.
MEAN_LENGTH = 24


# Minimal padded length: short sentences have few words in total, and this saves a shape.
_SHORTEST = 16


def padded_length(words: int) -> int:
    """Return the padded length of a sentence: one of two sizes per power of two."""
    return round_up(words, _SHORTEST, 2)


def room(length: int, batch: int) -> int:
    """Return the number of sentences of a padded length in a batch of ``bucketed_batches``."""
    return max(1, MEAN_LENGTH * batch // length)


def bucketed_batches(
    lengths: Sequence[int], batch: int, generator: np.random.Generator | None = None
) -> Iterator[list[int]]:
    """Yield sentence numbers in batches of one padded length each, with few shapes in total.

    Args:
        batch: sentences of ``MEAN_LENGTH`` words in a batch; other lengths are adjusted to batches
            with about equally many words.
        generator: None for ascending lengths.
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


# Padded words in a batch of ``in_small_batches``: enough to use a processor fully; more would only
# pad the last batch.
_PARSED_WORDS = 768

# Minimal padded length there: lines of speech and chat have few words.
_SHORT = 12


def in_small_batches(lengths: Sequence[int]) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """Yield sentence numbers in batches with little padding, and their shape, from short to long.

    The padded length of a sentence, and so its results, depends on no other sentence.
    """
    members = _buckets(lengths, lambda words: _SHORT if words <= _SHORT else padded_length(words))
    for length, of in members.items():
        size = max(1, _PARSED_WORDS // length)
        for start in range(0, len(of), size):
            yield of[start : start + size], (size, length)


def buckets(lengths: Sequence[int], batch: int) -> int:
    """Return the number of batches that ``bucketed_batches`` yields."""
    return sum(-(-len(of) // room(length, batch)) for length, of in _buckets(lengths).items())


def _buckets(
    lengths: Sequence[int], padded: Callable[[int], int] = padded_length
) -> dict[int, list[int]]:
    """Group sentence numbers by padded length, ascending."""
    buckets: dict[int, list[int]] = {}
    for i, words in enumerate(lengths):
        buckets.setdefault(padded(words), []).append(i)
    return dict(sorted(buckets.items()))


def by_length(lengths: Sequence[int], batch: int, words: int) -> Iterator[list[int]]:
    """Yield sentence numbers from short to long, within limits on a batch's sentences and words."""
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
