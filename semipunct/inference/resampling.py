"""Draws that agree with what is known of the surface: sequential importance resampling.

At a slot of which something is known, some draws choose labels freely and some choose, if
they can, labels that spell what stands there. Every draw is then weighed by how probable what is
known is, given what it chose, times the ratio of the two ways of choosing; and the draws that
weigh much take the place of those that weigh little (Gordon, Salmond and Smith 1993, with a
proposal that looks at the evidence). The shares of draws tend to posterior probabilities as the
number of draws grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.inference.categorical import Categorical
from semipunct.marks import Puncteme
from semipunct.marks.distance import common_tokens

Floats = npt.NDArray[np.float64]

UNEXPLAINED = 1e-9
"""Probability of a mark that stands although the model's own draws never make it."""


SPELT = 0.5
"""Share of the draws that choose labels which spell what stands, if there are any."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the surface of a sentence.

    Attributes:
        strings: for each slot what stands there, without boundary marks; nothing is known of a
            slot where nothing stands.
        mistaken: factor for each token that stands and is taken away: 0 if all stays as it is.
    """

    strings: tuple[Puncteme, ...]
    mistaken: float = 0.0

    def weight(self, slot: int, surface: Puncteme) -> float:
        """How well a surface string agrees with what stands in a slot."""
        stands = self.strings[slot]
        return self.mistaken ** (len(stands) - common_tokens(stands, surface))


def spelling(
    choices: Sequence[Categorical],
    label: Mapping[Puncteme, int],
    string: Puncteme,
    generator: np.random.Generator,
) -> tuple[list[Ints], Floats]:
    """Labels that one after another spell a string, drawn from the choices under that condition.

    Args:
        choices: of the constituents that meet at a slot, in text order.
        label: the number of each label.
        string: what they are to spell.
        generator: the source of chance.

    Returns:
        ``[draws]`` labels for each choice, and ``[draws]`` the probability that free choices spell
        the string; where it is zero the labels mean nothing.
    """
    ends = len(string) + 1
    draws = len(choices[0].kind)
    found = {(a, b): label.get(string[a:b]) for b in range(ends) for a in range(b + 1)}
    # reached[j][:, b]: the probability that the first j choices spell the first b tokens.
    reached = [np.eye(1, ends).repeat(draws, 0)]
    steps: list[Floats] = []
    for choice in choices:
        step = np.zeros((draws, ends, ends))
        for (a, b), column in found.items():
            if column is not None:
                step[:, a, b] = choice.probability(column)
        steps.append(step)
        reached.append(np.einsum("da,dab->db", reached[-1], step))
    every = np.arange(draws)
    end = np.full(draws, ends - 1)
    drawn: list[Ints] = []
    for before, step in zip(reversed(reached[:-1]), reversed(steps), strict=True):
        weight = (before * step[every, :, end]).cumsum(1)
        point = generator.random(draws) * weight[:, -1]
        start = np.minimum((weight <= point[:, None]).sum(1), end)
        table = np.zeros((ends, ends), np.int64)
        for (a, b), column in found.items():
            table[a, b] = column or 0
        drawn.append(table[start, end])
        end = start
    return drawn[::-1], reached[-1][:, -1]


def ratio(probability: Floats, spells: Floats) -> Floats:
    """How much more often labels are chosen than they would be freely.

    Args:
        probability: ``[draws]`` that free choices spell what stands.
        spells: ``[draws]`` one where the labels chosen do.
    """
    possible = probability > 0
    share = spells / np.where(possible, probability, 1)
    return np.where(possible, 1 - SPELT + SPELT * share, 1.0)


def resampled(weights: Floats, generator: np.random.Generator) -> Ints:
    """``[draws]`` which draw takes each place, in proportion to their weights; systematic."""
    share = weights.cumsum() / weights.sum()
    points = (np.arange(len(weights)) + generator.random()) / len(weights)
    return np.minimum(np.searchsorted(share, points, "right"), len(weights) - 1)
