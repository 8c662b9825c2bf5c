"""Strings of slots: the symbols that encode them, and a distribution over unseen strings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.marks import FINAL, INITIAL, OPEN, START, UNK, Puncteme


def alphabet(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the symbols that encode strings: special symbols first, then the tokens."""
    return (START, INITIAL, FINAL, OPEN, UNK, *tokens)


@dataclass(frozen=True, slots=True)
class Spelling:
    """A normalised distribution over strings of >= 1 tokens: the spelling of the open puncteme.

    The first token is drawn from ``first``. With probability ``1 - stop`` each time, another token
    follows: with probability ``again`` the same one, otherwise one drawn from ``first``.

    Attributes:
        first: ``[symbols]`` probabilities, zero for symbols that are not surface tokens.
        again, stop: probabilities.
    """

    first: tuple[float, ...]
    again: float
    stop: float

    @classmethod
    def of(cls, strings: Iterable[Puncteme], symbols: Sequence[str]) -> Spelling:
        """Estimate the spelling of unseen strings: smoothed counts over distinct seen strings.

        Args:
            strings: distinct strings of tokens among the symbols.
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
            raise ValueError("the spelling has other symbols")
        first = np.array(self.first)
        # Otherwise sampling a string might never end.
        ends = 0 < self.stop <= 1 and 0 <= self.again <= 1
        if not ends or (first < 0).any() or not np.isclose(first.sum(), 1, atol=1e-6):
            raise ValueError("the spelling is not a distribution")

    def log_probability(self, tokens: Sequence[int]) -> float:
        """Return the log probability of the string ``tokens`` (at least one token)."""
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
