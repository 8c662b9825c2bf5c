"""The features with the largest weights for a puncteme in a log-linear punctuation model.

The contribution of a feature (equation 4) is its difference between the pair and the same pair
without the puncteme of one side: its share of the log-odds of that puncteme.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.features.attributes import WORD_CODES, At, Attribute, code_sizes
from semipunct.features.index import Conjunction, FeatureRows
from semipunct.features.templates import TABLES, Table, attribute_table
from semipunct.features.vocabulary import Vocabulary
from semipunct.marks import Pair
from semipunct.models.base import Weights
from semipunct.models.punctuation.attach import weights_of
from semipunct.models.punctuation.model import PunctuationModel

LISTED = 3


class FeatureWeight(NamedTuple):
    """A feature and its contribution to the log-odds of a puncteme, in nats."""

    feature: str
    weight: float


class NodeFeatures:
    """The features of the nodes of a sentence, extracted on demand."""

    def __init__(self, model: PunctuationModel, parameters: Weights, sentence: Sentence) -> None:
        self._model, self._parameters, self._sentence = model, parameters, sentence
        self._attributes = attribute_table()
        self._sizes = code_sizes(model.features.vocabulary, self._attributes)

    def weights(
        self,
        word: int,
        side: str,
        pair: Pair,
        listed: int = LISTED,
        tables: Iterable[Table] = tuple(TABLES),
    ) -> list[FeatureWeight]:
        """Return the features with the largest weights for or against the puncteme of one side.

        Args:
            word: head of the constituent, from 1.
            side: ``left`` or ``right``.
        """
        inventory = self._model.inventory
        label_of = {label: i for i, label in enumerate(inventory.labels)}
        number_of = {tuple(labels): i for i, labels in enumerate(inventory.pairs.tolist())}
        labels = label_of.get(pair[0]), label_of.get(pair[1])
        if None in labels or labels not in number_of:
            return []
        bare = (0, labels[1]) if side == "left" else (labels[0], 0)
        chosen, reference = number_of[labels], number_of.get(bare, 0)
        label = labels[0] if side == "left" else labels[1]
        targets = {"left": ("left", "opening"), "right": ("right", "closing")}[side]
        symmetric = self._model.attach_tables.symmetric[0] > 0
        weights: list[FeatureWeight] = []
        for table in tables:
            for target, columns in self._model.attach_tables.columns[table].items():
                if target == "pair":
                    outcomes = chosen, reference
                elif "symmetric" in target:
                    of_pair = np.where(symmetric, columns.start, -1)  # no outcome is -1
                    outcomes = int(of_pair[chosen]), int(of_pair[reference])
                elif target in targets and label is not None:
                    outcomes = columns.start + label, columns.start
                else:
                    continue
                weights += self._of_table(table, word - 1, *outcomes)
        ranked = sorted(weights, key=lambda one: -abs(one.weight))
        return [one for one in ranked[:listed] if one.weight]

    def _of_table(
        self, table: Table, node: int, outcome: int, reference: int
    ) -> list[FeatureWeight]:
        rows = self._rows[table]
        entries = slice(*rows.start[node : node + 2].tolist())
        features, values = rows.context[entries].astype(np.int64), rows.value[entries]
        support = self._model.supports[table]
        if not len(features) or not support.weights:
            return []
        counts, numbers, outcomes = support.of(features)
        of_feature = np.arange(len(features)).repeat(counts)
        scores = np.asarray(self._parameters[weights_of(table)])[numbers]
        signed: npt.NDArray[np.float64] = (
            scores * (outcomes == outcome) - scores * (outcomes == reference)
        ).astype(np.float64)
        total = np.bincount(of_feature, signed, len(features)) * values
        return [
            FeatureWeight(self._name(table, int(features[i])), float(total[i]))
            for i in np.flatnonzero(total)
        ]

    @cached_property
    def _rows(self) -> dict[Table, FeatureRows]:
        return self._model.features.extract([self._sentence])

    def _name(self, table: Table, number: int) -> str:
        offsets, families = self._families[table]
        family = families[bisect_right(offsets, number) - 1]
        code = int(family.kept[number - family.offset])
        parts = [*family.parts, *((family.over,) if family.over else ())]
        return ", ".join([*self._values(parts, code)][::-1]) or "any constituent"

    @cached_property
    def _families(self) -> dict[str, tuple[list[int], list[Conjunction]]]:
        tables: dict[str, tuple[list[int], list[Conjunction]]] = {}
        for family in self._model.features.conjunctions:
            offsets, families = tables.setdefault(family.table, ([], []))
            offsets.append(family.offset)
            families.append(family)
        return tables

    def _values(self, parts: Sequence[str], code: int) -> Iterator[str]:
        """Yield attributes and values, the last one first."""
        vocabulary = self._model.features.vocabulary
        for part in reversed(parts):
            code, digit = divmod(code, self._sizes[part])
            yield f"{part}={_value(vocabulary, self._attributes.get(part), part, digit)}"


# The kind of value of attributes that are no property of a word nearby.
_WORDS: Mapping[str, str] = {
    "child": "relation", "ancestor": "relation", "sibling_before": "relation",
    "sibling_after": "relation", "sentence_form": "form", "inside": "token",
}  # fmt: skip

_PLACES = ("within", "at the end", "at the beginning", "everywhere")


def _value(vocabulary: Vocabulary, spec: Attribute | None, part: str, code: int) -> str:
    if part == "arc":  # a relation and the side on which the head is
        relation, side = divmod(code, 2)
        return f"{_string(vocabulary, 'relation', relation)}{'>' if side else '<'}"
    if isinstance(spec, At):
        known = spec.code in WORD_CODES
        return _string(vocabulary, WORD_CODES[spec.code][0], code) if known else f"class {code}"
    if part in _WORDS:
        return _string(vocabulary, _WORDS[part], code)
    return _PLACES[code] if part == "place" else f"class {code}"


def _string(vocabulary: Vocabulary, kind: str, code: int) -> str:
    values = vocabulary.values[kind]
    if code == 0:
        return "unseen"
    return values[code - 1] if code <= len(values) else "none"
