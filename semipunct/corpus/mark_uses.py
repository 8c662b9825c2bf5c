"""Marks of a treebank: beside which constituents they stand, in which strings, with examples.

The figures are of what is written: a mark between two constituents is at the right edge of one and
at the left edge of the other, whichever it belongs to. Marks at the edges of a sentence count for
its root only, since whatever comes last in a sentence would have a period otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from semipunct.corpus.sentences import Sentence
from semipunct.corpus.statistics import MINIMUM_COUNT
from semipunct.corpus.treebank import AnyEntry
from semipunct.marks import ABBREVIATION, Puncteme

KEPT = MINIMUM_COUNT - 1
"""Examples of a mark: all those of a rare one."""

_AROUND = 5
"""Words of an example on each side of its slot."""


class Example(NamedTuple):
    """A slot with a mark.

    Attributes:
        before: the words before it.
        marks: its string.
        after: the words after it.
        path: the file.
        line: the first line of the sentence.
        sentence_id: its name.
    """

    before: tuple[str, ...]
    marks: Puncteme
    after: tuple[str, ...]
    path: str
    line: int
    sentence_id: str


@dataclass(slots=True)
class Edges:
    """Marks beside the constituents of a relation.

    Attributes:
        constituents: how many there are.
        before: those with marks at the left edge.
        after: those with marks at the right edge.
        both: those with marks at both edges.
        strings: the pairs of strings beside them, but for the empty pair.
    """

    constituents: int = 0
    before: int = 0
    after: int = 0
    both: int = 0
    strings: Counter[tuple[Puncteme, Puncteme]] = field(
        default_factory=Counter[tuple[Puncteme, Puncteme]]
    )


@dataclass(slots=True)
class MarkUses:
    """Uses of the marks of sentences that models can process.

    Attributes:
        relations: marks beside constituents, by the relation of their heads.
        strings: how often each string of marks fills a slot.
        examples: of each mark, the first of its slots.
    """

    relations: dict[str, Edges] = field(default_factory=dict[str, Edges])
    strings: Counter[Puncteme] = field(default_factory=Counter[Puncteme])
    examples: dict[str, list[Example]] = field(default_factory=dict[str, list[Example]])

    def note(self, entries: Iterable[AnyEntry]) -> Iterator[AnyEntry]:
        """Yield entries, and count the marks of each sentence on the way.

        Args:
            entries: sentences as read by a format.
        """
        for entry in entries:
            if isinstance(entry.content, Sentence):
                self.add(entry.content)
            yield entry

    def add(self, sentence: Sentence[Any]) -> None:
        """Count the marks of a sentence.

        Args:
            sentence: with its tree.
        """
        slots = sentence.slots
        for slot, string in enumerate(slots):
            if string and any(token != ABBREVIATION for token in string):
                self.strings[string] += 1
            for token in dict.fromkeys(string):
                known = self.examples.setdefault(token, [])
                if len(known) < KEPT:
                    known.append(_example(sentence, slot))
        tree = sentence.tree
        for node, (start, end) in enumerate(zip(*tree.edges, strict=True)):
            edges = self.relations.setdefault(tree.labels[node], Edges())
            is_root = tree.parents[node] < 0
            left = slots[start] if start or is_root else ()
            right = slots[end] if end < sentence.size or is_root else ()
            edges.constituents += 1
            edges.before += bool(left)
            edges.after += bool(right)
            edges.both += bool(left and right)
            if left or right:
                edges.strings[left, right] += 1


def _example(sentence: Sentence[Any], slot: int) -> Example:
    forms = sentence.forms
    return Example(
        forms[max(0, slot - _AROUND) : slot],
        sentence.slots[slot],
        forms[slot : slot + _AROUND],
        sentence.path,
        sentence.line,
        sentence.sentence_id,
    )
