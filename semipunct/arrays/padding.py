"""Padding: sentences laid end to end in arrays of few shapes.

Sentences are packed one after another, never padded to the longest. Padded are the sums of their
words, feature entries and absorptions, to sizes that most batches of a run fit into, so that a
whole run compiles two or three shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import jax
import numpy as np
import numpy.typing as npt


class SparseRows(NamedTuple):
    """Padded sparse feature vectors of the nodes of a batch.

    Attributes:
        node: ``[entries]`` ascending; padding points past the last node.
        context: ``[entries]`` feature numbers.
        value: ``[entries]``; zero in the padding.
    """

    node: jax.Array | npt.NDArray[np.int32]
    context: jax.Array | npt.NDArray[np.int32]
    value: jax.Array | npt.NDArray[np.float32]


def round_up(size: int, least: int = 8) -> int:
    """Return the next size of the form 2^k, 1.25 * 2^k, 1.5 * 2^k or 1.75 * 2^k.

    Args:
        size: the size that is needed.
        least: the lower bound of the result.
    """
    size = max(size, least)
    unit = max(1, 2 ** (int(size).bit_length() - 3))
    return -(-size // unit) * unit


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
