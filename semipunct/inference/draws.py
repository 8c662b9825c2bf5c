"""Draws of the punctuation of sentences, and requests for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.inference.resampling import Evidence
from semipunct.marks import Puncteme


class Request(NamedTuple):
    """A sentence whose punctuation is to be drawn.

    Attributes:
        sentence: words and tree.
        evidence: evidence of its surface, or None.
        generator: the random number generator.
    """

    sentence: Sentence
    evidence: Evidence | None
    generator: np.random.Generator


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent draws of the surface punctuation of one sentence.

    Attributes:
        strings: for each slot the distinct strings drawn, without boundary marks.
        chosen: ``[draws, slots]`` the index into ``strings`` for each draw and slot.
    """

    strings: tuple[tuple[Puncteme, ...], ...]
    chosen: Ints

    @classmethod
    def of(cls, slots: Ints, strings: Sequence[Puncteme]) -> Draws:
        """Collect draws.

        Args:
            slots: ``[slots, draws]`` the numbers of the strings.
            strings: the strings by number.
        """
        # Draws are counted slot by slot, so those of a slot are contiguous.
        chosen = np.empty(slots.shape, np.int64).T
        drawn_strings: list[tuple[Puncteme, ...]] = []
        for i, numbers in enumerate(slots):
            # The order decides ties, and numbers depend on sentences drawn earlier, so the strings
            # are sorted.
            drawn = sorted(np.bincount(numbers).nonzero()[0].tolist(), key=strings.__getitem__)
            place = np.zeros(len(strings), np.int64)
            place[drawn] = np.arange(len(drawn))
            chosen[:, i] = place[numbers]
            drawn_strings.append(tuple(strings[number] for number in drawn))
        return cls(tuple(drawn_strings), chosen)

    @classmethod
    def joined(cls, several: Sequence[Draws]) -> Draws:
        """Concatenate draws of the same slots.

        Args:
            several: the draws to concatenate, at least one.
        """
        if len(several) == 1:
            return several[0]
        joined_strings: list[tuple[Puncteme, ...]] = []
        columns: list[Ints] = []
        for slot in range(len(several[0].strings)):
            strings = sorted({string for draws in several for string in draws.strings[slot]})
            number = {string: i for i, string in enumerate(strings)}
            places = [np.array([number[s] for s in d.strings[slot]], np.int64) for d in several]
            columns.append(
                np.concatenate([p[d.chosen[:, slot]] for p, d in zip(places, several, strict=True)])
            )
            joined_strings.append(tuple(strings))
        return cls(tuple(joined_strings), np.stack(columns).T)
