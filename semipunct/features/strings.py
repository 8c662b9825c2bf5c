"""Strings of slots: the symbols they are coded with, and a distribution over strings never seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.marks import FINAL, INITIAL, OPEN, START, UNK, Puncteme


def alphabet(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the symbols that strings are coded with: special ones first, then the tokens."""
    return (START, INITIAL, FINAL, OPEN, UNK, *tokens)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A normalised distribution over strings of >= 1 tokens: how the open puncteme is written.

    The first token follows ``first``; then, with probability ``1 - stop`` each time, another:
    the same again with probability ``again``, else one from ``first``.

    Attributes:
        first: ``[symbols]`` probabilities, zero for symbols that are no surface token.
        again, stop: probabilities.
    """

    first: tuple[float, ...]
    again: float
    stop: float

    @classmethod
    def of(cls, strings: Iterable[Puncteme], symbols: Sequence[str]) -> Spelling:
        """Estimate the spelling of unseen strings: smoothed counts over distinct seen strings.

        Args:
            strings: distinct, of tokens among the symbols.
            symbols: from ``alphabet``.
        """
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
            raise ValueError("a spelling over other symbols")
        first = np.array(self.first)
        # A string that never stops would be drawn for ever.
        ends = 0 < self.stop <= 1 and 0 <= self.again <= 1
        if not ends or (first < 0).any() or not np.isclose(first.sum(), 1, atol=1e-6):
            raise ValueError("a spelling that is no distribution")

    def log_probability(self, tokens: Sequence[int]) -> float:
        """Return the log probability of being written as ``tokens`` (at least one)."""
        if not tokens:
            return -np.inf
        with np.errstate(divide="ignore"):
            table = self.log_tokens(tokens)
        return float(table[0, 0] + table[1:, 1].sum() + np.log(self.stop))

    def draw(self, generator: np.random.Generator) -> tuple[int, ...]:
        """Draw a string."""
        symbols = len(self.first)
        tokens = [int(generator.choice(symbols, p=self.first))]
        while generator.random() >= self.stop:
            if generator.random() >= self.again:
                tokens.append(int(generator.choice(symbols, p=self.first)))
            else:
                tokens.append(tokens[-1])
        return tuple(tokens)

    def log_tokens(self, tokens: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return ``[tokens, 2]`` log probabilities of tokens, as the first and as a further one."""
        first = np.log(np.array(self.first)[list(tokens)])
        result = np.stack([first, first], 1)
        for i in range(1, len(tokens)):
            same = self.again * (tokens[i] == tokens[i - 1])
            further = same + (1 - self.again) * self.first[tokens[i]]
            result[i, 1] = np.log((1 - self.stop) * further)
        return result
