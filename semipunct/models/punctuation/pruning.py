"""Pruning: removal of small weights, and of features left without weights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.features.index import Conjunction, FeatureIndex
from semipunct.features.support import Support
from semipunct.features.templates import TABLES, Table
from semipunct.models.punctuation.attach import FEATURES, weights_of

Array = npt.NDArray[Any]


# Binary search over seven thresholds takes three steps, each evaluating all held-out sentences.
THRESHOLDS: npt.NDArray[np.float64] = 2.0 ** np.arange(-11.0, -4.0)
"""Candidate thresholds, from 0.0005 to 0.03; weights reach one and more."""


def prune_weights(
    parameters: Mapping[str, Array],
    allowance: float,
    perplexity: Callable[[Mapping[str, Array]], float],
) -> dict[str, Array]:
    """Set as many small feature weights to zero as an allowance in perplexity permits."""
    limit = perplexity(parameters) + allowance

    @cache
    def tried(least: float) -> dict[str, Array]:
        return round_weights(parameters, least)

    # Apart from rounding errors, perplexity increases with the threshold.
    suffices = bisect_left(THRESHOLDS, True, key=lambda least: perplexity(tried(least)) > limit)
    return tried(THRESHOLDS[suffices - 1]) if suffices else round_weights(parameters, 0.0)


def round_weights(parameters: Mapping[str, Array], least: float) -> dict[str, Array]:
    """Round feature weights to half precision, and set those below ``least`` to zero.

    The largest weight of each table is kept, so that no table becomes empty.
    """
    rounded = dict(parameters)
    for name in FEATURES:
        weights = parameters[name]
        size = np.abs(weights)
        keep = size >= min(least, size.max(initial=0.0))
        rounded[name] = np.where(keep, weights.astype(np.float16), 0).astype(weights.dtype)
    return rounded


def without_zeros(
    features: FeatureIndex, supports: Mapping[Table, Support], parameters: Mapping[str, Array]
) -> tuple[FeatureIndex, dict[Table, Support], dict[str, Array]]:
    """Remove feature weights that are zero, and features without other weights."""
    kept_parameters = dict(parameters)
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
        kept_parameters[weights_of(table)] = weights[some]
    conjunctions: list[Conjunction] = []
    sizes: dict[Table, int] = dict.fromkeys(TABLES, 0)
    for family in features.conjunctions:
        is_alive = alive[family.table][family.offset : family.offset + len(family.kept)]
        if is_alive.any():
            offset = sizes[family.table]
            conjunctions.append(replace(family, kept=family.kept[is_alive], offset=offset))
            sizes[family.table] += int(is_alive.sum())
    return FeatureIndex(features.vocabulary, tuple(conjunctions), sizes), smaller, kept_parameters
