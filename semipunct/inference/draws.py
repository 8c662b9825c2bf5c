"""Requests for draws of the punctuation of sentences, and the draws."""

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
        evidence: of its surface, or None.
        generator: the source of chance.
    """

    sentence: Sentence
    evidence: Evidence | None
    generator: np.random.Generator


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent draws of the surface punctuation of one sentence.

    Attributes:
        strings: for each slot the different strings drawn, without boundary marks.
        chosen: ``[draws, slots]`` which of them each draw has.
    """

    strings: tuple[tuple[Puncteme, ...], ...]
    chosen: Ints

    @classmethod
    def of(cls, slots: Ints, strings: Sequence[Puncteme]) -> Draws:
        """Collect draws.

        Args:
            slots: ``[slots, draws]`` numbers of strings.
            strings: the strings by number.
        """
        chosen = np.empty(slots.shape[::-1], np.int64)
        found: list[tuple[Puncteme, ...]] = []
        for i, numbers in enumerate(slots):
            # Sorted: numbers depend on the sentences drawn before, and ties go by this order.
            drawn = sorted(np.bincount(numbers).nonzero()[0].tolist(), key=strings.__getitem__)
            place = np.zeros(len(strings), np.int64)
            place[drawn] = np.arange(len(drawn))
            chosen[:, i] = place[numbers]
            found.append(tuple(strings[number] for number in drawn))
        return cls(tuple(found), chosen)
