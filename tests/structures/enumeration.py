"""The expected answer to every question about a structure: sums over a list of derivations.

Plain numpy in double precision; it shares no code with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import stats


class Event(NamedTuple):
    """One derivation of one item of a batch.

    Attributes:
        parts: how often it uses each part: a pytree shaped like the item's log weights.
        aside: the log of what else its weight consists of.
    """

    parts: Any
    aside: float = 0.0


@dataclass(frozen=True)
class Enumeration:
    """All derivations of one item.

    Attributes:
        parts: `[derivations, parts]` how often each derivation uses each part.
        log_weight: `[derivations]` their log weights.
    """

    parts: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def of(cls, parts: np.ndarray, aside: np.ndarray, weights: np.ndarray) -> Enumeration:
        """Weigh derivations: `[parts]` log weights, of which only the used ones count."""
        with np.errstate(invalid="ignore"):
            used = np.where(parts != 0, parts * weights, 0.0)
        return cls(parts, used.sum(1) + aside)

    @cached_property
    def log_partition(self) -> float:
        largest = self.log_weight.max()
        if largest == -np.inf:
            return -np.inf
        return float(largest + np.log(np.exp(self.log_weight - largest).sum()))

    @cached_property
    def log_prob(self) -> np.ndarray:
        return self.log_weight - self.log_partition

    @cached_property
    def prob(self) -> np.ndarray:
        return np.exp(self.log_prob)

    @cached_property
    def possible(self) -> int:
        """How many derivations have any weight."""
        return int((self.log_weight > -np.inf).sum())

    @cached_property
    def marginals(self) -> np.ndarray:
        return self.prob @ self.parts

    @cached_property
    def used(self) -> np.ndarray:
        """Which parts any derivation uses, possible or not."""
        return (self.parts != 0).any(0)

    def ranked(self, count: int) -> np.ndarray:
        """The largest log weights in order, minus infinity beyond the last."""
        best = np.sort(self.log_weight)[::-1][:count]
        return np.concatenate([best, np.full(count - len(best), -np.inf)])

    def expectation(self, feature: np.ndarray) -> float:
        return float(self.prob @ (self.parts @ feature))

    def covariance(self, first: np.ndarray, second: np.ndarray) -> float:
        """Of two features that add up over parts."""
        return float(self.covariances(first) @ second)

    def covariances(self, feature: np.ndarray) -> np.ndarray:
        """`[parts]` the covariance of a feature with the use of each part."""
        return self._covariances(self.parts @ feature)

    @cached_property
    def entropy(self) -> float:
        return self.cross_entropy(self)

    @cached_property
    def entropy_slopes(self) -> np.ndarray:
        """`[parts]` the derivative of the entropy with respect to each log weight."""
        return -self._covariances(np.where(self.prob > 0, self.log_weight, 0.0))

    def cross_entropy(self, other: Enumeration) -> float:
        mine = self.prob > 0
        return float(-(self.prob[mine] @ other.log_prob[mine]))

    def kl(self, other: Enumeration) -> float:
        return self.cross_entropy(other) - self.entropy

    def find(self, rows: np.ndarray) -> np.ndarray:
        """The index of each row `[rows, parts]` among the derivations.

        Raises:
            ValueError: if a row is no derivation.
        """
        numbers = {row.tobytes(): i for i, row in enumerate(self.parts)}
        missing = [row for row in rows if (row + 0.0).tobytes() not in numbers]
        if missing:
            raise ValueError(f"{len(missing)} of {len(rows)} are no derivation, e.g. {missing[0]}")
        return np.array([numbers[(row + 0.0).tobytes()] for row in rows])

    def _covariances(self, value: np.ndarray) -> np.ndarray:
        return (self.prob * (value - self.prob @ value)) @ (self.parts - self.marginals)


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """The p-value; what is expected fewer than five times is counted together."""
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 5:
        largest = expected.argmax()
        for x in (observed, expected):
            x[largest] += x[-1]
        observed, expected = observed[:-1], expected[:-1]
    return stats.chisquare(observed, expected).pvalue if len(observed) > 1 else 1.0
