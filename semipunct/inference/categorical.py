"""Categorical distributions that many draws share, sampled for all draws at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints

Floats = npt.NDArray[np.float64]


class Categorical(NamedTuple):
    """The distributions that draws choose from.

    Attributes:
        weight: ``[columns, kinds]`` of the alternatives, unnormalised.
        kind: ``[draws]`` which of these each draw goes by.
    """

    weight: Floats
    kind: Ints

    @classmethod
    def of(cls, scores: npt.NDArray[np.float32], kind: Ints) -> Categorical:
        """From ``[kinds, columns]`` log weights."""
        by_column = np.ascontiguousarray(scores.T)
        by_column -= by_column.max(0)
        return cls(np.exp(by_column, out=by_column).astype(np.float64), kind)

    def draw(self, points: Floats) -> Ints:
        """``[draws]`` columns, each chosen by a point that is uniform between 0 and 1."""
        drawn = np.zeros(len(points), np.int64)
        still, kind = np.arange(len(points)), self.kind
        points = points * self.weight.sum(0).take(kind)
        passed = np.zeros(self.weight.shape[1])
        for column, weight in enumerate(self.weight):
            if not len(still):
                break
            passed += weight
            drawn[still] = column
            beyond = (passed.take(kind) <= points).nonzero()[0]
            still, kind, points = still[beyond], kind[beyond], points[beyond]
        return drawn

    def probability(self, column: int) -> Floats:
        """``[draws]`` the probability that each draw gives to a column."""
        return (self.weight[column] / self.weight.sum(0)).take(self.kind)
