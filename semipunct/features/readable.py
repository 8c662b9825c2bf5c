"""Features of a node as readers know them: attributes with their values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from semipunct.features.attributes import At, Attribute, code_sizes
from semipunct.features.families import Conjunction
from semipunct.features.index import FeatureIndex
from semipunct.features.templates import Table, attribute_table
from semipunct.features.vocabulary import Vocabulary

_KINDS: Mapping[str, str] = {
    "upos": "upos", "xpos": "xpos", "relation": "relation", "form": "form",
    "begins": "character", "ends": "character",
}  # fmt: skip
"""The kind of value of each property of a word, in the words of ``Vocabulary``."""

_WORDS: Mapping[str, str] = {
    "child": "relation", "ancestor": "relation", "sibling_before": "relation",
    "sibling_after": "relation", "sentence_form": "form", "inside": "token",
}  # fmt: skip
"""The kind of value of further attributes."""

_PLACES = ("within", "at the end", "at the beginning", "everywhere")


class NamedFeature(NamedTuple):
    """A feature with the values that its attributes have.

    Attributes:
        templates: the templates that have it.
        values: an attribute and its value each, ``relation=advcl``; a class without a name is
            given by its number.
    """

    templates: tuple[str, ...]
    values: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.values) or "any constituent"


class FeatureNames:
    """The names of the features of an index."""

    def __init__(self, index: FeatureIndex) -> None:
        """Prepare the names of an index."""
        self._vocabulary = index.vocabulary
        self._index = index
        self._attributes: Mapping[str, Attribute] = attribute_table()
        self._sizes = code_sizes(index.vocabulary, self._attributes)

    def name(self, table: Table, number: int) -> NamedFeature:
        """Return the name of a feature.

        Args:
            table: the table of the feature.
            number: of the feature in its table.
        """
        offsets, families = self._families[table]
        family = families[bisect_right(offsets, number) - 1]
        code = int(family.kept[number - family.offset])
        parts = [*family.parts, *((family.over,) if family.over else ())]
        return NamedFeature(family.templates, tuple(reversed([*self._values(parts, code)])))

    @cached_property
    def _families(self) -> dict[str, tuple[list[int], list[Conjunction]]]:
        tables: dict[str, tuple[list[int], list[Conjunction]]] = {}
        for family in self._index.conjunctions:
            offsets, families = tables.setdefault(family.table, ([], []))
            offsets.append(family.offset)
            families.append(family)
        return tables

    def _values(self, parts: Sequence[str], code: int) -> Iterator[str]:
        """Yield attributes and values, the last one first: codes are mixed-radix numbers."""
        for part in reversed(parts):
            code, digit = divmod(code, self._sizes[part])
            yield f"{part}={_value(self._vocabulary, self._attributes.get(part), part, digit)}"


def _value(vocabulary: Vocabulary, spec: Attribute | None, part: str, code: int) -> str:
    if part == "arc":  # a relation and the side on which the head is
        relation, side = divmod(code, 2)
        return f"{_string(vocabulary, 'relation', relation)}{'>' if side else '<'}"
    if isinstance(spec, At):
        kind = _KINDS.get(spec.code)
        return f"class {code}" if kind is None else _string(vocabulary, kind, code)
    if part in _WORDS:
        return _string(vocabulary, _WORDS[part], code)
    return _PLACES[code] if part == "place" else f"class {code}"


def _string(vocabulary: Vocabulary, kind: str, code: int) -> str:
    values = vocabulary.values[kind]
    if code == 0:
        return "unseen"
    return values[code - 1] if code <= len(values) else "none"
