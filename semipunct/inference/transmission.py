"""What the channel makes of underlying strings, by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.inference.kinds import kinds
from semipunct.inference.rewriting import Pass, Rewriter
from semipunct.marks import FINAL, INITIAL, OPEN
from semipunct.model.channel import EDITS
from semipunct.model.punctuation import Parameters, PunctuationModel
from semipunct.treebank.sentences import Puncteme

Symbols = tuple[int, ...]
Ints = npt.NDArray[np.int64]

SHORT = 6
"""Tokens of the strings whose outcomes are listed once and remembered."""


class SlotDraws(NamedTuple):
    """What draws have in one slot.

    Attributes:
        strings: the different surface strings, without boundary marks.
        chosen: ``[draws]`` which of them each draw has.
    """

    strings: list[Puncteme]
    chosen: Ints


@dataclass(frozen=True, slots=True)
class Transmitter:
    """The channel and the spelling of labels.

    Attributes:
        rewriter: the channel.
        number: the symbols' numbers.
        spelt: the symbols of each label.
    """

    rewriter: Rewriter
    number: Mapping[str, int]
    spelt: Sequence[Symbols]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> Transmitter:
        """Read them off a model."""
        number = {s: i for i, s in enumerate(model.inventory.symbols)}
        spelt = [tuple(number[t] for t in label) for label in model.inventory.labels]
        return cls(Rewriter.of(model, parameters), number, spelt)

    def underlying(self, labels: Sequence[int]) -> Puncteme:
        """The tokens of some labels, one after another."""
        names = self.rewriter.inventory.symbols
        return tuple(names[s] for label in labels for s in self.spelt[label])

    def probability(self, given: Puncteme, underlying: Puncteme, surface: Puncteme) -> float:
        """Of a surface string, given the boundary marks of a slot and what is underlying there."""
        before = tuple(t for t in given if t == INITIAL)
        after = tuple(t for t in given if t == FINAL)
        found = self.rewriter.explain((*before, *underlying, *after), (*before, *surface, *after))
        return math.exp(found.log_probability)

    def send(
        self,
        given: Puncteme,
        labels: Sequence[Ints],
        count: int,
        generator: np.random.Generator,
    ) -> SlotDraws:
        """Send what meets at a slot through the channel.

        Args:
            given: the boundary marks of the slot.
            labels: ``[draws]`` the labels of each constituent that ends or starts there, in
                text order.
            count: draws.
            generator: the source of chance.
        """
        boundary = {self.number[t] for t in given}
        before = tuple(self.number[t] for t in given if t == INITIAL)
        after = tuple(self.number[t] for t in given if t == FINAL)
        some = [label for label in labels if label.any()]
        chosen = np.zeros(count, np.int64)
        if not some:
            return SlotDraws([()], chosen)
        known: dict[Symbols, int] = {}
        meeting, kind = kinds(np.stack(some, 1))
        order = np.argsort(kind.astype(np.int32), kind="stable")
        ends = np.bincount(kind).cumsum()
        for row, members in zip(meeting.tolist(), np.split(order, ends[:-1]), strict=True):
            tokens = tuple(s for label in row for s in self.spelt[label])
            strings = {tokens: len(members)}
            if tokens and (boundary or len(tokens) > 1 or self.number[OPEN] in tokens):
                underlying = (*before, *tokens, *after)
                strings = rewritten(self.rewriter, underlying, len(members), generator)
            # Draws with the same underlying string differ elsewhere: none is the first.
            if len(strings) > 1:
                members = generator.permutation(members)
            start = 0
            for string, times in strings.items():
                shown = tuple(s for s in string if s not in boundary)
                chosen[members[start : start + times]] = known.setdefault(shown, len(known))
                start += times
        names = self.rewriter.inventory.symbols
        return SlotDraws([tuple(names[s] for s in string) for string in known], chosen)


def rewritten(
    rewriter: Rewriter, underlying: Symbols, count: int, generator: np.random.Generator
) -> dict[Symbols, int]:
    """How often each surface string comes of sending one string through the channel.

    Args:
        rewriter: the channel.
        underlying: symbols in text order, boundary marks included, at least one.
        count: how often it is sent.
        generator: the source of chance.
    """
    strings = {underlying: count}
    for one in rewriter.passes:
        following: dict[Symbols, int] = {}
        for string, times in strings.items():
            # Of a long string no list of outcomes can be kept: its draws are split edit by edit.
            send = _sent if len(string) <= SHORT else _split
            for written, share in send(one, string, times, generator):
                following[written] = following.get(written, 0) + share
        strings = following
    return _spelt(rewriter, strings, generator)


def _sent(
    one: Pass, string: Symbols, count: int, generator: np.random.Generator
) -> Iterator[tuple[Symbols, int]]:
    """Split a count over the outcomes of one pass."""
    outcomes, cumulative = one.distribution(string)
    if count == 1:
        yield outcomes[int(np.searchsorted(cumulative, generator.random(), "right"))], 1
        return
    drawn = np.searchsorted(cumulative, generator.random(count), "right")
    for outcome, times in zip(outcomes, np.bincount(drawn).tolist(), strict=False):
        if times:
            yield outcome, times


def _split(
    one: Pass, string: Symbols, count: int, generator: np.random.Generator
) -> Iterator[tuple[Symbols, int]]:
    """The same, edit by edit."""
    reading = string[::-1] if one.mirrored else string
    states: dict[tuple[int, Symbols], int] = {(reading[0], ()): count}
    for symbol in reading[1:]:
        following: dict[tuple[int, Symbols], int] = {}
        for (pending, written), times in states.items():
            a, b = (symbol, pending) if one.mirrored else (pending, symbol)
            probability = np.exp(one.log_probability[:, a, b])
            shares = generator.multinomial(times, probability / probability.sum())
            for edit, share in zip(EDITS, shares.tolist(), strict=True):
                if share:
                    stays, writes = one.effect(edit, pending, symbol)
                    key = stays, (*written, *writes)
                    following[key] = following.get(key, 0) + share
        states = following
    for (pending, written), times in states.items():
        end = (*written, pending)
        yield end[::-1] if one.mirrored else end, times


def _spelt(
    rewriter: Rewriter, strings: dict[Symbols, int], generator: np.random.Generator
) -> dict[Symbols, int]:
    """Write out the open puncteme wherever it stands."""
    is_open = rewriter.inventory.symbols.index(OPEN)
    result: dict[Symbols, int] = {}
    for string, times in strings.items():
        if is_open not in string:
            result[string] = result.get(string, 0) + times
            continue
        for _ in range(times):
            text = tuple(
                t
                for s in string
                for t in (rewriter.inventory.spelling.draw(generator) if s == is_open else (s,))
            )
            result[text] = result.get(text, 0) + 1
    return result
