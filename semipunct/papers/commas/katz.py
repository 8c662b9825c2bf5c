"""Back-off models of discrete outcomes with the smoothing of Katz (1987).

The probability of an outcome y after a context h is given by its discounted count if it was seen
there; otherwise the model backs off to h', the context without its last element::

    p(y | h) = d(c(h, y)) c(h, y) / c(h)   if c(h, y) > 0
             = a(h) p(y | h')              if c(h) > 0
             = p(y | h')                   otherwise

So log p(y | h) is a sum of a few table entries: one probability, and the log a(h) of the contexts
visited while backing off. Contexts list their most important element first.

Who uses them, as tables of a chain: docs/decisions/0033-commas-in-phrases.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.wording import quantity

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CUTOFF = 7
"""Larger counts are not discounted (5 in Katz 1987, section 2; 7 in the CMU toolkit)."""

_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Katz:
    """Counts of outcomes after contexts of up to ``order`` elements.

    Attributes:
        base: the number of symbols; contexts and outcomes are symbols from 0 to ``base`` - 1.
        keys: for contexts of 0 to ``order`` elements, the n-grams that were seen, in ascending
            order: numbers in base ``base`` whose digits are the elements of the context and the
            outcome.
        counts: the counts of these n-grams.

    Raises:
        ValueError: if keys do not ascend, counts are not positive, or a shorter n-gram is missing.
    """

    base: int
    keys: tuple[Ints, ...]
    counts: tuple[Ints, ...]

    def __post_init__(self) -> None:
        """Check keys and counts."""
        if not self.keys or len(self.keys) != len(self.counts) or self.base < 1:
            raise ValueError("there are no n-grams, or some have no counts")
        for order, (keys, counts) in enumerate(zip(self.keys, self.counts, strict=True)):
            sound = keys.ndim == 1 and keys.shape == counts.shape and len(keys) > 0
            sound = sound and keys.dtype == counts.dtype == np.int64
            if not sound or (np.diff(keys) <= 0).any() or keys[0] < 0 or (counts < 1).any():
                raise ValueError(
                    f"n-grams after {quantity(order, 'part')} are not in order, or lack counts"
                )
            if order and (_places(self.keys[order - 1], self._shorter(keys)) < 0).any():
                raise ValueError(
                    f"n-grams after {quantity(order, 'part')} have ends that are not n-grams"
                )

    @classmethod
    def of(cls, contexts: Any, outcomes: Any, base: int, possible: Any) -> Katz:
        """Count events.

        Args:
            contexts: ``[events, order]`` symbols, the most important element first.
            outcomes: ``[events]`` symbols.
            base: the number of symbols.
            possible: the symbols that may be outcomes; those that never occur are counted once.

        Raises:
            UsageError: if there are so many symbols that an n-gram does not fit a 64-bit number.
        """
        contexts, outcomes = np.asarray(contexts, np.int64), np.asarray(outcomes, np.int64)
        order = contexts.shape[1]
        if base ** (order + 1) >= 2**63:
            raise UsageError(
                f"{base:,} symbols are too many for contexts of {quantity(order, 'part')}; raise "
                "the minimum count of frequent words"
            )
        possible = np.asarray(possible, np.int64)
        unseen = np.setdiff1d(possible, outcomes)
        counted = [np.unique(np.concatenate([outcomes, unseen]), return_counts=True)]
        for parts in range(1, order + 1):
            keys = _folded(contexts[:, :parts], base) * base + outcomes
            counted.append(np.unique(keys, return_counts=True))
        return cls(
            base,
            tuple(keys.astype(np.int64) for keys, _ in counted),
            tuple(counts.astype(np.int64) for _, counts in counted),
        )

    @property
    def order(self) -> int:
        """The number of elements in a complete context."""
        return len(self.keys) - 1

    @property
    def size(self) -> int:
        """The number of entries of the table."""
        return sum(map(len, (*self.keys, *self.contexts)))

    @cached_property
    def contexts(self) -> tuple[Ints, ...]:
        """The contexts of 1 to ``order`` elements that were seen, in ascending order."""
        return tuple(np.unique(keys // self.base) for keys in self.keys[1:])

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        """Offsets of the probabilities after 0 to ``order`` elements, then of the log a(h)."""
        sizes = list(map(len, (*self.keys, *self.contexts)))
        return tuple(sum(sizes[:i]) for i in range(len(sizes)))

    def table(self) -> Floats:
        """Compute the log probabilities and the log a(h) from the counts, ``[size]``."""
        lower = self.counts[0] / self.counts[0].sum()
        probabilities, backoffs = [np.log(lower)], []
        for order in range(1, self.order + 1):
            keys, counts = self.keys[order], self.counts[order]
            group = _places(self.contexts[order - 1], keys // self.base)
            total = np.bincount(group, counts)
            discounted = _discounts(counts)[counts] * counts / total[group]
            left = 1 - np.bincount(group, discounted)
            # Where all counts are large, no mass is left for backing off: count one additional
            # event.
            full = left < _NOTHING
            discounted = np.where(full[group], counts / (total[group] + 1), discounted)
            left = np.where(full, 1 / (total + 1), left)
            below = lower[_places(self.keys[order - 1], self._shorter(keys))]
            backoff_mass = 1 - np.bincount(group, below)
            # Where all outcomes were seen, there is nothing to back off to.
            whole = backoff_mass < _NOTHING
            discounted = np.where(whole[group], discounted / (1 - left)[group], discounted)
            backoffs.append(np.log(np.where(whole, 1.0, left / np.where(whole, 1.0, backoff_mass))))
            probabilities.append(np.log(discounted))
            lower = discounted
        return np.concatenate([*probabilities, *backoffs])

    def entries(self, contexts: Any, outcomes: Any) -> Ints:
        """Find the entries of the table whose sum is the log probability of each outcome.

        Args:
            contexts: ``[queries, order]``.
            outcomes: ``[queries]``, each one of the possible outcomes.

        Returns:
            ``[queries, order + 1]`` positions in the table; -1 stands for no entry.
        """
        contexts, outcomes = np.asarray(contexts, np.int64), np.asarray(outcomes, np.int64)
        places = np.full((len(outcomes), self.order + 1), -1, np.int64)
        open_ = np.ones(len(outcomes), bool)
        for order in range(self.order, -1, -1):
            context = _folded(contexts[:, :order], self.base)
            place = _places(self.keys[order], context * self.base + outcomes)
            is_here = open_ & (place >= 0)
            places[is_here, 0] = self._offsets[order] + place[is_here]
            open_ &= ~is_here
            if order:
                place = _places(self.contexts[order - 1], context)
                passed = open_ & (place >= 0)
                places[passed, order] = self._offsets[self.order + order] + place[passed]
        return places

    def to_data(self) -> dict[str, Any]:
        """Return base, keys and counts by names without a slash."""
        arrays = {f"keys{i}": keys for i, keys in enumerate(self.keys)}
        return {"base": self.base, **arrays, **{f"counts{i}": c for i, c in enumerate(self.counts)}}

    @classmethod
    def from_data(cls, data: Any) -> Katz:
        """Invert ``to_data``.

        Raises:
            KeyError, TypeError, ValueError: if the data is not what ``to_data`` returns.
        """
        orders = sum(name.startswith("keys") for name in data)
        names = [[f"{part}{i}" for i in range(orders)] for part in ("keys", "counts")]
        keys, counts = (tuple(np.asarray(data[name]) for name in part) for part in names)
        return cls(int(data["base"]), keys, counts)

    def _shorter(self, keys: Ints) -> Ints:
        """Return n-grams without the last element of their contexts."""
        return keys // self.base // self.base * self.base + keys % self.base


def _discounts(counts: Ints) -> Floats:
    """Return the discount of each count from 0 to the largest.

    These are Good-Turing discounts with the largest cutoff that the counts of counts permit; where
    they permit none, a constant is subtracted (Ney, Essen and Kneser 1994).
    """
    largest = int(counts.max())
    of = np.bincount(counts, minlength=CUTOFF + 2).astype(np.float64)
    for cutoff in range(CUTOFF, 0, -1):
        r = np.arange(1, cutoff + 1)
        if (of[1 : cutoff + 2] == 0).any():
            continue
        common = (cutoff + 1) * of[cutoff + 1] / of[1]
        if common >= 1:
            continue
        ratio = ((r + 1) * of[r + 1] / (r * of[r]) - common) / (1 - common)
        if (ratio > 0).all() and (ratio <= 1).all():
            discounts = np.ones(max(largest, cutoff) + 1)
            discounts[r] = ratio
            return discounts
    discount = of[1] / (of[1] + 2 * of[2]) if of[1] and of[2] else 0.5
    return np.append(1.0, 1 - discount / np.arange(1, largest + 1))


def _folded(parts: Ints, base: int) -> Ints:
    """Return the numbers ``[queries]`` whose digits are the given symbols ``[queries, parts]``."""
    numbers = np.zeros(len(parts), np.int64)
    for column in parts.T:
        numbers = numbers * base + column
    return numbers


def _places(ascending: Ints, numbers: Ints) -> Ints:
    """Return the position of each number in an ascending array, -1 where it is absent."""
    place = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.where(ascending[place] == numbers, place, -1)
