"""Leaving out weights that hardly say anything, and features that are left without weights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.features.families import Conjunction
from semipunct.features.index import FeatureIndex
from semipunct.features.support import Support
from semipunct.features.templates import TABLES, Table
from semipunct.models.punctuation.attach import FEATURES, weights_of

Array = npt.NDArray[Any]


THRESHOLDS: npt.NDArray[np.float64] = 2.0 ** np.arange(-11.0, -4.0)
"""The sizes that are looked at, from 0.0005 to 0.03; weights reach one and more.

Seven of them are searched in three looks, each of which evaluates all held-out sentences.
"""


def pruned(
    parameters: Mapping[str, Array],
    allowance: float,
    perplexity: Callable[[Mapping[str, Array]], float],
) -> dict[str, Array]:
    """Set as many small weights of features to zero as perplexity allows for.

    Args:
        parameters: weights by name.
        allowance: how much perplexity may rise.
        perplexity: of held-out sentences, given weights.

    Returns:
        Weights that ``perplexity`` was asked about, unless none could be spared.
    """
    limit = perplexity(parameters) + allowance

    @cache
    def tried(least: float) -> dict[str, Array]:
        return rounded(parameters, least)

    # It rises with the threshold, but for the last digits.
    suffices = bisect_left(THRESHOLDS, True, key=lambda least: perplexity(tried(least)) > limit)
    return tried(THRESHOLDS[suffices - 1]) if suffices else rounded(parameters, 0.0)


def rounded(parameters: Mapping[str, Array], least: float) -> dict[str, Array]:
    """Return weights of features in half precision, zero where they are small.

    Args:
        parameters: weights by name.
        least: smaller weights become zero. The largest weight of a table always stays, so that
            a table with weights remains one.
    """
    found = dict(parameters)
    for name in FEATURES:
        weights = parameters[name]
        size = np.abs(weights)
        keep = size >= min(least, size.max(initial=0.0))
        found[name] = np.where(keep, weights.astype(np.float16), 0).astype(weights.dtype)
    return found


def without_zeros(
    features: FeatureIndex, supports: Mapping[Table, Support], parameters: Mapping[str, Array]
) -> tuple[FeatureIndex, dict[Table, Support], dict[str, Array]]:
    """Leave out weights of features that are zero, and features that have no others.

    Args:
        features: the features.
        supports: their weights, by table.
        parameters: weights by name.
    """
    found = dict(parameters)
    smaller: dict[Table, Support] = {}
    alive: dict[Table, npt.NDArray[np.bool_]] = {}
    for table, support in supports.items():
        weights = parameters[weights_of(table)]
        some = weights != 0
        size = len(support.start) - 1
        feature = np.arange(size).repeat(np.diff(support.start))
        counts = np.bincount(feature[some], minlength=size)
        alive[table] = counts > 0
        start = np.concatenate([np.zeros(1, np.int64), counts[alive[table]].cumsum()])
        smaller[table] = Support(start, support.outcome[some], support.outcomes)
        found[weights_of(table)] = weights[some]
    conjunctions: list[Conjunction] = []
    sizes: dict[Table, int] = dict.fromkeys(TABLES, 0)
    for family in features.conjunctions:
        own = alive[family.table][family.offset : family.offset + len(family.kept)]
        if own.any():
            offset = sizes[family.table]
            conjunctions.append(replace(family, kept=family.kept[own], offset=offset))
            sizes[family.table] += int(own.sum())
    return FeatureIndex(features.vocabulary, tuple(conjunctions), sizes), smaller, found
