"""What is asked of a sentence whose punctuation is to be drawn, and what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semipunct.inference.evidence import Evidence
from semipunct.inference.kinds import Ints, kinds
from semipunct.model.punctuation import TreeScores
from semipunct.treebank.sentences import Puncteme, Sentence


class Request(NamedTuple):
    """A sentence and what is known of it.

    Attributes:
        sentence: words and tree, and boundary marks in the outer slots.
        scores: what words and tree say.
        evidence: what is known of the surface, if anything is.
        generator: the source of chance.
    """

    sentence: Sentence
    scores: TreeScores
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
        """From ``[slots, draws]`` numbers of strings."""
        found = [kinds(numbers) for numbers in slots]
        return cls(
            tuple(
                tuple(strings[i] for i in numbers[first].tolist())
                for numbers, (first, _) in zip(slots, found, strict=True)
            ),
            np.stack([kind for _, kind in found], 1),
        )
