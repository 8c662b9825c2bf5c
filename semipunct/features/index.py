"""Extracting feature vectors of nodes by reading the template table.

Which families there are and which of their features training keeps is decided here, looking
features up is the business of ``families``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence
from semipunct.features.attributes import Attributes
from semipunct.features.families import Conjunction, Families, FeatureRows
from semipunct.features.templates import TABLES, Table, Target, Template, attribute_table
from semipunct.features.vocabulary import Vocabulary

_TOGETHER = 1024
"""Sentences whose features are extracted at a time; all of them took four times the memory."""

_NODES_TOGETHER = 1 << 13
"""Nodes whose features are looked up at a time: a table has some hundred families."""


@dataclass(frozen=True)
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
        for family in _families(templates):
            table = family.table
            values, counts = np.unique(family.codes(attributes).code, return_counts=True)
            family = replace(family, kept=values[counts >= minimum], offset=sizes[table])
            families.append(family)
            sizes[table] += len(family.kept)
        index = cls(vocabulary, tuple(families), sizes)
        return index, index._rows(attributes)

    def extract(self, sentences: Sequence[Sentence]) -> dict[Table, FeatureRows]:
        """Return the feature vectors of all nodes of ``sentences``, in order."""
        parts = [
            self._rows(Attributes(sentences[i : i + _TOGETHER], self.vocabulary, attribute_table()))
            for i in range(0, len(sentences), _TOGETHER)
        ]
        return self._joined(parts)

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
            key = replace(family, over=None).codes(table).code
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

    @cached_property
    def _tables(self) -> dict[Table, Families]:
        return {
            table: Families([c for c in self.conjunctions if c.table == table], self.sizes[table])
            for table in TABLES
        }

    def _rows(self, attributes: Attributes) -> dict[Table, FeatureRows]:
        """Return the feature vectors of all nodes, some of them at a time."""
        words = attributes.words.count
        parts = [
            {
                table: families.rows(attributes, first, min(first + _NODES_TOGETHER, words))
                for table, families in self._tables.items()
            }
            for first in range(0, words, _NODES_TOGETHER)
        ]
        return self._joined(parts)

    def _joined(self, parts: Sequence[Mapping[Table, FeatureRows]]) -> dict[Table, FeatureRows]:
        if len(parts) == 1:
            return dict(parts[0])
        return {t: FeatureRows.joined([part[t] for part in parts], self.sizes[t]) for t in TABLES}


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
