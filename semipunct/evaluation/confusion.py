"""Confusions of slot strings with others, with examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct.corpus import Sentence
from semipunct.evaluation.restoration import Slots
from semipunct.marks import Puncteme
from semipunct.marks.distance import edit_distance

_AROUND = 4  # words shown on either side of a slot


@dataclass(frozen=True, slots=True)
class Example:
    """A slot in its sentence.

    Attributes:
        sentence: ``file:line``, and the sentence's id.
        before: words to its left, the nearest last.
        after: words to its right.
    """

    sentence: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Slots that have one string and were given another.

    Attributes:
        gold: the string that they have.
        predicted: the string that they were given.
        count: the number of slots.
        edits: their edit distance, summed up.
        examples: some of them, in the order of the treebank.
    """

    gold: Puncteme
    predicted: Puncteme
    count: int
    edits: int
    examples: tuple[Example, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the confusion for JSON."""
        return {
            "gold": " ".join(self.gold),
            "predicted": " ".join(self.predicted),
            "count": self.count,
            "edits": self.edits,
            "examples": [
                {"sentence": e.sentence, "before": " ".join(e.before), "after": " ".join(e.after)}
                for e in self.examples
            ],
        }


def confusions(
    sentences: Sequence[Sentence], predicted: Sequence[Slots], examples: int = 3
) -> list[Confusion]:
    """Return all confusions, those that cost the most edits first.

    Args:
        sentences: with the punctuation that they have.
        predicted: the slots that a system gave them.
        examples: the number to keep of each.
    """
    places: dict[tuple[Puncteme, Puncteme], list[tuple[Sentence, int]]] = defaultdict(list)
    for sentence, slots in zip(sentences, predicted, strict=True):
        for i, pair in enumerate(zip(sentence.slots, slots, strict=True)):
            if pair[0] != pair[1]:
                places[pair].append((sentence, i))
    found = [
        Confusion(
            gold,
            given,
            len(where),
            len(where) * edit_distance(gold, given),
            tuple(_example(*place) for place in where[:examples]),
        )
        for (gold, given), where in places.items()
    ]
    return sorted(found, key=lambda c: (-c.edits, c.gold, c.predicted))


def _example(sentence: Sentence, slot: int) -> Example:
    return Example(
        f"{sentence.path}:{sentence.line} {sentence.sentence_id}",
        sentence.forms[max(0, slot - _AROUND) : slot],
        sentence.forms[slot : slot + _AROUND],
    )
