"""Sums of the weights of features of words with histories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints, unique_rows
from semipunct.features.index import FeatureLookup

Floats = npt.NDArray[np.float32]

CASES_TOGETHER = 1 << 12
"""Number of sums of weights computed at a time, which bounds the memory."""


def summed_weights(
    weights: Floats, lookups: Sequence[tuple[FeatureLookup, Ints]], words: Ints, seen: Ints
) -> Floats:
    """Sum the weights of the features of words with histories, ``[cases, columns]``.

    Args:
        weights: ``[features + 1, columns]`` the weights; the last row, for no feature, is zero.
        lookups: the feature families, each with the part of the codes that depends on the word.
        words: ``[cases]`` the word of each case.
        seen: ``[cases, attributes]`` the codes of each history.
    """
    total = np.zeros((len(words), weights.shape[1]), np.float32)
    for lookup, fixed in lookups:
        values = seen[:, lookup.looked_at]
        first, inverse = unique_rows(words, *values.T)
        rows = lookup.rows(fixed[words[first]], values[first])
        total += _summed(weights, rows).take(inverse, 0)
    return total


def _summed(weights: Floats, rows: npt.NDArray[np.int32]) -> Floats:
    """Sum rows of a table, ``[cases, columns]``.

    Adding one row of each case at a time is twice as fast as gathering all of them and summing.

    Args:
        weights: ``[rows, columns]`` the table.
        rows: ``[cases, summands]`` the rows, at least one for each case.
    """
    parts: list[Floats] = []
    for i in range(0, len(rows), CASES_TOGETHER):
        first, *further_rows = rows[i : i + CASES_TOGETHER].T
        total = weights.take(first, 0)
        for row in further_rows:
            total += weights.take(row, 0)
        parts.append(total)
    return np.concatenate(parts)
