"""The outcomes for which each feature has weights: the outcomes it occurs with in training.

Weights for the hundreds of other punctemes and pairs would only repeat what these weights imply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.features.index import Conjunction, FeatureRows
from semipunct.features.templates import TABLES, Table, Target

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]

# Nodes, or features, counted at a time, to bound the memory.
_TOGETHER = 1 << 14


@dataclass(frozen=True, slots=True)
class Support:
    """The outcomes for which the features of one table have weights, numbered in feature order.

    Attributes:
        start: ``[features + 1]`` first weight of each feature.
        outcome: ``[weights]`` ascending within a feature.
        outcomes: number of outcomes of the table.
    """

    start: Ints
    outcome: npt.NDArray[np.int32]
    outcomes: int

    @property
    def weights(self) -> int:
        return len(self.outcome)

    def counts(self, features: Ints) -> Ints:
        return self.start[features + 1] - self.start[features]

    def of(self, features: Ints) -> tuple[Ints, Ints, npt.NDArray[np.int32]]:
        """Return the number of weights of each feature, and their numbers and outcomes."""
        counts = self.counts(features)
        first = self.start[features] - (counts.cumsum() - counts)
        number = np.arange(int(counts.sum())) + first.repeat(counts)
        return counts, number, self.outcome[number]

    def check(self) -> None:
        """Raise ``ValueError`` unless each feature's outcomes are ascending and in range."""
        if len(self.outcome) != self.start[-1]:
            raise ValueError("the number of outcomes does not match the features")
        ordered = np.diff(self.outcome) > 0
        first = self.start[1:-1]
        ordered[first[(first > 0) & (first < len(self.outcome))] - 1] = True
        if not ordered.all():
            raise ValueError("the outcomes of a feature are not in strictly ascending order")
        if len(self.outcome) and not 0 <= self.outcome.min() <= self.outcome.max() < self.outcomes:
            raise ValueError("an outcome is out of range")

    def table(self, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the weights as a dense table, ``[features, outcomes]``."""
        features = len(self.start) - 1
        table = np.zeros((features, self.outcomes), np.float32)
        table[np.arange(features).repeat(np.diff(self.start)), self.outcome] = weights
        return table


def outcome_columns(table: Table, sizes: Mapping[Target, int]) -> dict[Target, slice]:
    """Return the columns of each target in a table."""
    ends = np.cumsum([0, *(sizes[target] for target in TABLES[table])]).tolist()
    return {t: slice(*ends) for t, ends in zip(TABLES[table], pairwise(ends), strict=True)}


def find_support(
    families: Sequence[Conjunction],
    columns: Mapping[Target, slice],
    rows: FeatureRows,
    possible: csr_array[Any, Any],
    minimum: int,
) -> Support:
    """Choose the outcomes for which the features of a table have weights.

    An outcome is kept if its count with the feature, or its expected count under independence,
    reaches ``minimum``: the absence of an expected outcome is informative.

    Args:
        columns: from ``outcome_columns``.
        possible: ``[nodes, outcomes]`` one for each possible outcome of a node.
    """
    nodes, outcomes = cast(tuple[int, int], possible.shape)
    is_allowed = np.zeros((len(families), outcomes), bool)
    for chosen, family in zip(is_allowed, families, strict=True):
        for target in family.targets:
            chosen[columns[target]] = True
    family_of = np.arange(len(families)).repeat([len(f.kept) for f in families])
    occurs, seen = _counted(rows, possible)
    share = possible.sum(0) / max(1, nodes)
    numbers = [np.zeros((2, 0), np.int64)]
    for first in range(0, rows.size, _TOGETHER):
        part = slice(first, first + _TOGETHER)
        counts = np.maximum(seen[part].toarray(), occurs[part, None] * share)
        numbers.append(np.stack(np.nonzero((counts >= minimum) & is_allowed[family_of[part]])))
        numbers[-1][0] += first
    feature, outcome = np.concatenate(numbers, 1)
    counts = np.bincount(feature, minlength=rows.size)
    start = np.concatenate([np.zeros(1, np.int64), counts.cumsum()])
    return Support(start, outcome.astype(np.int32), outcomes)


def _counted(rows: FeatureRows, possible: csr_array[Any, Any]) -> tuple[Ints, Any]:
    """Count the nodes of each feature, and their outcomes ``[features, outcomes]``."""
    # Imported lazily: a trained model does not need SciPy.
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]

    occurs = np.zeros(rows.size, np.int64)
    nodes, outcomes = cast(tuple[int, int], possible.shape)
    seen: Any = csr_array((rows.size, outcomes), dtype=np.int32)
    for first in range(0, nodes, _TOGETHER):
        ends = rows.start[first : first + _TOGETHER + 1]
        context = rows.context[ends[0] : ends[-1]]
        ones = np.ones(len(context), np.int32)
        occurrences = csr_array((ones, context, ends - ends[0]), shape=(len(ends) - 1, rows.size))
        seen = seen + occurrences.T.tocsr() @ possible[first : first + _TOGETHER]
        occurs += np.bincount(context, minlength=rows.size)
    return occurs, seen
