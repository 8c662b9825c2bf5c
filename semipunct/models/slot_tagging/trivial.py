"""The trivial baseline: the usual mark at the end of a sentence, and none before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Puncteme, Sentence, open_slots, unfillable
from semipunct.features.strings import SlotStrings, target_counts


@dataclass(frozen=True, slots=True)
class Trivial:
    """Slots independent of words and tree: one distribution for the last slot, one for all others.

    Attributes:
        tags: the strings of slots.
        log_probability: ``[2, tags]`` of inner slots and of last slots.
    """

    tags: SlotStrings
    log_probability: npt.NDArray[np.float64]

    @classmethod
    def fit(cls, sentences: Sequence[Sentence]) -> Trivial:
        """Estimate the distributions, with a pseudo-count of 1 / tags for each tag."""
        tags = SlotStrings.of(sentences)
        counts = target_counts(tags, sentences) + 1 / len(tags)
        return cls(tags, np.log(counts / counts.sum(1, keepdims=True)))

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """Return ``[sentences]`` log p(strings)."""
        log_p = np.empty(len(sentences))
        for i, s in enumerate(sentences):
            evidence = self.tags.log_evidence(s.slots).astype(np.float64)
            rows = np.array([*[0] * (len(s.slots) - 1), 1])
            scores = np.logaddexp.reduce(evidence + self.log_probability[rows], 1)
            log_p[i] = np.sum(open_slots(s, scores.tolist()))
        return log_p

    def restore(self, sentences: Sequence[Sentence]) -> list[tuple[Puncteme, ...]]:
        """Predict the minimum-risk string: one for the last slot, one for all others."""
        inner, last = self.tags.least_risk(np.exp(self.log_probability))
        return [
            (*(() if i in unfillable(s) else inner for i in range(len(s.slots) - 1)), last)
            for s in sentences
        ]
