"""Confusions of the strings of slots, with examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct.corpus.sentences import Sentence, Words
from semipunct.evaluation.restoration import Slots
from semipunct.marks import Puncteme
from semipunct.marks.edits import edit_distance

_AROUND = 4  # words shown on either side of a slot


@dataclass(frozen=True, slots=True)
class Example:
    """A slot in its sentence, with the words around it."""

    sentence: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Slots with the same gold string and the same wrong prediction, and the first as examples."""

    gold: Puncteme
    predicted: Puncteme
    count: int
    edits: int
    examples: tuple[Example, ...]

    def as_dict(self) -> dict[str, Any]:
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
    sentences: Sequence[Sentence[Any] | Words], predicted: Sequence[Slots], examples: int = 3
) -> list[Confusion]:
    """Return all confusions, by decreasing cost in edits."""
    places: dict[tuple[Puncteme, Puncteme], list[tuple[Sentence[Any] | Words, int]]] = defaultdict(
        list
    )
    for sentence, slots in zip(sentences, predicted, strict=True):
        for i, pair in enumerate(zip(sentence.slots, slots, strict=True)):
            if pair[0] != pair[1]:
                places[pair].append((sentence, i))
    all_confusions = [
        Confusion(
            gold,
            predicted_string,
            len(where),
            len(where) * edit_distance(gold, predicted_string),
            tuple(_example(*place) for place in where[:examples]),
        )
        for (gold, predicted_string), where in places.items()
    ]
    return sorted(all_confusions, key=lambda c: (-c.edits, c.gold, c.predicted))


def _example(sentence: Sentence[Any] | Words, slot: int) -> Example:
    return Example(
        f"{sentence.path}:{sentence.line} {sentence.sentence_id}",
        sentence.forms[max(0, slot - _AROUND) : slot],
        sentence.forms[slot : slot + _AROUND],
    )
