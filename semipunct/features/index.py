"""Extracting feature vectors of nodes by reading the template table.

Everything is computed for many sentences at once in numpy: a conjunction of attributes is a
mixed-radix number, and the contexts kept at training time are looked up by binary search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence
from semipunct.features.attributes import Attributes, Entries, attributes
from semipunct.features.classes import Ints
from semipunct.features.templates import TARGETS, Target, Template
from semipunct.features.vocabulary import Symbols

_TOGETHER = 1024  # sentences whose features are extracted at a time, to bound the memory


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse feature vectors of nodes for one target, ordered by node.

    Attributes:
        start: ``[nodes + 1]`` where each node's entries begin.
        context: ``[entries]`` feature numbers.
        value: ``[entries]`` feature values.
    """

    start: Ints
    context: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """One feature family: a context of a template, and the value combinations kept for it."""

    template: str
    target: Target
    parts: tuple[str, ...]
    over: str | None
    kept: Ints
    offset: int


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """From nodes to feature numbers, fixed at training time.

    Attributes:
        symbols: codes of attribute values.
        conjunctions: the feature families, with the combinations that training kept.
        sizes: number of features of each target.
    """

    symbols: Symbols
    conjunctions: tuple[Conjunction, ...]
    sizes: Mapping[Target, int]

    @classmethod
    def fit(
        cls,
        sentences: Sequence[Sentence],
        symbols: Symbols,
        templates: Sequence[Template],
        minimum: int = 1,
    ) -> FeatureMap:
        """Keep the contexts seen at least ``minimum`` times in training."""
        columns = attributes(sentences, symbols)
        sizes: dict[Target, int] = dict.fromkeys(TARGETS, 0)
        found: list[Conjunction] = []
        for template in templates:
            for context in template.contexts:
                key, _, _ = _keys(columns, context, template.over)
                values, counts = np.unique(key, return_counts=True)
                kept = values[counts >= minimum]
                offset = sizes[template.target]
                found.append(
                    Conjunction(
                        template.name, template.target, context, template.over, kept, offset
                    )
                )
                sizes[template.target] += len(kept)
        return cls(symbols, tuple(found), sizes)

    def extract(self, sentences: Sequence[Sentence]) -> dict[Target, Rows]:
        """The feature vectors of all nodes of ``sentences``, in order."""
        parts = [
            self._extract(sentences[i : i + _TOGETHER]) for i in range(0, len(sentences), _TOGETHER)
        ]
        return {target: _end_to_end([part[target] for part in parts]) for target in TARGETS}

    def rows_over(self, sentence: Sentence, attribute: str) -> Ints:
        """Feature numbers that values of a multi-valued attribute would have, -1 for none.

        Returns:
            ``[words, values, families]``, a value being its place among ``Symbols.values``.
        """
        columns = attributes([sentence], self.symbols)
        families = [c for c in self.conjunctions if c.over == attribute]
        values = np.arange(1, columns.codes[attribute])
        found = np.full((len(sentence.forms), len(values), len(families)), -1, np.int64)
        for i, family in enumerate(families):
            key, _, _ = _keys(columns, family.parts, None)
            code = key[:, None] * columns.codes[attribute] + values
            if len(family.kept):
                place = np.minimum(np.searchsorted(family.kept, code), len(family.kept) - 1)
                known = family.kept[place] == code
                found[:, :, i] = np.where(known, family.offset + place, -1)
        return found

    def finders(
        self, sentences: Sequence[Sentence], *groups: tuple[Sequence[Target], Sequence[str]]
    ) -> list[list[Finder]]:
        """Feature numbers of sentences' nodes for values of attributes that are yet to come.

        Args:
            sentences: words and trees.
            groups: each some targets, whose features are numbered one target after another, and
                the attributes whose values will be handed in.

        Returns:
            for each group finders that look at few of the attributes each.
        """
        columns = attributes(sentences, self.symbols)
        found: list[list[Finder]] = []
        for targets, names in groups:
            first = dict(zip(targets, _starts([self.sizes[t] for t in targets]), strict=True))
            families = [
                replace(c, offset=first[c.target] + c.offset)
                for c in self.conjunctions
                if c.target in targets
            ]
            found.append(
                [Finder.of(x, columns, names) for x in _grouped(families, frozenset(names))]
            )
        return found

    def _extract(self, sentences: Sequence[Sentence]) -> dict[Target, Rows]:
        columns = attributes(sentences, self.symbols)
        nodes = len(columns.single["upos"])
        result: dict[Target, Rows] = {}
        for target in TARGETS:
            parts = [self._entries(columns, c) for c in self.conjunctions if c.target == target]
            parts.append((np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)))
            node, context, value = (np.concatenate([p[i] for p in parts]) for i in range(3))
            order = np.argsort(node, kind="stable")
            start = np.searchsorted(node[order], np.arange(nodes + 1))
            result[target] = Rows(
                start, context[order].astype(np.int32), value[order].astype(np.float32)
            )
        return result

    def _entries(self, columns: Attributes, family: Conjunction) -> Entries:
        key, node, value = _keys(columns, family.parts, family.over)
        if not len(family.kept):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
        place = np.minimum(np.searchsorted(family.kept, key), len(family.kept) - 1)
        known = family.kept[place] == key
        return node[known], family.offset + place[known], value[known]


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks up features by node and by the values of some attributes.

    Attributes:
        looked_at: ``[attributes]`` which of the attributes handed in count.
        fixed: ``[nodes, families]`` what is known of each family's code.
        radix: ``[attributes, families]`` what a value of each attribute adds to it.
        numbers: ``[codes]`` the feature number of each code, -1 for none. Families that look at
            attributes yet to come have few codes: those attributes are coarse.
    """

    looked_at: Ints
    fixed: Ints
    radix: Ints
    numbers: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls, families: Sequence[Conjunction], columns: Attributes, given: Sequence[str]
    ) -> Finder:
        """Compile families for the nodes of some sentences."""
        looked_at = sorted({given.index(p) for f in families for p in f.parts if p in given})
        names = [given[i] for i in looked_at]
        fixed = np.zeros((len(columns.single["upos"]), len(families)), np.int64)
        radix = np.zeros((len(names), len(families)), np.int64)
        parts: list[npt.NDArray[np.int32]] = []
        first = 0
        for i, family in enumerate(families):
            unit = 1
            fixed[:, i] = first
            for part in reversed(family.parts):
                if part in names:
                    radix[names.index(part), i] += unit
                else:
                    fixed[:, i] += unit * columns.single[part]
                unit *= columns.codes[part]
            numbers = np.full(unit, -1, np.int32)
            numbers[family.kept] = family.offset + np.arange(len(family.kept))
            parts.append(numbers)
            first += unit
        return cls(np.array(looked_at), fixed, radix, np.concatenate(parts))

    def rows(self, nodes: Ints, values: Ints) -> npt.NDArray[np.int32]:
        """``[cases, families]`` feature numbers of nodes, -1 for none.

        Args:
            nodes: ``[cases]``.
            values: ``[cases, attributes]`` of the attributes that count.
        """
        return self.numbers[self.fixed[nodes] + values @ self.radix]


def _grouped(families: Sequence[Conjunction], given: frozenset[str]) -> list[list[Conjunction]]:
    """Families that look at some of the same attributes given, by the largest such sets."""
    looked_at = list(dict.fromkeys(given.intersection(family.parts) for family in families))
    largest = [x for x in looked_at if not any(x < other for other in looked_at)]
    groups: dict[frozenset[str], list[Conjunction]] = {}
    for family in families:
        own = given.intersection(family.parts)
        group = next(x for x in largest if own <= x)
        groups.setdefault(group, []).append(family)
    return list(groups.values())


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(sizes).tolist()][:-1]


def _end_to_end(parts: Sequence[Rows]) -> Rows:
    """Rows of consecutive sentences, joined."""
    nothing = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    starts = [nothing.start]
    entries = 0
    for part in parts:
        starts.append(part.start[1:] + entries)
        entries += len(part.context)
    return Rows(
        np.concatenate(starts),
        np.concatenate([nothing.context, *(part.context for part in parts)]),
        np.concatenate([nothing.value, *(part.value for part in parts)]),
    )


def _keys(columns: Attributes, parts: Sequence[str], over: str | None) -> tuple[Any, Any, Any]:
    """Mixed-radix codes of a conjunction, with the node and value of each occurrence."""
    nodes = len(columns.single["upos"])
    key = np.zeros(nodes, np.int64)
    for part in parts:
        key = key * columns.codes[part] + columns.single[part]
    if over is None:
        return key, np.arange(nodes), np.ones(nodes, np.int64)
    node, code, count = columns.multiple[over]
    return key[node] * columns.codes[over] + code, node, count
