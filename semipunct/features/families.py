"""Families of features, and the sparse feature vectors of nodes computed from them.

Everything is vectorised in numpy over nodes and over all families of a table: a conjunction of
attributes is a mixed-radix number, and the contexts kept in training are looked up by binary
search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.features.attributes import Attributes, Entries
from semipunct.features.templates import Table, Target


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Sparse feature vectors of nodes for one table, ordered by node.

    Attributes:
        start: ``[nodes + 1]`` where each node's entries begin.
        context: ``[entries]`` feature numbers.
        value: ``[entries]`` feature values: counts, nearly all of them one, in the smallest type
            that holds the largest.
        size: number of features of the table.
    """

    start: Ints
    context: npt.NDArray[np.int32]
    value: npt.NDArray[Any]
    size: int

    @classmethod
    def joined(cls, parts: Sequence[FeatureRows], size: int) -> FeatureRows:
        """Concatenate the feature vectors of consecutive nodes.

        Args:
            parts: feature vectors for the same table.
            size: number of features of the table.
        """
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
        """Return the number of entries of each node, and the contexts and values of all entries.

        Args:
            nodes: ``[nodes]`` numbers of nodes.
        """
        counts = self.start[nodes + 1] - self.start[nodes]
        # Entry by entry: its position among the entries of all nodes.
        first = self.start[nodes] - (counts.cumsum() - counts)
        source = np.arange(int(counts.sum())) + first.repeat(counts)
        return counts, self.context[source], self.value[source]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A feature family: one context of a template, or of several templates that share a table.

    Attributes:
        templates: the names of the templates.
        table: the table whose rows are its features.
        targets: the outcomes of that table that its weights distinguish.
        parts: the attributes that are conjoined.
        over: the multi-valued attribute to iterate over, or None.
        kept: ``[features]`` codes of the value combinations kept in training, in ascending order.
        offset: number of its first feature.
    """

    templates: tuple[str, ...]
    table: Table
    targets: tuple[Target, ...]
    parts: tuple[str, ...]
    over: str | None
    kept: Ints
    offset: int

    def codes(self, table: Attributes, nodes: slice | None = None) -> Entries:
        """Return the value combination of each occurrence, as mixed-radix codes.

        Args:
            table: the attributes of the nodes.
            nodes: a range of consecutive nodes, which are then counted from 0; None for all.
        """
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
        """Return the feature number of each code, -1 for codes without a feature."""
        if not len(self.kept):
            return np.full_like(code, -1)
        place = np.minimum(np.searchsorted(self.kept, code), len(self.kept) - 1)
        return np.where(self.kept[place] == code, self.offset + place, -1)


class Families:
    """The families of one table, arranged for looking up the features of many nodes at once."""

    def __init__(self, families: Sequence[Conjunction], size: int) -> None:
        """Arrange families.

        Args:
            families: all families of the table, in the order of their features.
            size: number of features of the table.
        """
        self._size, self._count = size, len(families)
        self._single = _Single([(i, f) for i, f in enumerate(families) if f.over is None])
        self._multiple = [(i, f) for i, f in enumerate(families) if f.over is not None]

    def rows(self, table: Attributes, first: int, end: int) -> FeatureRows:
        """Return the feature vectors of some nodes; entries of a node are in the order of families.

        Args:
            table: the attributes of nodes.
            first: the first node.
            end: one past the last node.
        """
        nodes = slice(first, end)
        # Most cells have at most one entry; a family over a multi-valued attribute may have several
        # entries for a node.
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
    """The families of a table with a single value combination for each node."""

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
        """Look up the features of some nodes.

        Args:
            table: the attributes of nodes.
            nodes: the range of nodes.

        Returns:
            ``[nodes, families]`` whether the combination has a feature, and the feature numbers of
            those that have one.
        """
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
    """Return the nodes, features and values of a family at some nodes, where there is a feature."""
    node, code, value = family.codes(table, nodes)
    numbers = family.numbers(code)
    seen = numbers >= 0
    return node[seen], numbers[seen], value[seen]
