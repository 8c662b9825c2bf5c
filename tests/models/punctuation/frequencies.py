"""Frequencies of sampled outcomes, and a test of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from scipy import stats

from semipunct.models.punctuation.draws import Draws

LEAST = 8
"""Outcomes with lower expected counts are merged, as the chi-square test requires."""


def pvalue(counts: Mapping[Hashable, int], expected: Mapping[Hashable, float], draws: int) -> float:
    """Test counts against probabilities; other outcomes have the remaining probability."""
    frequent = [x for x, p in expected.items() if p * draws >= LEAST]
    observed = [counts.get(x, 0) for x in frequent]
    expected_counts = [expected[x] * draws for x in frequent]
    observed.append(draws - sum(observed))
    expected_counts.append(max(draws - sum(expected_counts), 1e-9))
    if expected_counts[-1] < LEAST:
        observed, expected_counts = observed[:-1], expected_counts[:-1]
    if len(observed) == 1:
        return stats.binomtest(observed[0], draws, min(expected_counts[0] / draws, 1.0)).pvalue
    return float(stats.chisquare(observed, expected_counts, sum_check=False).pvalue)


def rows(draws: Draws) -> list[tuple[tuple[str, ...], ...]]:
    """Return the strings of each draw."""
    return [
        tuple(strings[i] for strings, i in zip(draws.strings, row, strict=True))
        for row in draws.chosen.tolist()
    ]


def counted(draws: Draws) -> Counter[tuple[tuple[str, ...], ...]]:
    """Count how often each sequence of slot strings was drawn."""
    return Counter(rows(draws))
