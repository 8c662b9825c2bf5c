"""Extracting feature vectors of nodes by reading the template table.

Everything is computed for many sentences at once in numpy: a conjunction of attributes is a
mixed-radix number, and the contexts kept at training time are looked up by binary search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.features.attributes import Attributes
from semipunct.features.templates import TABLES, Table, Target, Template, attribute_table
from semipunct.features.vocabulary import Vocabulary

_TOGETHER = 1024
"""Sentences whose features are extracted at a time; all of them took four times the memory."""


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Sparse feature vectors of nodes for one table, ordered by node.

    Attributes:
        start: ``[nodes + 1]`` where each node's entries begin.
        context: ``[entries]`` feature numbers.
        value: ``[entries]`` feature values: counts, nearly all of them one, in as few bits as
            the largest takes.
        size: how many features the table has.
    """

    start: Ints
    context: npt.NDArray[np.int32]
    value: npt.NDArray[Any]
    size: int

    def of(self, nodes: Ints) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return how many entries each of some nodes has, and the contexts and values of them all.

        Args:
            nodes: ``[nodes]``.
        """
        counts = self.start[nodes + 1] - self.start[nodes]
        # Entry by entry: where it stands among those of all nodes.
        first = self.start[nodes] - (counts.cumsum() - counts)
        source = np.arange(int(counts.sum())) + first.repeat(counts)
        return counts, self.context[source], self.value[source]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A feature family: one context of a template, or of several that share a table.

    Attributes:
        templates: their names.
        table: the table that has its features as rows.
        targets: the outcomes of that table that its weights distinguish.
        parts: the attributes that are conjoined.
        over: the multi-valued attribute that it runs over, or None.
        kept: ``[features]`` the codes of the value combinations seen in training, ascending.
        offset: the number of the first of its features.
    """

    templates: tuple[str, ...]
    table: Table
    targets: tuple[Target, ...]
    parts: tuple[str, ...]
    over: str | None
    kept: Ints
    offset: int

    def numbers(self, code: Ints) -> Ints:
        """Return the feature number of each code, -1 where training has not seen it."""
        if not len(self.kept):
            return np.full_like(code, -1)
        place = np.minimum(np.searchsorted(self.kept, code), len(self.kept) - 1)
        return np.where(self.kept[place] == code, self.offset + place, -1)

    def known(self, code: Ints, node: Ints, value: Ints) -> tuple[Ints, Ints, Ints]:
        """Return node, feature number and value of the occurrences that training has seen.

        Args:
            code: ``[occurrences]`` codes of value combinations.
            node: ``[occurrences]``.
            value: ``[occurrences]``.
        """
        numbers = self.numbers(code)
        seen = numbers >= 0
        return node[seen], numbers[seen], value[seen]


@dataclass(frozen=True, slots=True)
class FeatureIndex:
    """An index from contexts to feature numbers, fixed at training time.

    Attributes:
        vocabulary: codes of attribute values.
        conjunctions: the feature families, with the combinations that training kept.
        sizes: number of features of each table.
    """

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
        """Index the contexts seen often enough in training.

        Args:
            sentences: of the training treebank.
            vocabulary: codes of attribute values.
            templates: the templates that are on.
            minimum: how often a context must be seen.

        Returns:
            The index and the feature vectors of the training sentences themselves, as ``extract``
            would return them.
        """
        attributes = Attributes(sentences, vocabulary, attribute_table())
        sizes: dict[Table, int] = dict.fromkeys(TABLES, 0)
        families: list[Conjunction] = []
        builders = _builders(attributes.words.count)
        for family in _families(templates):
            table = family.table
            key, node, value = _keys(attributes, family.parts, family.over)
            values, counts = np.unique(key, return_counts=True)
            family = replace(family, kept=values[counts >= minimum], offset=sizes[table])
            families.append(family)
            sizes[table] += len(family.kept)
            builders[table].add(*family.known(key, node, value))
        return cls(vocabulary, tuple(families), sizes), _built(builders, sizes)

    def extract(self, sentences: Sequence[Sentence]) -> dict[Table, FeatureRows]:
        """Return the feature vectors of all nodes of ``sentences``, in order."""
        parts = [
            self._extract(sentences[i : i + _TOGETHER]) for i in range(0, len(sentences), _TOGETHER)
        ]
        return {
            table: _end_to_end([part[table] for part in parts], self.sizes[table])
            for table in TABLES
        }

    def rows_over(self, sentence: Sentence, attribute: str) -> Ints:
        """Return the feature numbers that values of a multi-valued attribute would have.

        Args:
            sentence: words and tree.
            attribute: its name.

        Returns:
            ``[words, values, families]``, a value being its place among ``Vocabulary.values``;
            -1 for none.
        """
        table = Attributes([sentence], self.vocabulary, attribute_table())
        families = [c for c in self.conjunctions if c.over == attribute]
        values = np.arange(1, table.codes[attribute])
        found = np.full((len(sentence.forms), len(values), len(families)), -1, np.int64)
        for i, family in enumerate(families):
            key, _, _ = _keys(table, family.parts, None)
            found[:, :, i] = family.numbers(key[:, None] * table.codes[attribute] + values)
        return found

    def lookups(
        self, sentences: Sequence[Sentence], *groups: tuple[Table, Sequence[str]]
    ) -> list[list[FeatureLookup]]:
        """Compile the feature numbers of nodes as functions of attributes whose values come later.

        Args:
            sentences: words and trees.
            groups: each a table, and the attributes whose values will be passed.

        Returns:
            Look-ups for each group; each depends on few of the attributes.
        """
        attributes = Attributes(sentences, self.vocabulary, attribute_table())
        found: list[list[FeatureLookup]] = []
        for table, names in groups:
            families = [c for c in self.conjunctions if c.table == table]
            grouped = _grouped(families, frozenset(names))
            found.append([FeatureLookup.of(some, attributes, names) for some in grouped])
        return found

    def _extract(self, sentences: Sequence[Sentence]) -> dict[Table, FeatureRows]:
        attributes = Attributes(sentences, self.vocabulary, attribute_table())
        builders = _builders(attributes.words.count)
        for family in self.conjunctions:
            entries = family.known(*_keys(attributes, family.parts, family.over))
            builders[family.table].add(*entries)
        return _built(builders, self.sizes)


class _RowBuilder:
    """Collects the entries of one table, family by family, and orders them by node.

    There are hundreds of families and as many entries of each as words, so they are kept small.
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._entries: list[tuple[npt.NDArray[np.int32], ...]] = []

    def add(self, node: Ints, number: Ints, value: Ints) -> None:
        """Append the entries of a family, ordered by node.

        Args:
            node: ``[entries]``.
            number: ``[entries]`` feature numbers.
            value: ``[entries]`` feature values.
        """
        small = [x.astype(np.int32) for x in (node, number)]
        self._entries.append((*small, value.astype(np.int32)) if (value != 1).any() else (*small,))

    def rows(self, size: int) -> FeatureRows:
        """Return the entries of each node in the order of the families.

        Args:
            size: how many features there are.
        """
        total = np.zeros(self._nodes, np.int64)
        for node, *_ in self._entries:
            total += np.bincount(node, minlength=self._nodes)
        start = np.concatenate([np.zeros(1, np.int64), total.cumsum()])
        largest = max((int(x.max()) for _, _, *values in self._entries for x in values), default=1)
        context = np.empty(start[-1], np.int32)
        value = np.ones(start[-1], np.min_scalar_type(largest))
        free = start[:-1].copy()
        for node, numbers, *values in self._entries:
            # Families are ordered by node: an entry's place is the node's next free one plus how
            # many entries of the same node come before it in the family.
            count = np.bincount(node, minlength=self._nodes)
            place = np.arange(len(node)) + (free - (count.cumsum() - count))[node]
            context[place] = numbers
            if values:
                value[place] = values[0]
            free += count
        self._entries.clear()
        return FeatureRows(start, context, value, size)


def _families(templates: Iterable[Template]) -> Iterator[Conjunction]:
    """Yield the families of templates, each context of a table once, without their features."""
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


def _builders(nodes: int) -> dict[Table, _RowBuilder]:
    return {table: _RowBuilder(nodes) for table in TABLES}


def _built(
    builders: Mapping[Table, _RowBuilder], sizes: Mapping[Table, int]
) -> dict[Table, FeatureRows]:
    return {table: builder.rows(sizes[table]) for table, builder in builders.items()}


@dataclass(frozen=True, slots=True)
class FeatureLookup:
    """A table from nodes and the values of some attributes to feature numbers.

    Attributes:
        looked_at: ``[attributes]`` which of the attributes passed the families use.
        fixed: ``[nodes, families]`` the part of each family's code that the node decides.
        radix: ``[attributes, families]`` what a value of each attribute adds to it.
        numbers: ``[codes]`` the feature number of each code, -1 for none. Families of
            attributes yet to come have few codes: those attributes are coarse.
    """

    looked_at: Ints
    fixed: Ints
    radix: Ints
    numbers: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls, families: Sequence[Conjunction], table: Attributes, given: Sequence[str]
    ) -> FeatureLookup:
        """Compile families for the nodes of some sentences.

        Args:
            families: the families.
            table: the attributes of the nodes.
            given: names of the attributes whose values will be passed.
        """
        looked_at = sorted({given.index(p) for f in families for p in f.parts if p in given})
        names = [given[i] for i in looked_at]
        fixed = np.zeros((table.words.count, len(families)), np.int64)
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
                    fixed[:, i] += unit * table.single(part)
                unit *= table.codes[part]
            numbers = np.full(unit, -1, np.int32)
            numbers[family.kept] = family.offset + np.arange(len(family.kept))
            parts.append(numbers)
            first += unit
        return cls(np.array(looked_at), fixed, radix, np.concatenate(parts))

    def rows(self, nodes: Ints, values: Ints) -> npt.NDArray[np.int32]:
        """Return the feature numbers of nodes, ``[cases, families]``, -1 for none.

        Args:
            nodes: ``[cases]``.
            values: ``[cases, attributes]`` of the attributes that count.
        """
        return self.numbers[self.fixed[nodes] + values @ self.radix]


def _grouped(families: Sequence[Conjunction], given: frozenset[str]) -> list[list[Conjunction]]:
    """Group families by the attributes given that they use; subsets join the largest such sets."""
    looked_at = list(dict.fromkeys(given.intersection(family.parts) for family in families))
    largest = [x for x in looked_at if not any(x < other for other in looked_at)]
    groups: dict[frozenset[str], list[Conjunction]] = {}
    for family in families:
        own = given.intersection(family.parts)
        group = next(x for x in largest if own <= x)
        groups.setdefault(group, []).append(family)
    return list(groups.values())


def _end_to_end(parts: Sequence[FeatureRows], size: int) -> FeatureRows:
    """Join the feature vectors of consecutive sentences."""
    starts = [np.zeros(1, np.int64)]
    entries = 0
    for part in parts:
        starts.append(part.start[1:] + entries)
        entries += len(part.context)
    return FeatureRows(
        np.concatenate(starts),
        np.concatenate([np.zeros(0, np.int32), *(part.context for part in parts)]),
        np.concatenate([np.zeros(0, np.uint8), *(part.value for part in parts)]),
        size,
    )


def _keys(table: Attributes, parts: Sequence[str], over: str | None) -> tuple[Ints, Ints, Ints]:
    """Return mixed-radix codes of a conjunction, with node and value of each occurrence."""
    key = np.zeros(table.words.count, np.int64)
    for part in parts:
        key = key * table.codes[part] + table.single(part)
    if over is None:
        return key, np.arange(len(key)), np.ones_like(key)
    node, code, value = table.multiple(over)
    return key[node] * table.codes[over] + code, node, value
