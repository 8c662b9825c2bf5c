"""Families of features, and the index of the features kept in training.

A conjunction of attributes is a mixed-radix number; kept contexts are found by binary search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints, unique_rows
from semipunct.corpus import Sentence
from semipunct.features.attributes import Attributes, Entries, code_sizes
from semipunct.features.templates import TABLES, Table, Target, Template, attribute_table
from semipunct.features.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Sparse feature vectors of nodes for one table, ordered by node.

    Attributes:
        start: ``[nodes + 1]`` first entry of each node.
        context: ``[entries]`` feature numbers.
        value: ``[entries]`` counts, in the smallest type that holds the largest.
        size: number of features of the table.
    """

    start: Ints
    context: npt.NDArray[np.int32]
    value: npt.NDArray[Any]
    size: int

    @classmethod
    def joined(cls, parts: Sequence[FeatureRows], size: int) -> FeatureRows:
        starts = [np.zeros(1, np.int64)]
        entries = 0
        for part in parts:
            starts.append(part.start[1:] + entries)
            entries += len(part.context)
        return cls(
            np.concatenate(starts),
            np.concatenate([np.zeros(0, np.int32), *(part.context for part in parts)]),
            np.concatenate([np.zeros(0, np.uint8), *(part.value for part in parts)]),
            size,
        )

    def of(self, nodes: Ints) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return the number of entries of each node, and their contexts and values."""
        counts = self.start[nodes + 1] - self.start[nodes]
        # The position of each entry among the entries of all nodes.
        first = self.start[nodes] - (counts.cumsum() - counts)
        source = np.arange(int(counts.sum())) + first.repeat(counts)
        return counts, self.context[source], self.value[source]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A feature family: one context of a template, or of several templates that share a table.

    Attributes:
        parts: the attributes that are conjoined.
        over: the multi-valued attribute to iterate over.
        kept: ``[features]`` codes of the contexts kept in training, ascending.
    """

    templates: tuple[str, ...]
    table: Table
    targets: tuple[Target, ...]
    parts: tuple[str, ...]
    over: str | None
    kept: Ints
    offset: int

    def codes(self, table: Attributes, nodes: slice | None = None) -> Entries:
        """Return the mixed-radix code of each occurrence; ``nodes`` are numbered from 0."""
        nodes = nodes or slice(0, table.words.count)
        key = np.zeros(nodes.stop - nodes.start, np.int64)
        for part in self.parts:
            key = key * table.codes[part] + table.single(part)[nodes]
        if self.over is None:
            return Entries(np.arange(len(key)), key, np.ones_like(key))
        node, code, value = table.multiple(self.over)
        some = slice(*node.searchsorted([nodes.start, nodes.stop]).tolist())
        node = node[some] - nodes.start
        return Entries(node, key[node] * table.codes[self.over] + code[some], value[some])

    def numbers(self, code: Ints) -> Ints:
        """Return the feature number of each code, -1 for none."""
        if not len(self.kept):
            return np.full_like(code, -1)
        place = np.minimum(np.searchsorted(self.kept, code), len(self.kept) - 1)
        return np.where(self.kept[place] == code, self.offset + place, -1)


class Families:
    """The families of one table, arranged for looking up many nodes at once."""

    def __init__(self, families: Sequence[Conjunction], size: int) -> None:
        self._size, self._count = size, len(families)
        self._single = _Single([(i, f) for i, f in enumerate(families) if f.over is None])
        self._multiple = [(i, f) for i, f in enumerate(families) if f.over is not None]

    def rows(self, table: Attributes, first: int, end: int) -> FeatureRows:
        """Return the feature vectors of nodes ``first`` to ``end - 1``, in family order."""
        nodes = slice(first, end)
        # A cell has at most one entry unless its family iterates over a multi-valued attribute.
        cells = np.zeros((end - first, self._count), np.int32)
        seen, number = self._single.look_up(table, nodes)
        cells[:, self._single.columns] = seen
        several: list[tuple[Ints, Ints, Ints, Ints]] = []
        for column, family in self._multiple:
            node, numbers, values = _numbered(family, table, nodes)
            counts = np.bincount(node, minlength=end - first)
            cells[:, column] = counts
            within = np.arange(len(node)) - (counts.cumsum() - counts)[node]
            several.append((node * self._count + column, within, numbers, values))
        ends = cells.ravel().cumsum(dtype=np.int64)
        begin = ends - cells.ravel()
        entries = int(ends[-1]) if len(ends) else 0
        largest = max((int(values.max(initial=1)) for *_, values in several), default=1)
        context = np.empty(entries, np.int32)
        value = np.ones(entries, np.min_scalar_type(largest))
        context[begin.reshape(cells.shape)[:, self._single.columns][seen]] = number
        for cell, within, numbers, values in several:
            place = begin[cell] + within
            context[place], value[place] = numbers, values
        start = np.concatenate([np.zeros(1, np.int64), cells.sum(1).cumsum()])
        return FeatureRows(start, context, value, self._size)


class _Single:
    def __init__(self, families: Sequence[tuple[int, Conjunction]]) -> None:
        self.columns = np.array([column for column, _ in families], np.int64)
        self._families = [family for _, family in families]
        self._names = list(dict.fromkeys(part for f in self._families for part in f.parts))
        longest = max((len(f.parts) for f in self._families), default=0)
        # A missing part has a single code, which the last column represents.
        nothing = len(self._names)
        self._parts = np.full((longest, len(families)), nothing)
        for i, family in enumerate(self._families):
            for j, part in enumerate(family.parts, start=longest - len(family.parts)):
                self._parts[j, i] = self._names.index(part)
        # The codes of each family are followed by one that no combination has.
        no_code, no_number = np.full(1, -1, np.int64), np.zeros(1, np.int32)
        codes, numbers = [no_code[:0]], [no_number[:0]]
        for f in self._families:
            codes += [f.kept, no_code]
            numbers += [np.arange(f.offset, f.offset + len(f.kept), dtype=np.int32), no_number]
        self._codes, self._numbers = np.concatenate(codes), np.concatenate(numbers)
        sizes = [len(f.kept) + 1 for f in self._families]
        self._first = np.cumsum([0, *sizes])[: len(families)]

    def look_up(
        self, table: Attributes, nodes: slice
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int32]]:
        """Return ``[nodes, families]`` whether there is a feature, and the features' numbers."""
        columns = [table.single(name)[nodes] for name in self._names]
        values = np.stack([*columns, np.zeros(nodes.stop - nodes.start, np.int64)])
        codes = np.array([*(table.codes[name] for name in self._names), 1])
        key = np.zeros((len(self._families), values.shape[1]), np.int64)
        for part in self._parts:
            key *= codes[part, None]
            key += values[part]
        place = np.empty_like(key)
        for i, family in enumerate(self._families):
            place[i] = family.kept.searchsorted(key[i])
        place += self._first[:, None]
        seen = (self._codes.take(place) == key).T
        return seen, self._numbers.take(place.T[seen])


def _numbered(family: Conjunction, table: Attributes, nodes: slice) -> tuple[Ints, Ints, Ints]:
    node, code, value = family.codes(table, nodes)
    numbers = family.numbers(code)
    seen = numbers >= 0
    return node[seen], numbers[seen], value[seen]


# Sentences processed at a time; all at once took four times the memory.
_TOGETHER = 1024

# Nodes processed at a time: a table has several hundred families.
_NODES_TOGETHER = 1 << 13


@dataclass(frozen=True)
class FeatureIndex:
    """A map from contexts to feature numbers, fixed in training."""

    vocabulary: Vocabulary
    conjunctions: tuple[Conjunction, ...]
    sizes: Mapping[Table, int]

    @classmethod
    def fit(
        cls,
        sentences: Sequence[Sentence],
        vocabulary: Vocabulary,
        templates: Sequence[Template],
        minimum: int = 1,
    ) -> tuple[FeatureIndex, dict[Table, FeatureRows]]:
        """Index contexts that occur at least ``minimum`` times; extract the training features."""
        attributes = Attributes(sentences, vocabulary, attribute_table())
        sizes: dict[Table, int] = dict.fromkeys(TABLES, 0)
        families: list[Conjunction] = []
        for family in _families(templates):
            table = family.table
            values, counts = np.unique(family.codes(attributes).code, return_counts=True)
            family = replace(family, kept=values[counts >= minimum], offset=sizes[table])
            families.append(family)
            sizes[table] += len(family.kept)
        index = cls(vocabulary, tuple(families), sizes)
        return index, index._rows(attributes, tuple(TABLES))

    def extract(
        self, sentences: Sequence[Sentence], tables: Collection[Table] = tuple(TABLES)
    ) -> dict[Table, FeatureRows]:
        """Return the feature vectors of all nodes, in order."""
        vocabulary, table = self.vocabulary, attribute_table()
        parts = [
            self._rows(Attributes(sentences[i : i + _TOGETHER], vocabulary, table), tables)
            for i in range(0, len(sentences), _TOGETHER)
        ]
        return self._joined(parts, tables)

    def uses(self, attribute: str) -> bool:
        """Return whether any feature is over the values of a multi-valued attribute."""
        return any(c.over == attribute and len(c.kept) for c in self.conjunctions)

    def rows_over(self, sentence: Sentence, attribute: str) -> Ints:
        """Return the feature numbers for every value of a multi-valued attribute.

        Returns:
            ``[words, values, families]``, -1 for none.
        """
        table = Attributes([sentence], self.vocabulary, attribute_table())
        families = [c for c in self.conjunctions if c.over == attribute]
        values = np.arange(1, table.codes[attribute])
        numbers = np.full((len(sentence.forms), len(values), len(families)), -1, np.int64)
        for i, family in enumerate(families):
            key = replace(family, over=None).codes(table).code
            numbers[:, :, i] = family.numbers(key[:, None] * table.codes[attribute] + values)
        return numbers

    def lookups(self, table: Table, later: Sequence[str]) -> list[FeatureLookup]:
        """Precompute feature numbers as functions of the attributes ``later``, given later."""
        families = [c for c in self.conjunctions if c.table == table]
        codes = code_sizes(self.vocabulary, attribute_table())
        return [
            FeatureLookup.of(some, codes, later) for some in _grouped(families, frozenset(later))
        ]

    def attributes(self, sentences: Sequence[Sentence]) -> Attributes:
        return Attributes(sentences, self.vocabulary, attribute_table())

    @cached_property
    def _tables(self) -> dict[Table, Families]:
        return {
            table: Families([c for c in self.conjunctions if c.table == table], self.sizes[table])
            for table in TABLES
        }

    def _rows(self, attributes: Attributes, tables: Collection[Table]) -> dict[Table, FeatureRows]:
        words = attributes.words.count
        parts: list[Mapping[Table, FeatureRows]] = [
            {
                t: self._tables[t].rows(attributes, first, min(first + _NODES_TOGETHER, words))
                for t in tables
            }
            for first in range(0, words, _NODES_TOGETHER)
        ]
        return self._joined(parts, tables)

    def _joined(
        self, parts: Sequence[Mapping[Table, FeatureRows]], tables: Collection[Table]
    ) -> dict[Table, FeatureRows]:
        if len(parts) == 1:
            return dict(parts[0])
        return {t: FeatureRows.joined([part[t] for part in parts], self.sizes[t]) for t in tables}


def _families(templates: Iterable[Template]) -> Iterator[Conjunction]:
    """Yield each context of a table once, without features yet."""
    users: dict[tuple[Table, tuple[str, ...], str | None], list[Template]] = {}
    for template in templates:
        for context in template.contexts:
            key = _TABLE_OF[template.target], context, template.over
            users.setdefault(key, []).append(template)
    for (table, context, over), using in users.items():
        names = tuple(dict.fromkeys(template.name for template in using))
        targets: tuple[Target, ...] = tuple(
            target for target in TABLES[table] if any(u.target == target for u in using)
        )
        yield Conjunction(names, table, targets, context, over, np.zeros(0, np.int64), 0)


_TABLE_OF: dict[Target, Table] = {
    target: table for table, targets in TABLES.items() for target in targets
}


@dataclass(frozen=True, slots=True)
class FeatureLookup:
    """A map from nodes and the values of later attributes to feature numbers.

    Attributes:
        looked_at: ``[attributes]`` indices of the later attributes that the families use.
        first: ``[families]`` first code of each family.
        units: ``[families]`` factors of each other attribute in the code.
        radix: ``[attributes, families]`` factors of the later attributes.
        numbers: ``[codes]`` feature numbers, -1 for none.
    """

    looked_at: Ints
    first: Ints
    units: Mapping[str, Ints]
    radix: Ints
    numbers: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls, families: Sequence[Conjunction], codes: Mapping[str, int], later: Sequence[str]
    ) -> FeatureLookup:
        # The digits of a code are the values of its attributes, the last one least significant. The
        # code is a sum: the node's part is computed once (``place_node_codes``), the rest for each
        # case by one matrix product (``rows``).
        looked_at = sorted({later.index(p) for f in families for p in f.parts if p in later})
        units: dict[str, Ints] = {later[i]: np.zeros(len(families), np.int64) for i in looked_at}
        first: list[int] = []
        parts: list[npt.NDArray[np.int32]] = []
        for i, family in enumerate(families):
            first.append(sum(map(len, parts)))
            unit = 1
            for part in reversed(family.parts):
                units.setdefault(part, np.zeros(len(families), np.int64))[i] += unit
                unit *= codes[part]
            numbers = np.full(unit, -1, np.int32)
            numbers[family.kept] = family.offset + np.arange(len(family.kept))
            parts.append(numbers)
        radix = np.array([units.pop(later[i]) for i in looked_at], np.int64)
        return cls(
            np.array(looked_at),
            np.array(first, np.int64),
            units,
            radix.reshape(len(looked_at), len(families)),
            np.concatenate(parts),
        )

    def place_node_codes(self, attributes: Attributes) -> Ints:
        """Return the nodes' part of each family's code, ``[nodes, families]``."""
        fixed = np.tile(self.first, (attributes.words.count, 1))
        for name, unit in self.units.items():
            fixed += attributes.single(name)[:, None] * unit
        return fixed

    def rows(self, fixed: Ints, values: Ints) -> npt.NDArray[np.int32]:
        """Return feature numbers, ``[cases, families]``, -1 for none.

        Args:
            fixed: ``[cases, families]`` from ``place_node_codes``.
            values: ``[cases, attributes]`` values of ``looked_at``.
        """
        return self.numbers.take(fixed + values @ self.radix)


def _grouped(families: Sequence[Conjunction], later: frozenset[str]) -> list[list[Conjunction]]:
    """Group families by the later attributes they use, merging subsets into maximal sets."""
    looked_at = list(dict.fromkeys(later.intersection(family.parts) for family in families))
    largest = [x for x in looked_at if not any(x < larger for larger in looked_at)]
    groups: dict[frozenset[str], list[Conjunction]] = {}
    for family in families:
        used = later.intersection(family.parts)
        group = next(x for x in largest if used <= x)
        groups.setdefault(group, []).append(family)
    return list(groups.values())


Floats = npt.NDArray[np.float32]

# Sums of weights computed at a time, to bound the memory.
CASES_TOGETHER = 1 << 12


def summed_weights(
    weights: Floats, lookups: Sequence[tuple[FeatureLookup, Ints]], words: Ints, seen: Ints
) -> Floats:
    """Sum the weights of the features of words with histories, ``[cases, columns]``.

    Args:
        weights: ``[features + 1, columns]``; the last row, for no feature, is zero.
        lookups: look-ups, each with its ``place_node_codes``.
        seen: ``[cases, attributes]`` codes of the histories.
    """
    total = np.zeros((len(words), weights.shape[1]), np.float32)
    for lookup, fixed in lookups:
        values = seen[:, lookup.looked_at]
        first, inverse = unique_rows(words, *values.T)
        rows = lookup.rows(fixed[words[first]], values[first])
        total += _summed(weights, rows).take(inverse, 0)
    return total


def _summed(weights: Floats, rows: npt.NDArray[np.int32]) -> Floats:
    """Sum ``[cases, summands]`` rows; one summand at a time is twice as fast as gathering all."""
    parts: list[Floats] = []
    for i in range(0, len(rows), CASES_TOGETHER):
        first, *further_rows = rows[i : i + CASES_TOGETHER].T
        total = weights.take(first, 0)
        for row in further_rows:
            total += weights.take(row, 0)
        parts.append(total)
    return np.concatenate(parts)
