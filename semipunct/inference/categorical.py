"""Categorical distributions shared by many draws, sampled for all draws at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints

Floats = npt.NDArray[np.float64]

AT_ONCE = 1 << 14
"""Draws times outcomes compared at a time; with fewer, the overhead of NumPy calls dominates."""


class Categorical(NamedTuple):
    """Categorical distributions, and the distribution of each draw.

    Attributes:
        weight: ``[outcomes, distributions]`` unnormalised probabilities.
        distribution: ``[draws]`` the number of the distribution of each draw.
    """

    weight: Floats
    distribution: Ints

    @classmethod
    def of(cls, scores: npt.NDArray[np.float32], distribution: Ints) -> Categorical:
        """Create the distributions from scores.

        Args:
            scores: ``[distributions, outcomes]`` unnormalised log-probabilities.
            distribution: ``[draws]`` the number of the distribution of each draw.
        """
        weight = scores - scores.max(1, keepdims=True)
        np.exp(weight, out=weight)
        return cls(np.array(weight.T, np.float64, order="C"), distribution)

    def draw(self, points: Floats) -> Ints:
        """Draw outcomes by inversion of the cumulative distribution function, ``[draws]``.

        Args:
            points: ``[draws]`` uniform random numbers in [0, 1).
        """
        drawn = np.zeros(len(points), np.int64)
        # The loop goes through the outcomes and keeps only the draws that lie beyond the current
        # one. Most draws take one of the first outcomes, so few remain for the others.
        still, distribution = np.arange(len(points)), self.distribution
        points = points * self.weight.sum(0).take(distribution)
        cumulative = np.zeros(self.weight.shape[1])
        outcomes = len(self.weight)
        for outcome, weight in enumerate(self.weight):
            if len(still) * (outcomes - outcome) <= AT_ONCE:
                remaining = self.weight[outcome:].take(distribution, 1)
                remaining[0] += cumulative.take(distribution)
                passed = (remaining.cumsum(0) <= points).sum(0)
                drawn[still] = np.minimum(outcome + passed, outcomes - 1)
                break
            cumulative += weight
            drawn[still] = outcome
            beyond = (cumulative.take(distribution) <= points).nonzero()[0]
            still, distribution, points = still[beyond], distribution[beyond], points[beyond]
        return drawn

    def probability(self, outcome: int) -> Floats:
        """Return the probability of an outcome under the distribution of each draw, ``[draws]``."""
        return (self.weight[outcome] / self.weight.sum(0)).take(self.distribution)
