"""Slot taggers and the trivial baseline as systems that score and restore punctuation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, open_slots, unfillable
from semipunct.features.strings import SlotStrings
from semipunct.marks import UNK, Puncteme
from semipunct.marks.edits import edit_distance
from semipunct.models.base import Weights
from semipunct.models.scoring import Batches, answers, log_likelihoods
from semipunct.papers.analysis.tagger import SlotTagger, tag_marginals, written_slots


@dataclass(frozen=True, slots=True)
class TaggerPunctuator:
    """A tagger with its weights, which scores and restores punctuation."""

    model: SlotTagger
    parameters: Weights

    def log_likelihoods(self, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
        """Return ``[sentences]`` log p(strings | words)."""
        batches = Batches(self.model, self.model.encode(sentences))
        return log_likelihoods(self.model, self.parameters, batches)

    def restore(self, sentences: Sequence[Sentence]) -> list[tuple[Puncteme, ...]]:
        """Return the strings with minimum expected edit distance under each slot's marginals."""
        restored: list[tuple[Puncteme, ...]] = [()] * len(sentences)
        batches = Batches(self.model, self.model.encode(sentences))
        for members, _, posteriors in answers(
            self.model, self.parameters, batches, "tag", tag_marginals
        ):
            for row, i in zip(posteriors.astype(np.float64), members, strict=False):
                slots = row[: len(sentences[i].slots)]
                restored[i] = tuple(least_risk(self.model.tags, slots))
        return restored

    def correct(self, sentences: Sequence[Sentence]) -> list[tuple[Puncteme, ...]]:
        """Return the strings with minimum expected edit distance, given the written ones.

        Written strings with unknown tokens stay, since the tagger cannot produce them.
        """
        seen_strings = {*self.model.tags.strings, *self.model.vocabulary.written}
        return [
            tuple(
                corrected if written in seen_strings else written
                for written, corrected in zip(written_slots(sentence), slots, strict=True)
            )
            for sentence, slots in zip(sentences, self.restore(sentences), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Trivial:
    """Slots independent of words and tree: a distribution for the last slot, and one for others."""

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
        inner, last = least_risk(self.tags, np.exp(self.log_probability))
        return [
            (*(() if i in unfillable(s) else inner for i in range(len(s.slots) - 1)), last)
            for s in sentences
        ]


def least_risk(tags: SlotStrings, marginals: npt.NDArray[np.float64]) -> list[Puncteme]:
    """Return the string of minimum expected edit distance per row of ``[slots, tags]``."""
    strings = tags.strings
    rows = [[*(edit_distance(a, b) for b in strings), max(len(a), 2)] for a in strings]
    losses = marginals @ np.array(rows, np.float64).T
    losses[:, [UNK in string for string in strings]] = np.inf
    return [strings[i] for i in losses.argmin(1).tolist()]


def target_counts(tags: SlotStrings, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
    """Count each tag in inner and in last slots, ``[2, tags]``."""
    counts = np.zeros((2, len(tags)))
    for s in sentences:
        slots = open_slots(s, s.slots)  # the last one is always open
        evidence = np.exp(tags.log_evidence(slots).astype(np.float64))
        evidence[evidence[:, :-1].any(1), -1] = 0
        share = evidence / evidence.sum(1, keepdims=True)
        counts[0] += share[:-1].sum(0)
        counts[1] += share[-1]
    return counts
