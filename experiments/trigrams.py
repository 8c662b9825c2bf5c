"""A trigram language model of words and marks, and the perplexity of sentences under it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from surfaces import Surface

from semipunct.evaluation.perplexity import PerplexityStatistics

LAMBDA = 0.001
"""Added to every count, as in the paper."""


EDGES = ("<s>", "<s>"), ("</s>",)


class Trigrams:
    """A trigram language model: add-lambda smoothing, or interpolation (Witten and Bell 1991)."""

    def __init__(self, surfaces: Sequence[Surface], types: int) -> None:
        self.types = types
        self.counts = [Counter[tuple[str, ...]]() for _ in range(3)]
        self.histories = [Counter[tuple[str, ...]]() for _ in range(3)]
        for surface in surfaces:
            for trigram, _ in trigrams(surface):
                for n in range(3):
                    self.counts[n][trigram[2 - n :]] += 1
                    self.histories[n][trigram[2 - n : 2]] += 1
        self.followers = [Counter(gram[:-1] for gram in counts) for counts in self.counts]

    def added(self, trigram: tuple[str, ...]) -> float:
        """Return log p of the last token given the first two, with lambda added to all counts."""
        seen, history = self.counts[2][trigram], self.histories[2][trigram[:2]]
        return math.log((seen + LAMBDA) / (history + LAMBDA * self.types))

    def interpolated(self, trigram: tuple[str, ...]) -> float:
        """Return the same with lower orders weighted by the number of followers of a history."""
        p = 1 / self.types
        for n in range(3):
            history = trigram[2 - n : 2]
            followers, occurrences = self.followers[n][history], self.histories[n][history]
            if occurrences:
                p = (self.counts[n][trigram[2 - n :]] + followers * p) / (occurrences + followers)
        return math.log(p)


def trigrams(surface: Surface) -> list[tuple[tuple[str, str, str], bool]]:
    """Return the trigrams of a sentence, each with whether it has punctuation."""
    tokens = surface.tokens
    start, end = ([(edge, False) for edge in edges] for edges in EDGES)
    padded = [*start, *tokens, *end]
    flagged: list[tuple[tuple[str, str, str], bool]] = []
    for i in range(len(padded) - 2):
        (a, x), (b, y), (c, z) = padded[i : i + 3]
        flagged.append(((a, b, c), x or y or z))
    return flagged


def scored(
    surfaces: Sequence[Surface], log_p: Callable[[tuple[str, ...]], float], *, marks_only: bool
) -> PerplexityStatistics:
    """Score sentences; those without a trigram to score are excluded."""
    totals: list[float] = []
    sizes: list[int] = []
    for surface in surfaces:
        log_probs = [log_p(trigram) for trigram, has in trigrams(surface) if has or not marks_only]
        if log_probs:
            totals.append(math.fsum(log_probs))
            sizes.append(len(log_probs))
    return PerplexityStatistics(np.array(totals), np.array(sizes, np.int64))
