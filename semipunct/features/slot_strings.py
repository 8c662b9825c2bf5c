"""The punctuation strings of slots, as the classes of a classifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Puncteme, Sentence, open_slots
from semipunct.corpus.statistics import frequent_tokens, token_counts, with_unknown
from semipunct.features.strings import Spelling, alphabet
from semipunct.marks import OPEN, START, UNK
from semipunct.marks.edits import edit_distance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SlotStrings:
    """The strings of slots as classes, called tags.

    The last tag is the open tag, spelt like the punctuation model's open puncteme: every string
    over the token vocabulary has positive probability, and rare tokens are mapped to the same
    ``UNK``.

    Attributes:
        tokens: the token vocabulary.
        strings: the string of each tag except the last; the first is empty.
        spelling: the spelling of the open tag.
    """

    tokens: tuple[str, ...]
    strings: tuple[Puncteme, ...]
    spelling: Spelling

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        minimum_token_count: int = 5,
        minimum_string_count: int = 2,
    ) -> SlotStrings:
        """Collect the frequent strings of training sentences.

        Args:
            sentences: the treebank.
            minimum_token_count: rarer tokens become UNK, as in the punctuation model.
            minimum_string_count: rarer strings are not tags of their own.
        """
        slots = [slot for s in sentences for slot in open_slots(s, s.slots)]
        tokens = frequent_tokens(token_counts(slots), minimum_token_count)
        counts = Counter(with_unknown(slot, {UNK, *tokens}) for slot in slots)
        seen = {s for s, n in counts.items() if n >= minimum_string_count} | {()}
        strings = tuple(sorted(seen, key=lambda s: (len(s), -counts[s], s)))
        return cls(tokens, strings, Spelling.of(counts, alphabet(tokens)))

    def check(self) -> None:
        """Raise ``ValueError`` unless the first string is empty and the spelling a distribution."""
        if not self.strings or self.strings[0]:
            raise ValueError("the first string of tags is not empty")
        self.spelling.check(alphabet(self.tokens))

    def __len__(self) -> int:
        """Return the number of tags."""
        return len(self.strings) + 1

    @cached_property
    def _code(self) -> dict[str, int]:
        symbols = enumerate(alphabet(self.tokens))
        return {symbol: i for i, symbol in symbols if symbol not in (START, OPEN)}

    @cached_property
    def _distances(self) -> Floats:
        """Edit distances from each output string to each tag, ``[tags - 1, tags]``.

        The open tag counts as a string of about two tokens that differs from all others.
        """
        rows = [
            [*(edit_distance(a, b) for b in self.strings), max(len(a), 2)] for a in self.strings
        ]
        return np.array(rows, np.float64)

    def log_evidence(self, slots: Sequence[Puncteme]) -> npt.NDArray[np.float32]:
        """Return ``[slots, tags]`` log p(string of the slot | tag)."""
        number = {string: i for i, string in enumerate(self.strings)}
        log_p = np.full((len(slots), len(self)), -np.inf, np.float32)
        for row, slot in zip(log_p, slots, strict=True):
            string = with_unknown(slot, self._code.keys())
            if (tag := number.get(string)) is not None:
                row[tag] = 0.0
            if string:
                row[-1] = self.spelling.log_probability([self._code[t] for t in string])
        return log_p

    def codes(self, slots: Sequence[Puncteme]) -> list[int]:
        """Return the tag of each string: its own, or the open tag."""
        number = {string: i for i, string in enumerate(self.strings)}
        open_tag = len(self.strings)
        return [number.get(with_unknown(slot, self._code.keys()), open_tag) for slot in slots]

    def least_risk(self, marginals: Floats) -> list[Puncteme]:
        """Return the string of minimum expected edit distance per row of ``[slots, tags]``."""
        losses = marginals @ self._distances.T
        losses[:, [UNK in string for string in self.strings]] = np.inf
        return [self.strings[i] for i in losses.argmin(1).tolist()]


def target_counts(tags: SlotStrings, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
    """Compute the expected counts of each tag in inner and in last slots, ``[2, tags]``.

    Args:
        tags: the strings.
        sentences: strings with a tag of their own count as that tag, others as the open tag.
    """
    counts = np.zeros((2, len(tags)))
    for s in sentences:
        slots = open_slots(s, s.slots)  # the last one is always open
        evidence = np.exp(tags.log_evidence(slots).astype(np.float64))
        evidence[evidence[:, :-1].any(1), -1] = 0
        share = evidence / evidence.sum(1, keepdims=True)
        counts[0] += share[:-1].sum(0)
        counts[1] += share[-1]
    return counts
