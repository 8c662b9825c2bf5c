"""Surface forms of sentences, and errors in their punctuation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from semipunct.corpus import Sentence
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.reading import to_entry
from semipunct.marks import ABBREVIATION
from semipunct.marks.matching import matched_pairs
from semipunct.marks.tokens import PAIRS


@dataclass(frozen=True)
class Surface:
    """The words of a sentence, with the dots of abbreviations, and the marks around them."""

    words: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, forms: Sequence[str], slots: Sequence[Sequence[str]]) -> Surface:
        """Attach the dots of abbreviations to their words."""
        dots = ["." * list(slot).count(ABBREVIATION) for slot in slots[1:]]
        marks = tuple(tuple(t for t in slot if t != ABBREVIATION) for slot in slots)
        return cls(tuple(form + dot for form, dot in zip(forms, dots, strict=True)), marks)

    @property
    def tokens(self) -> list[tuple[str, bool]]:
        """Words and marks in order; each has a flag that is true for a mark."""
        flagged = [(mark, True) for mark in self.slots[0]]
        for word, slot in zip(self.words, self.slots[1:], strict=True):
            flagged += [(word, False), *((mark, True) for mark in slot)]
        return flagged


@dataclass(frozen=True)
class Pair:
    """A sentence in two forms: with its marks in slots, and with its marks as words."""

    slots: Sentence
    words: Sentence

    @property
    def original(self) -> Surface:
        return Surface.of(self.slots.forms, self.slots.slots)

    def base(self, order: Sequence[int]) -> Surface:
        """Return the surface of the tokens of the tree with marks, in the given order."""
        words: list[str] = []
        slots: list[list[str]] = [[]]
        for token in order:
            form = self.words.forms[token - 1]
            if self.words.upos[token - 1] == "PUNCT":
                slots[-1].append(form)
            else:
                words.append(form)
                slots.append([])
        return Surface(tuple(words), tuple(map(tuple, slots)))


def read(paths: Sequence[Path]) -> list[Pair]:
    """Read the sentences that models support, in both forms."""
    return [
        Pair(a.content, b.content)
        for path in paths
        for a in Conllu().read(path)
        for b in (to_entry(a.record, "words"),)
        if isinstance(a.content, Sentence) and isinstance(b.content, Sentence)
    ]


def slot_kinds(surface: Surface) -> set[tuple[str, tuple[str, ...]]]:
    """Return the strings of the slots, each with its place: first, last, or inside."""
    first, *inside, last = surface.slots
    return {("first", first), ("last", last), *(("inside", slot) for slot in inside)}


def invalid(surface: Surface, attested: set[tuple[str, tuple[str, ...]]], before: int) -> set[str]:
    """Return the punctuation errors of a surface, which had ``before`` unpaired marks."""
    unattested = slot_kinds(surface) - attested
    faults = (
        {"sentence-initial"} if any(where == "first" for where, _ in unattested) else set[str]()
    )
    for where, slot in unattested:
        if where != "first":
            doubled = any(a == b for a, b in pairwise(slot))
            faults.add("doubled" if doubled else "other strings")
    if unpaired(surface) > before:
        faults.add("unpaired")
    return faults


def unpaired(surface: Surface) -> int:
    """Count opening and closing marks without a partner."""
    of_pairs = {mark for pair in PAIRS for mark in pair}
    matched = {place for pair in matched_pairs(surface.slots) for place in pair}
    return sum(
        mark in of_pairs and (slot, index) not in matched
        for slot, string in enumerate(surface.slots)
        for index, mark in enumerate(string)
    )
