"""Agreement with Nunberg's rules: figures for a hand-written channel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semipunct.papers.analysis.agreement import Channel, confidence, recall
from semipunct.papers.analysis.nunberg import treatment


def made(tokens: str, table: dict[str, tuple[float, float, float, float]]) -> Channel:
    """Build a channel of single characters with edits for some bigrams; all others are kept."""
    probability = np.zeros((4, len(tokens), len(tokens)))
    probability[0] = 1
    for (a, b), edits in table.items():
        probability[:, tokens.index(a), tokens.index(b)] = edits
    return Channel(tuple(tokens), probability)


CHANNEL = made(
    ",.;”",
    {  # keep, absorb left, absorb right, transpose
        ",.": (0.1, 0.8, 0.06, 0.04),
        ".,": (0.4, 0.1, 0.3, 0.2),
        ";.": (0.25, 0.25, 0.25, 0.25),
        "”.": (0.3, 0.1, 0.3, 0.3),
        "”,": (0.85, 0.05, 0.04, 0.06),
        ",,": (0.2, 0.0, 0.8, 0.0),
    },
)


@pytest.mark.parametrize(
    "bigram, rank, reciprocal",
    [
        (",.", 1, 1),  # absorb left, the first
        (".,", 2, 1 / 2),  # absorb right after keep
        (";.", 4, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),  # four alike
        ("”.", 3, (1 + 1 / 2 + 1 / 3) / 3),  # transpose, tied with two at the top
        ("”,", 2, 1 / 2),
        (",,", 1, 1),
    ],
)
def test_ranks(bigram: str, rank: int, reciprocal: float):
    (found,) = recall(CHANNEL, [treatment(*bigram)]).ranked
    assert found.rank == rank
    assert found.reciprocal_rank == pytest.approx(reciprocal)


def test_mean_reciprocal_ranks():
    pairs = (",.", ".,", ";.", "”.", "”,", ",,", ",!", "!!")
    found = recall(CHANNEL, [treatment(*bigram) for bigram in pairs])
    total = 1 + 1 / 2 + 25 / 48 + 11 / 18 + 1 / 2 + 1
    assert found.mean_reciprocal_rank == pytest.approx(total / 6)
    # ", !" has four outcomes and "! !" two; the channel has neither.
    assert [rule.a + rule.b for rule in found.missing] == [",!", "!!"]
    assert found.mean_over_all == pytest.approx((total + 1 / 4 + 1 / 2) / 8)
    assert found.ranks == (2, 2, 2)
    decided = found.decided
    assert [r.rule.a + r.rule.b for r in decided.ranked] == [",.", "”,", ",,"]
    assert decided.mean_reciprocal_rank == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert [rule.a + rule.b for rule in found.stated.missing] == [",!"]
    assert math.isnan(recall(CHANNEL, []).mean_reciprocal_rank)


def test_confident_edits_and_their_precision():
    channel = made(
        ",.”*",
        {
            ",.": (0.1, 0.8, 0.06, 0.04),  # as Nunberg's rule
            ".,": (0.8, 0.1, 0.05, 0.05),  # unlike Nunberg's rule, which absorbs
            "”.": (0.75, 0.05, 0.1, 0.1),  # below the threshold
            "*,": (0.0, 0.0, 1.0, 0.0),  # a mark that he does not consider
            ",,": (0.1, 0.0, 0.9, 0.0),  # as Nunberg's rule
        },
    )
    bigrams = [(a, b) for a, b in (",.", ".,", "”.", "*,", ",,", ",!")]
    found = confidence(channel, bigrams)
    assert [(e.a + e.b, e.edit, e.agrees) for e in found.edits] == [
        ("*,", "absorb_right", False),
        (",,", "absorb_right", True),
        (",.", "absorb_left", True),
        (".,", "keep", False),
    ]
    assert (found.bigrams, found.considered, found.agreeing) == (5, 3, 2)
    assert found.precision == pytest.approx(2 / 3)
    assert (found.changing.considered, found.changing.agreeing) == (2, 2)
    assert math.isnan(confidence(channel, []).precision)
