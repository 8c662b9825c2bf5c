"""Draws of the punctuation of sentences: vectorised categorical draws, and evidence.

Given evidence of the surface, draws are made by sequential importance resampling, a particle filter
(Gordon, Salmond and Smith 1993): the draws of a sentence are particles, its slots are time steps.
At a slot with evidence, labels are drawn from a proposal that depends on the evidence. The weight
of a particle is the probability of the evidence given these labels, times the ratio of model and
proposal; particles are then resampled in proportion to their weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.marks import Puncteme
from semipunct.marks.edits import common_tokens

Floats = npt.NDArray[np.float64]

AT_ONCE = 1 << 14
"""Draws times outcomes compared at a time; with fewer, the overhead of NumPy calls dominates."""


class Categorical(NamedTuple):
    """Categorical distributions, and the distribution of each draw."""

    weight: Floats  # [outcomes, distributions], unnormalised probabilities
    distribution: Ints  # [draws]

    @classmethod
    def of(cls, scores: npt.NDArray[np.float32], distribution: Ints) -> Categorical:
        """Create distributions from log-probabilities, ``[distributions, outcomes]``."""
        weight = scores - scores.max(1, keepdims=True)
        np.exp(weight, out=weight)
        return cls(np.array(weight.T, np.float64, order="C"), distribution)

    def draw(self, points: Floats) -> Ints:
        """Draw outcomes ``[draws]`` by inversion, given uniform numbers ``[draws]`` in [0, 1)."""
        drawn = np.zeros(len(points), np.int64)
        # The loop over outcomes keeps only the draws beyond the current one. Most draws take one of
        # the first outcomes, so few remain.
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
        """Return the probability of an outcome for each draw, ``[draws]``."""
        return (self.weight[outcome] / self.weight.sum(0)).take(self.distribution)


# Weights must not all be zero. If no draw explains the mark, it is kept and the slot has no
# evidence; otherwise this small number has no effect.
UNEXPLAINED = 1e-9
"""Added to the probability of a mark to be kept, which may be zero under all labels drawn."""

# A defensive mixture (Hesterberg 1995): other labels are drawn from the model, so no draw is
# underrepresented by more than the factor ``1 / (1 - GUIDED)``. The value was not tuned.
GUIDED = 0.5
"""Probability of proposing labels that spell the existing string, if there are any."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence of the surface of a sentence."""

    strings: tuple[Puncteme, ...]  # of each slot, without boundary marks; empty for no evidence
    mistaken: float = 0.0  # factor for each existing token that is removed; 0 to keep all tokens

    def weight(self, slot: int, surface: Puncteme) -> float:
        """Return the likelihood of the evidence of a slot, up to a constant."""
        existing = self.strings[slot]
        return self.mistaken ** (len(existing) - common_tokens(existing, surface))


def sample_spelling(
    choices: Sequence[Categorical],
    label: Mapping[Puncteme, int],
    string: Puncteme,
    generator: np.random.Generator,
) -> tuple[list[Ints], Floats]:
    """Draw labels whose concatenation is a string, by forward filtering and backward sampling.

    Labels are independent apart from this condition, so the event "the first j labels spell the
    first b tokens" is a Markov chain in j.

    Args:
        choices: distributions of the labels at a slot, in text order.

    Returns:
        ``[draws]`` labels for each choice, and the probability ``[draws]`` that independent labels
        spell the string; if it is zero, the labels are undefined.
    """
    ends = len(string) + 1
    draws = len(choices[0].distribution)
    # The label that spells the tokens from a to b, if there is one.
    labels = {(a, b): label.get(string[a:b]) for b in range(ends) for a in range(b + 1)}
    table = np.zeros((ends, ends), np.int64)
    for (a, b), number in labels.items():
        table[a, b] = number or 0
    # forward[j][:, b]: the probability that the first j choices spell the first b tokens.
    forward = [np.eye(1, ends).repeat(draws, 0)]
    steps: list[Floats] = []
    for choice in choices:
        step = np.zeros((draws, ends, ends))
        for (a, b), number in labels.items():
            if number is not None:
                step[:, a, b] = choice.probability(number)
        steps.append(step)
        forward.append(np.einsum("da,dab->db", forward[-1], step))
    every = np.arange(draws)
    end = np.full(draws, ends - 1)
    drawn: list[Ints] = []
    for before, step in zip(reversed(forward[:-1]), reversed(steps), strict=True):
        # p(start | end) is proportional to p(start) p(start -> end).
        cumulative = (before * step[every, :, end]).cumsum(1)
        point = generator.random(draws) * cumulative[:, -1]
        start = np.minimum((cumulative <= point[:, None]).sum(1), end)
        drawn.append(table[start, end])
        end = start
    return drawn[::-1], forward[-1][:, -1]


def proposal_ratio(probability: Floats, spells: Floats) -> Floats:
    """Return ``q / p``, the probability of labels under proposal and model, ``[draws]``.

    The proposal is ``q = (1 - GUIDED) p + GUIDED p(labels | they spell the string)``. The
    conditional probability is zero for other labels, and otherwise ``p`` over the probability of
    spelling the string.

    Args:
        probability: ``[draws]``, that labels from the model spell the string.
        spells: ``[draws]``, one if the drawn labels spell it.
    """
    possible = probability > 0
    share = spells / np.where(possible, probability, 1)
    return np.where(possible, 1 - GUIDED + GUIDED * share, 1.0)


def systematic_resample(weights: Floats, generator: np.random.Generator) -> Ints:
    """Resample draws in proportion to their weights; return the indices of survivors.

    Systematic resampling (Kitagawa 1996) uses one random number and evenly spaced points: each draw
    survives its expected number of times, rounded up or down.
    """
    share = weights.cumsum() / weights.sum()
    points = (np.arange(len(weights)) + generator.random()) / len(weights)
    return np.minimum(np.searchsorted(share, points, "right"), len(weights) - 1)


class Request(NamedTuple):
    """A sentence whose punctuation is to be drawn."""

    sentence: Sentence
    evidence: Evidence | None
    generator: np.random.Generator


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws of the surface punctuation of one sentence."""

    # distinct strings drawn for each slot, without boundary marks
    strings: tuple[tuple[Puncteme, ...], ...]
    chosen: Ints  # [draws, slots], indices into ``strings``

    @classmethod
    def of(cls, slots: Ints, strings: Sequence[Puncteme]) -> Draws:
        """Collect draws from indices of strings, ``[slots, draws]``."""
        # The draws of a slot are contiguous, because they are counted slot by slot.
        chosen = np.empty(slots.shape, np.int64).T
        drawn_strings: list[tuple[Puncteme, ...]] = []
        for i, numbers in enumerate(slots):
            # Strings are sorted, because their order breaks ties and their numbers depend on
            # sentences drawn earlier.
            drawn = sorted(np.bincount(numbers).nonzero()[0].tolist(), key=strings.__getitem__)
            place = np.zeros(len(strings), np.int64)
            place[drawn] = np.arange(len(drawn))
            chosen[:, i] = place[numbers]
            drawn_strings.append(tuple(strings[number] for number in drawn))
        return cls(tuple(drawn_strings), chosen)

    @classmethod
    def joined(cls, several: Sequence[Draws]) -> Draws:
        """Concatenate draws of the same slots."""
        if len(several) == 1:
            return several[0]
        joined_strings: list[tuple[Puncteme, ...]] = []
        columns: list[Ints] = []
        for slot in range(len(several[0].strings)):
            strings = sorted({string for draws in several for string in draws.strings[slot]})
            number = {string: i for i, string in enumerate(strings)}
            places = [np.array([number[s] for s in d.strings[slot]], np.int64) for d in several]
            columns.append(
                np.concatenate([p[d.chosen[:, slot]] for p, d in zip(places, several, strict=True)])
            )
            joined_strings.append(tuple(strings))
        return cls(tuple(joined_strings), np.stack(columns).T)
