"""The vocabulary of a model as plain JSON values, and back; types are checked by msgspec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from semipunct.features.attributes import code_sizes
from semipunct.features.index import Conjunction, FeatureIndex
from semipunct.features.network_inputs import KINDS as NETWORK_KINDS
from semipunct.features.strings import Spelling, alphabet
from semipunct.features.templates import TARGETS, Target, attribute_table
from semipunct.features.vocabulary import KINDS, Vocabulary
from semipunct.models.punctuation.inventory import Inventory

Strings = tuple[str, ...]


class InventoryData(msgspec.Struct):
    """An ``Inventory``; ``allowed`` lists the pairs of each relation."""

    symbols: Strings
    labels: tuple[Strings, ...]
    pairs: list[tuple[int, int]]
    relations: Strings
    allowed: list[list[int]] | None
    counts: list[list[int]]
    spelling: Spelling


class ConjunctionData(msgspec.Struct):
    """A ``Conjunction``."""

    template: str
    target: Target
    parts: Strings
    over: str | None
    kept: list[int]
    offset: int


class FeaturesData(msgspec.Struct):
    """A ``FeatureIndex``; ``codes`` says how many codes each attribute had when it was made."""

    symbols: dict[str, Strings]
    codes: dict[str, int]
    conjunctions: list[ConjunctionData]
    sizes: dict[Target, int]


class ModelData(msgspec.Struct):
    """Everything of a model but options and weights, in the order in which it is written."""

    inventory: InventoryData
    features: FeaturesData
    words: dict[str, Strings] | None


def to_data(
    inventory: Inventory, features: FeatureIndex, words: Vocabulary | None
) -> dict[str, Any]:
    """Return the parts of a model as plain values.

    Args:
        inventory: tokens, punctemes and pairs.
        features: the feature contexts kept.
        words: codes of the network's inputs, or None without a network.
    """
    allowed = inventory.allowed
    return msgspec.to_builtins(
        ModelData(
            InventoryData(
                inventory.symbols,
                inventory.labels,
                inventory.pairs.tolist(),
                inventory.relations,
                None if allowed is None else [np.flatnonzero(r).tolist() for r in allowed],
                inventory.counts.tolist(),
                inventory.spelling,
            ),
            FeaturesData(
                features.vocabulary.values,
                code_sizes(features.vocabulary, attribute_table()),
                [
                    ConjunctionData(
                        c.template, c.target, c.parts, c.over, c.kept.tolist(), c.offset
                    )
                    for c in features.conjunctions
                ],
                dict(features.sizes),
            ),
            None if words is None else words.values,
        )
    )


def from_data(data: Any) -> tuple[Inventory, FeatureIndex, Vocabulary | None]:
    """Invert ``to_data``.

    Raises:
        KeyError, TypeError, ValueError: if the data is not what ``to_data`` returns.
    """
    found = msgspec.convert(data, ModelData)
    words = None if found.words is None else _vocabulary(found.words, NETWORK_KINDS)
    return _inventory(found.inventory), _features(found.features), words


def _vocabulary(values: Mapping[str, Strings], kinds: Iterable[str]) -> Vocabulary:
    return Vocabulary({kind: values[kind] for kind in kinds})


def _inventory(data: InventoryData) -> Inventory:
    pairs = np.array(data.pairs, np.int32).reshape(-1, 2)
    if not len(pairs) or pairs.min() < 0 or pairs.max() >= len(data.labels) or pairs[0].any():
        raise ValueError("pairs that are no pairs of labels")
    if data.symbols != alphabet(data.symbols[len(alphabet(())) :]):
        raise ValueError("symbols that do not begin with the special ones")
    if data.labels[0] or not set(data.symbols[1:]).issuperset(t for p in data.labels for t in p):
        raise ValueError("punctemes of other symbols, or without the empty one")
    if any(len(set(names)) < len(names) for names in (data.symbols, data.labels, data.relations)):
        raise ValueError("names that stand there twice")
    data.spelling.check(data.symbols)
    shape = (len(data.relations) + 1, len(pairs))
    allowed = None
    if data.allowed is not None:
        allowed = np.zeros(shape, bool)
        for row, members in zip(allowed, data.allowed, strict=True):
            row[np.array(members, np.int64)] = True
    counts = np.array(data.counts, np.int32).reshape(shape)
    if (counts < 0).any():
        raise ValueError("counts below zero")
    return Inventory(
        data.symbols, data.labels, pairs, data.relations, allowed, counts, data.spelling
    )


def _features(data: FeaturesData) -> FeatureIndex:
    conjunctions = tuple(
        Conjunction(c.template, c.target, c.parts, c.over, np.array(c.kept, np.int64), c.offset)
        for c in data.conjunctions
    )
    sizes: dict[Target, int] = {target: data.sizes[target] for target in TARGETS}
    for c in conjunctions:
        if not 0 <= c.offset <= sizes[c.target] - len(c.kept):
            raise ValueError("feature numbers beyond the last")
    known = _vocabulary(data.symbols, KINDS)
    now = code_sizes(known, attribute_table())
    for name in {part for c in conjunctions for part in (*c.parts, c.over) if part is not None}:
        if data.codes[name] != now.get(name):
            had = f"{data.codes[name]} codes of {name}"
            raise ValueError(f"features with {had}, which this program gives {now.get(name, 'no')}")
    return FeatureIndex(known, conjunctions, sizes)
