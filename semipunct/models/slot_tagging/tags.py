"""Strings of slots as tags: the reduction of punctuation to tagging that competitors use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from semipunct.corpus.sentences import Puncteme, Sentence
from semipunct.features.strings import bare
from semipunct.marks import UNK
from semipunct.models.punctuation.inventory import Inventory, build_inventory
from semipunct.models.punctuation.options import ModelOptions

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tags:
    """The strings that a slot is tagged with.

    The last tag is the open one, spelt as the model's open puncteme: every string over the token
    vocabulary has positive probability, and rare tokens are the same ``UNK`` as in the model.

    Attributes:
        inventory: the token vocabulary and the spelling.
        strings: the string of each tag but the last; the first is empty.
        distances: ``[tags - 1, tags]`` edits from each string that can be written to each.
    """

    inventory: Inventory
    strings: tuple[Puncteme, ...]
    distances: Floats

    @classmethod
    def of(cls, sentences: Sequence[Sentence], minimum: int = 2) -> Tags:
        """Collect the strings seen at least ``minimum`` times in training sentences."""
        inventory = build_inventory(sentences, ModelOptions())
        known = set(inventory.tokens)
        counts = Counter(
            tuple(t if t in known else UNK for t in bare(slot))
            for s in sentences
            for slot in s.slots
        )
        seen = {string for string, n in counts.items() if n >= minimum} | {()}
        strings = tuple(sorted(seen, key=lambda s: (len(s), -counts[s], s)))
        # The open tag stands for strings that are like no other: of about two tokens.
        distances = [
            [*(Levenshtein.distance(a, b) for b in strings), max(len(a), 2)] for a in strings
        ]
        return cls(inventory, strings, np.array(distances, np.float64))

    def __len__(self) -> int:
        """How many tags there are."""
        return len(self.strings) + 1

    def log_evidence(self, slots: Sequence[Puncteme]) -> npt.NDArray[np.float32]:
        """``[slots, tags]`` log probability that each tag is written as the string of each slot."""
        number = {string: i for i, string in enumerate(self.strings)}
        names = self.inventory.symbols
        result = np.full((len(slots), len(self)), -np.inf, np.float32)
        for row, slot in zip(result, slots, strict=True):
            codes = self.inventory.encode(bare(slot))
            tag = number.get(tuple(names[c] for c in codes))
            if tag is not None:
                row[tag] = 0.0
            if codes:
                row[-1] = self.inventory.spelling.log_probability(codes)
        return result

    def least_risk(self, marginals: Floats) -> list[Puncteme]:
        """For each row of ``[slots, tags]`` the string of least expected edit distance."""
        losses = marginals @ self.distances.T
        losses[:, [UNK in string for string in self.strings]] = np.inf
        return [self.strings[i] for i in losses.argmin(1).tolist()]


def target_counts(tags: Tags, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
    """``[2, tags]`` how often each tag is expected in inner and in last slots of sentences."""
    counts = np.zeros((2, len(tags)))
    for s in sentences:
        evidence = np.exp(tags.log_evidence(s.slots).astype(np.float64))
        # A string that is a tag of its own is counted as that tag.
        evidence[evidence[:, :-1].any(1), -1] = 0
        share = evidence / evidence.sum(1, keepdims=True)
        counts[0] += share[:-1].sum(0)
        counts[1] += share[-1]
    return counts
