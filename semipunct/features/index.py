"""Extraction of feature vectors of nodes according to the template table.

This module determines the families and the features that training keeps; ``families`` looks
features up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.features.attributes import Attributes, code_sizes
from semipunct.features.families import Conjunction, Families, FeatureRows
from semipunct.features.templates import TABLES, Table, Target, Template, attribute_table
from semipunct.features.vocabulary import Vocabulary

_TOGETHER = 1024
"""The number of sentences processed at a time; all at once took four times the memory."""

_NODES_TOGETHER = 1 << 13
"""The number of nodes processed at a time: a table has several hundred families."""


@dataclass(frozen=True)
class FeatureIndex:
    """A map from contexts to feature numbers, fixed in training.

    Attributes:
        vocabulary: codes of attribute values.
        conjunctions: the feature families, with the combinations kept in training.
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
        """Index the contexts that are frequent enough in training.

        Args:
            sentences: sentences of the training treebank.
            vocabulary: codes of attribute values.
            templates: the templates to use.
            minimum: minimum count of a context.

        Returns:
            The index, and the feature vectors of the training sentences, as ``extract`` would
            return them.
        """
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
        """Return the feature vectors of all nodes of ``sentences``, in order.

        Args:
            sentences: words, trees and, for features of marks, surface punctuation.
            tables: the tables whose features are needed.
        """
        vocabulary, table = self.vocabulary, attribute_table()
        parts = [
            self._rows(Attributes(sentences[i : i + _TOGETHER], vocabulary, table), tables)
            for i in range(0, len(sentences), _TOGETHER)
        ]
        return self._joined(parts, tables)

    def rows_over(self, sentence: Sentence, attribute: str) -> Ints:
        """Return feature numbers for all possible values of a multi-valued attribute.

        Args:
            sentence: words and tree.
            attribute: name of the attribute.

        Returns:
            ``[words, values, families]``, where values are in the order of ``Vocabulary.values``;
            -1 for no feature.
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
        """Precompute feature numbers as functions of attributes whose values are given later.

        Args:
            table: the table.
            later: the attributes whose values will be given.

        Returns:
            Look-ups, each of which depends on few of these attributes.
        """
        families = [c for c in self.conjunctions if c.table == table]
        codes = code_sizes(self.vocabulary, attribute_table())
        return [
            FeatureLookup.of(some, codes, later) for some in _grouped(families, frozenset(later))
        ]

    def attributes(self, sentences: Sequence[Sentence]) -> Attributes:
        """Return the attributes of all nodes, for ``FeatureLookup.place_node_codes``."""
        return Attributes(sentences, self.vocabulary, attribute_table())

    @cached_property
    def _tables(self) -> dict[Table, Families]:
        return {
            table: Families([c for c in self.conjunctions if c.table == table], self.sizes[table])
            for table in TABLES
        }

    def _rows(self, attributes: Attributes, tables: Collection[Table]) -> dict[Table, FeatureRows]:
        """Return the feature vectors of all nodes, processing a limited number at a time."""
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


@dataclass(frozen=True, slots=True)
class FeatureLookup:
    """A map from nodes and the values of some attributes to feature numbers.

    Attributes:
        looked_at: ``[attributes]`` indices of the given attributes that the families use.
        first: ``[families]`` where the codes of each family begin.
        units: for each other attribute that the families use: its name, and ``[families]`` the
            factor of its value in the code.
        radix: ``[attributes, families]`` the factor of the value of each given attribute in the
            code.
        numbers: ``[codes]`` the feature number of each code, -1 for none. The table is small,
            because the attributes given later are coarse.
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
        """Build the lookup table of some families.

        Args:
            families: the families.
            codes: the number of codes of each attribute.
            later: names of the attributes whose values will be given.
        """
        # The code of a context is a number whose digits are the values of its attributes, the last
        # one least. So it is a sum, of which nodes supply one part once (``place_node_codes``) and
        # each case the rest, by one product of matrices (``rows``).
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
        """Return the part of each family's code that depends on the nodes, ``[nodes, families]``.

        Args:
            attributes: the attributes of the nodes.
        """
        fixed = np.tile(self.first, (attributes.words.count, 1))
        for name, unit in self.units.items():
            fixed += attributes.single(name)[:, None] * unit
        return fixed

    def rows(self, fixed: Ints, values: Ints) -> npt.NDArray[np.int32]:
        """Return feature numbers, ``[cases, families]``, -1 for none.

        Args:
            fixed: ``[cases, families]`` from ``place_node_codes``, for the node of each case.
            values: ``[cases, attributes]`` values of the attributes in ``looked_at``.
        """
        return self.numbers.take(fixed + values @ self.radix)


def _grouped(families: Sequence[Conjunction], later: frozenset[str]) -> list[list[Conjunction]]:
    """Group families by the given attributes that they use, merging subsets into maximal sets."""
    looked_at = list(dict.fromkeys(later.intersection(family.parts) for family in families))
    largest = [x for x in looked_at if not any(x < larger for larger in looked_at)]
    groups: dict[frozenset[str], list[Conjunction]] = {}
    for family in families:
        used = later.intersection(family.parts)
        group = next(x for x in largest if used <= x)
        groups.setdefault(group, []).append(family)
    return list(groups.values())
