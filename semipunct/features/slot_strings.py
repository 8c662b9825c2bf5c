"""The strings of punctuation that a slot may have, as the outcomes of a classifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Puncteme, Sentence
from semipunct.corpus.tokens import frequent_tokens, token_counts, with_unknown
from semipunct.features.strings import Spelling, alphabet
from semipunct.marks import OPEN, START, UNK
from semipunct.marks.distance import edit_distance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SlotStrings:
    """The strings that a slot is classified as having; they are called its tags.

    The last tag is the open one, spelt as the punctuation model's open puncteme: every string over
    the token vocabulary has positive probability, and rare tokens are the same ``UNK`` as there.

    Attributes:
        tokens: the token vocabulary.
        strings: the string of each tag but the last; the first is empty.
        spelling: of the open tag.
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
            minimum_string_count: rarer strings are no tags of their own.
        """
        slots = [slot for s in sentences for slot in s.slots]
        tokens = frequent_tokens(token_counts(slots), minimum_token_count)
        counts = Counter(with_unknown(slot, {UNK, *tokens}) for slot in slots)
        seen = {s for s, n in counts.items() if n >= minimum_string_count} | {()}
        strings = tuple(sorted(seen, key=lambda s: (len(s), -counts[s], s)))
        return cls(tokens, strings, Spelling.of(counts, alphabet(tokens)))

    def check(self) -> None:
        """Raise ``ValueError`` unless the first string is empty and the spelling a distribution."""
        if not self.strings or self.strings[0]:
            raise ValueError("strings of tags that do not begin with the empty one")
        self.spelling.check(alphabet(self.tokens))

    def __len__(self) -> int:
        """Return how many tags there are."""
        return len(self.strings) + 1

    @cached_property
    def _code(self) -> dict[str, int]:
        symbols = enumerate(alphabet(self.tokens))
        return {symbol: i for i, symbol in symbols if symbol not in (START, OPEN)}

    @cached_property
    def _distances(self) -> Floats:
        """``[tags - 1, tags]`` edits from each string that can be written to each.

        The open tag stands for strings that are like no other: of about two tokens.
        """
        rows = [
            [*(edit_distance(a, b) for b in self.strings), max(len(a), 2)] for a in self.strings
        ]
        return np.array(rows, np.float64)

    def log_evidence(self, slots: Sequence[Puncteme]) -> npt.NDArray[np.float32]:
        """Return ``[slots, tags]`` log p(string of the slot | tag)."""
        number = {string: i for i, string in enumerate(self.strings)}
        result = np.full((len(slots), len(self)), -np.inf, np.float32)
        for row, slot in zip(result, slots, strict=True):
            string = with_unknown(slot, self._code.keys())
            if (tag := number.get(string)) is not None:
                row[tag] = 0.0
            if string:
                row[-1] = self.spelling.log_probability([self._code[t] for t in string])
        return result

    def codes(self, slots: Sequence[Puncteme]) -> list[int]:
        """Return the tag of each string: its own, or the open one."""
        number = {string: i for i, string in enumerate(self.strings)}
        open_tag = len(self.strings)
        return [number.get(with_unknown(slot, self._code.keys()), open_tag) for slot in slots]

    def least_risk(self, marginals: Floats) -> list[Puncteme]:
        """Return the string of least expected edit distance for each row of ``[slots, tags]``."""
        losses = marginals @ self._distances.T
        losses[:, [UNK in string for string in self.strings]] = np.inf
        return [self.strings[i] for i in losses.argmin(1).tolist()]


def target_counts(tags: SlotStrings, sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
    """Count how often each tag is expected in inner and in last slots, ``[2, tags]``.

    Args:
        tags: the strings.
        sentences: a string that is a tag of its own counts as that tag, others as the open one.
    """
    counts = np.zeros((2, len(tags)))
    for s in sentences:
        evidence = np.exp(tags.log_evidence(s.slots).astype(np.float64))
        evidence[evidence[:, :-1].any(1), -1] = 0
        share = evidence / evidence.sum(1, keepdims=True)
        counts[0] += share[:-1].sum(0)
        counts[1] += share[-1]
    return counts
