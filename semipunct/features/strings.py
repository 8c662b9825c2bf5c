"""Strings of slots: their symbols, their spelling, and strings as classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, open_slots
from semipunct.corpus.statistics import frequent_tokens, token_counts, with_unknown
from semipunct.marks import FINAL, INITIAL, OPEN, START, UNK, Puncteme


def alphabet(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the symbols that encode strings: special symbols first, then the tokens."""
    return (START, INITIAL, FINAL, OPEN, UNK, *tokens)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A distribution over strings of at least one token: the spelling of the open puncteme.

    The first token is drawn from ``first``. Another follows with probability ``1 - stop``: the same
    one with probability ``again``, otherwise one from ``first``, ``[symbols]``.
    """

    first: tuple[float, ...]
    again: float
    stop: float

    @classmethod
    def of(cls, strings: Iterable[Puncteme], symbols: Sequence[str]) -> Spelling:
        """Estimate from smoothed counts over distinct strings."""
        number = {s: i for i, s in enumerate(symbols)}
        first = np.zeros(len(symbols))
        first[number[UNK] :] = 0.5
        repeats, further, ends = 1.0, 2.0, 1.0
        for string in strings:
            for i, token in enumerate(string):
                first[number[token]] += 1
                further += i > 0
                repeats += i > 0 and string[i - 1] == token
            ends += bool(string)
        stop = ends / (ends + further)
        return cls(tuple((first / first.sum()).tolist()), repeats / further, stop)

    def check(self, symbols: Sequence[str]) -> None:
        """Raise ``ValueError`` unless this is a distribution over strings of these symbols."""
        if len(self.first) != len(symbols):
            raise ValueError("the spelling has other symbols")
        first = np.array(self.first)
        # Otherwise sampling a string might never end.
        ends = 0 < self.stop <= 1 and 0 <= self.again <= 1
        if not ends or (first < 0).any() or not np.isclose(first.sum(), 1, atol=1e-6):
            raise ValueError("the spelling is not a distribution")

    def log_probability(self, tokens: Sequence[int]) -> float:
        """Return the log probability of a string of tokens."""
        if not tokens:
            return -np.inf
        with np.errstate(divide="ignore"):
            table = self.log_tokens(tokens)
        return float(table[0, 0] + table[1:, 1].sum() + np.log(self.stop))

    def draw(self, generator: np.random.Generator) -> tuple[int, ...]:
        """Sample a string."""
        symbols = len(self.first)
        tokens = [int(generator.choice(symbols, p=self.first))]
        while generator.random() >= self.stop:
            if generator.random() >= self.again:
                tokens.append(int(generator.choice(symbols, p=self.first)))
            else:
                tokens.append(tokens[-1])
        return tuple(tokens)

    def log_tokens(self, tokens: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return ``[tokens, 2]`` log probabilities of tokens in first and in later position."""
        first = np.log(np.array(self.first)[list(tokens)])
        log_p = np.stack([first, first], 1)
        for i in range(1, len(tokens)):
            repetition = self.again * (tokens[i] == tokens[i - 1])
            further = repetition + (1 - self.again) * self.first[tokens[i]]
            log_p[i, 1] = np.log((1 - self.stop) * further)
        return log_p


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SlotStrings:
    """The strings of slots as classes, called tags.

    The last tag is open, with a ``spelling``, so every string has positive probability.

    Attributes:
        strings: the string of each other tag; the first is empty.
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
            minimum_token_count: rarer tokens become ``UNK``.
            minimum_string_count: rarer strings are left to the open tag.
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
        return len(self.strings) + 1

    @cached_property
    def _code(self) -> dict[str, int]:
        symbols = enumerate(alphabet(self.tokens))
        return {symbol: i for i, symbol in symbols if symbol not in (START, OPEN)}

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
        number = {string: i for i, string in enumerate(self.strings)}
        open_tag = len(self.strings)
        return [number.get(with_unknown(slot, self._code.keys()), open_tag) for slot in slots]
