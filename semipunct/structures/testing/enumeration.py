"""Expected results for a structure, as sums over a list of derivations.

Implemented in NumPy in double precision, without code of the structures and semirings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import numpy as np


class Event(NamedTuple):
    """One derivation of one item of a batch.

    Attributes:
        parts: the number of uses of each part: a pytree shaped like the item's log weights.
        aside: the log of the other factors of its weight.
    """

    parts: Any
    aside: float = 0.0


@dataclass(frozen=True)
class Enumeration:
    """All derivations of one item.

    Attributes:
        parts: ``[derivations, parts]`` the number of uses of each part by each derivation.
        log_weight: ``[derivations]`` their log weights.
    """

    parts: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def of(cls, parts: np.ndarray, aside: np.ndarray, weights: np.ndarray) -> Enumeration:
        """Compute the weights of derivations.

        Args:
            parts: ``[derivations, parts]`` the number of uses of each part by each derivation.
            aside: ``[derivations]`` other terms of their log weights.
            weights: ``[parts]`` log weights; unused ones are ignored.
        """
        with np.errstate(invalid="ignore"):
            used = np.where(parts != 0, parts * weights, 0.0)
        return cls(parts, used.sum(1) + aside)

    @cached_property
    def log_partition(self) -> float:
        """The log of the sum of all weights."""
        largest = self.log_weight.max()
        if largest == -np.inf:
            return -np.inf
        return float(largest + np.log(np.exp(self.log_weight - largest).sum()))

    @cached_property
    def log_prob(self) -> np.ndarray:
        """``[derivations]`` log probabilities."""
        return self.log_weight - self.log_partition

    @cached_property
    def prob(self) -> np.ndarray:
        """``[derivations]`` probabilities."""
        return np.exp(self.log_prob)

    @cached_property
    def possible(self) -> int:
        """The number of derivations with nonzero weight."""
        return int((self.log_weight > -np.inf).sum())

    @cached_property
    def marginals(self) -> np.ndarray:
        """``[parts]`` the expected number of uses of each part."""
        return self.prob @ self.parts

    @cached_property
    def used(self) -> np.ndarray:
        """``[parts]`` true if any derivation, possible or not, uses the part."""
        return (self.parts != 0).any(0)

    def ranking(self, count: int) -> np.ndarray:
        """Return the largest log weights in order, minus infinity beyond the last."""
        best = np.sort(self.log_weight)[::-1][:count]
        return np.concatenate([best, np.full(count - len(best), -np.inf)])

    def expectation(self, feature: np.ndarray) -> float:
        """Return the expectation of a feature that is additive over parts."""
        return float(self.prob @ (self.parts @ feature))

    def covariance(self, first: np.ndarray, second: np.ndarray) -> float:
        """Return the covariance of two features that are additive over parts.

        Args:
            first: ``[parts]``.
            second: ``[parts]``.
        """
        return float(self.covariances(first) @ second)

    def covariances(self, feature: np.ndarray) -> np.ndarray:
        """Return the covariance ``[parts]`` of a feature with the use of each part."""
        return self._covariances(self.parts @ feature)

    @cached_property
    def entropy(self) -> float:
        """The entropy in nats."""
        return self.cross_entropy(self)

    @cached_property
    def entropy_slopes(self) -> np.ndarray:
        """``[parts]`` the derivative of the entropy with respect to each log weight."""
        return -self._covariances(np.where(self.prob > 0, self.log_weight, 0.0))

    def cross_entropy(self, reference: Enumeration) -> float:
        """Return E_p[-log q] in nats, where p is this distribution and q the other."""
        is_possible = self.prob > 0
        return float(-(self.prob[is_possible] @ reference.log_prob[is_possible]))

    def kl(self, reference: Enumeration) -> float:
        """Return the Kullback-Leibler divergence KL(p || q) in nats; q is the other."""
        return self.cross_entropy(reference) - self.entropy

    def find(self, rows: np.ndarray) -> np.ndarray:
        """Return the index of each row ``[rows, parts]`` among the derivations.

        Raises:
            AssertionError: if a row is not a derivation.
        """
        numbers = {row.tobytes(): i for i, row in enumerate(self.parts)}
        # Adding zero turns minus zero, which has different bytes, into zero.
        missing = [row for row in rows if (row + 0.0).tobytes() not in numbers]
        if missing:
            raise AssertionError(
                f"{len(missing)} of {len(rows)} answers are no derivation of the enumeration; the "
                f"first uses the parts {np.flatnonzero(missing[0]).tolist()}, "
                f"so often: {missing[0][missing[0] != 0].tolist()}"
            )
        return np.array([numbers[(row + 0.0).tobytes()] for row in rows], int)

    def _covariances(self, value: np.ndarray) -> np.ndarray:
        return (self.prob * (value - self.prob @ value)) @ (self.parts - self.marginals)


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """Return the p-value of Pearson's test.

    Args:
        observed: ``[outcomes]`` observed counts.
        expected: ``[outcomes]`` expected counts; outcomes below five are merged.
    """
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 5:
        largest = expected.argmax()
        for x in (observed, expected):
            x[largest] += x[-1]
        observed, expected = observed[:-1], expected[:-1]
    if len(observed) < 2:
        return 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(jax.lax.igammac((len(observed) - 1) / 2, statistic / 2))
