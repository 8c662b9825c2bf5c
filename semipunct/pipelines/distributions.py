"""Distributions over the strings of slots: relative frequencies of draws, and weighted means."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.marks import Puncteme
from semipunct.marks.edits import edit_distance
from semipunct.models.punctuation.draws import Draws

Floats = npt.NDArray[np.float64]

# Strings of a slot in JSON, the most probable first.
LISTED = 5


@dataclass(frozen=True, slots=True)
class SlotPosterior:
    """The posterior distribution over the strings of one slot, estimated from draws.

    Attributes:
        probability: ``[strings]``
    """

    strings: tuple[Puncteme, ...]
    probability: Floats

    @property
    def entropy(self) -> float:
        """The entropy in nats."""
        return float(-(self.probability * np.log(self.probability)).sum()) + 0.0

    def of(self, string: Puncteme) -> float:
        """Return the probability of a string; zero if it was never drawn."""
        probability_of = dict(zip(self.strings, self.probability.tolist(), strict=True))
        return probability_of.get(string, 0.0)

    def expected_distances(self, candidates: Sequence[Puncteme]) -> Floats:
        table = [[edit_distance(c, s) for s in self.strings] for c in candidates]
        return np.array(table, np.float64) @ self.probability

    def as_dict(self, string: Puncteme) -> dict[str, Any]:
        alternatives = dict(zip(self.strings[:LISTED], self.probability.tolist(), strict=False))
        alternatives.setdefault(string, self.of(string))
        return {
            "surface": list(string),
            "probability": self.of(string),
            "entropy_nats": self.entropy,
            "alternatives": [
                {"surface": list(s), "probability": p} for s, p in alternatives.items()
            ],
        }


def posteriors(draws: Draws) -> tuple[SlotPosterior, ...]:
    """Return the relative frequencies of the strings among the draws of each slot."""
    views: list[SlotPosterior] = []
    for strings, chosen in zip(draws.strings, draws.chosen.T, strict=True):
        counts = np.bincount(chosen, minlength=len(strings))
        order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]]
        share = counts[order] / len(chosen)
        views.append(SlotPosterior(tuple(strings[i] for i in order), share))
    return tuple(views)


# Means and predictions omit less probable strings; one draw of the usual 1,000 has ten times as
# much.
_NEGLIGIBLE = 1e-4


def rank_strings(
    strings: Sequence[Puncteme], table: Floats, empty: Set[int]
) -> tuple[SlotPosterior, ...]:
    """Return the distributions of the slots under a network.

    Args:
        table: ``[slots, strings]`` the probabilities.
    """
    order = np.argsort(-table, kind="stable")
    counts = np.maximum(1, (table > _NEGLIGIBLE).sum(1))
    nothing = SlotPosterior(((),), np.ones(1))
    return tuple(
        nothing if slot in empty else _ranked(strings, row, ranks[:count])
        for slot, (row, ranks, count) in enumerate(zip(table, order, counts.tolist(), strict=True))
    )


def _ranked(strings: Sequence[Puncteme], probability: Floats, places: Ints) -> SlotPosterior:
    share = probability[places]
    return SlotPosterior(tuple(strings[i] for i in places.tolist()), share / share.sum())


def mean(several: Sequence[SlotPosterior], weights: Sequence[float]) -> SlotPosterior:
    """Return the weighted mean of distributions over the strings of one slot."""
    total: dict[Puncteme, float] = {}
    for view, weight in zip(several, weights, strict=True):
        for string, probability in zip(view.strings, view.probability.tolist(), strict=True):
            total[string] = total.get(string, 0.0) + weight * probability
    ranked = sorted(total.items(), key=itemgetter(1), reverse=True)  # stable: the first wins ties
    probable = [item for item in ranked if item[1] > _NEGLIGIBLE] or ranked[:1]
    probability = np.array([p for _, p in probable])
    return SlotPosterior(tuple(s for s, _ in probable), probability / probability.sum())
