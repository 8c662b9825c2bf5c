"""The outcomes for which each feature has weights: those that it occurs with in training.

A context that occurs a hundred times is seen with few of the hundreds of punctemes and pairs.
Weights for the others would only repeat that they did not occur, which the weights of the observed
outcomes imply already.
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

_TOGETHER = 1 << 14
"""The number of nodes, or features, counted at a time; all at once took many times the memory."""


@dataclass(frozen=True, slots=True)
class Support:
    """The outcomes for which the features of one table have weights.

    Weights are numbered in the order of features.

    Attributes:
        start: ``[features + 1]`` where each feature's weights begin.
        outcome: ``[weights]`` the outcome of each weight; ascending within a feature.
        outcomes: number of outcomes that the table distinguishes.
    """

    start: Ints
    outcome: npt.NDArray[np.int32]
    outcomes: int

    @property
    def weights(self) -> int:
        """The number of weights."""
        return len(self.outcome)

    def counts(self, features: Ints) -> Ints:
        """Return the number of weights of each of some features.

        Args:
            features: ``[features]`` numbers of features.
        """
        return self.start[features + 1] - self.start[features]

    def of(self, features: Ints) -> tuple[Ints, Ints, npt.NDArray[np.int32]]:
        """Return the number of weights of some features, the weights' numbers and their outcomes.

        Args:
            features: ``[features]`` numbers of features.
        """
        counts = self.counts(features)
        first = self.start[features] - (counts.cumsum() - counts)
        number = np.arange(int(counts.sum())) + first.repeat(counts)
        return counts, number, self.outcome[number]

    def check(self) -> None:
        """Check that every feature's outcomes are ascending and belong to the table.

        Raises:
            ValueError: if they are not.
        """
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
        """Return weights as a table with an entry for every outcome, ``[features, outcomes]``.

        Args:
            weights: ``[weights]``.
        """
        features = len(self.start) - 1
        table = np.zeros((features, self.outcomes), np.float32)
        table[np.arange(features).repeat(np.diff(self.start)), self.outcome] = weights
        return table


def outcome_columns(table: Table, sizes: Mapping[Target, int]) -> dict[Target, slice]:
    """Return the columns of a table that belong to each of its targets.

    Args:
        table: the table.
        sizes: number of outcomes of each target.
    """
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

    An outcome must have occurred with the feature a minimum number of times, or must have been
    expected to if the feature made no difference: the absence of an expected outcome is
    informative, too.

    Args:
        families: the families of the table.
        columns: from ``outcome_columns``; outcomes of targets that a family does not have are
            excluded.
        rows: the feature vectors of the training nodes.
        possible: ``[nodes, outcomes]`` one for each possible outcome of a node.
        minimum: minimum count; 0 for weights for all outcomes.
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
    """Count the nodes of each feature, ``[features]``, and outcomes, ``[features, outcomes]``."""
    # SciPy is not needed for using a model.
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
