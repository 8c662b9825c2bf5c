"""Conversion of a model's vocabulary to plain JSON values and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints
from semipunct.features.attributes import code_sizes
from semipunct.features.index import Conjunction, FeatureIndex
from semipunct.features.strings import Spelling, alphabet
from semipunct.features.support import Support, outcome_columns
from semipunct.features.templates import TABLES, Table, Target, attribute_table
from semipunct.features.vocabulary import KINDS, Vocabulary
from semipunct.marks.spacing import JoiningMarks
from semipunct.models.punctuation.inventory import Inventory, target_columns

Strings = tuple[str, ...]


class InventoryData(msgspec.Struct):
    """An ``Inventory``; models of earlier versions have no ``joining``."""

    symbols: Strings
    labels: tuple[Strings, ...]
    pairs: list[tuple[int, int]]
    relations: Strings
    allowed: list[list[int]] | None
    counts: list[list[int]]
    spelling: Spelling
    joining: list[tuple[str, bool]] | None = None


class ConjunctionData(msgspec.Struct):
    """A ``Conjunction`` with ``features`` codes."""

    templates: Strings
    table: Table
    targets: tuple[Target, ...]
    parts: Strings
    over: str | None
    features: int


class FeaturesData(msgspec.Struct):
    """A ``FeatureIndex``, with the number of codes of each attribute."""

    symbols: dict[str, Strings]
    codes: dict[str, int]
    conjunctions: list[ConjunctionData]


class ModelData(msgspec.Struct):
    """The plain values of a model without options and weights.

    ``words`` is unused, but part of the digests of models.
    """

    inventory: InventoryData
    features: FeaturesData
    words: None = None


def to_data(
    inventory: Inventory, features: FeatureIndex, supports: Mapping[Table, Support]
) -> dict[str, Any]:
    """Convert the parts of a model to plain values and arrays."""
    allowed, joining = inventory.allowed, inventory.joining.places
    plain: dict[str, Any] = msgspec.to_builtins(
        ModelData(
            InventoryData(
                inventory.symbols,
                inventory.labels,
                inventory.pairs.tolist(),
                inventory.relations,
                None if allowed is None else [np.flatnonzero(r).tolist() for r in allowed],
                inventory.counts.tolist(),
                inventory.spelling,
                None if joining is None else sorted(joining),
            ),
            FeaturesData(
                features.vocabulary.values,
                code_sizes(features.vocabulary, attribute_table()),
                [
                    ConjunctionData(c.templates, c.table, c.targets, c.parts, c.over, len(c.kept))
                    for c in features.conjunctions
                ],
            ),
        )
    )
    arrays = {"kept": _end_to_end(c.kept for c in features.conjunctions)}
    for table, support in supports.items():
        arrays[f"{table}.weights"] = _small(np.diff(support.start))
        arrays[f"{table}.outcome"] = _small(support.outcome)
    return {**plain, "arrays": arrays}


def from_data(data: Any) -> tuple[Inventory, FeatureIndex, dict[Table, Support]]:
    """Invert ``to_data``."""
    model_data = msgspec.convert(data, ModelData)
    arrays = msgspec.convert(data["arrays"], dict[str, np.ndarray])
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name}: is not a list of integers")
    inventory = _inventory(model_data.inventory)
    features = _features(model_data.features, arrays["kept"])
    return inventory, features, _supports(arrays, inventory, features)


def _end_to_end(parts: Iterable[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _small(numbers: Ints | npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Convert non-negative numbers to the smallest sufficient integer type."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _supports(
    arrays: Mapping[str, npt.NDArray[Any]], inventory: Inventory, features: FeatureIndex
) -> dict[Table, Support]:
    supports: dict[Table, Support] = {}
    for table in TABLES:
        columns = outcome_columns(table, target_columns(inventory))
        counts = arrays[f"{table}.weights"].astype(np.int64)
        if len(counts) != features.sizes[table] or (counts < 0).any():
            raise ValueError(f"the weights of {table} do not match its features")
        start = _end_to_end([np.zeros(1, np.int64), counts.cumsum()])
        outcomes = max(span.stop for span in columns.values())
        supports[table] = Support(start, arrays[f"{table}.outcome"].astype(np.int32), outcomes)
        supports[table].check()
    return supports


def _inventory(data: InventoryData) -> Inventory:
    pairs = np.array(data.pairs, np.int32).reshape(-1, 2)
    if not len(pairs) or pairs.min() < 0 or pairs.max() >= len(data.labels) or pairs[0].any():
        raise ValueError("a pair does not consist of two known punctemes")
    if data.symbols != alphabet(data.symbols[len(alphabet(())) :]):
        raise ValueError("the symbols do not begin with the special ones")
    if data.labels[0] or not set(data.symbols[1:]).issuperset(t for p in data.labels for t in p):
        raise ValueError("a puncteme has an unknown symbol, or the first one is not empty")
    if any(len(set(names)) < len(names) for names in (data.symbols, data.labels, data.relations)):
        raise ValueError("a name is listed twice")
    data.spelling.check(data.symbols)
    shape = (len(data.relations) + 1, len(pairs))
    allowed = None
    if data.allowed is not None:
        allowed = np.zeros(shape, bool)
        for row, members in zip(allowed, data.allowed, strict=True):
            row[np.array(members, np.int64)] = True
    counts = np.array(data.counts, np.int32).reshape(shape)
    if (counts < 0).any():
        raise ValueError("a count is negative")
    joining = JoiningMarks(None if data.joining is None else frozenset(data.joining))
    return Inventory(
        data.symbols, data.labels, pairs, data.relations, allowed, counts, data.spelling, joining
    )


def _features(data: FeaturesData, all_codes: Ints) -> FeatureIndex:
    sizes: dict[Table, int] = dict.fromkeys(TABLES, 0)
    conjunctions: list[Conjunction] = []
    first = 0
    for c in data.conjunctions:
        codes = all_codes[first : first + c.features].astype(np.int64)
        if c.features < 0 or len(codes) != c.features or (np.diff(codes) <= 0).any():
            raise ValueError("a feature has no code, or codes are not in strictly ascending order")
        if not set(c.targets) <= set(TABLES[c.table]):
            raise ValueError(f"a target is not in {c.table}")
        conjunctions.append(
            Conjunction(c.templates, c.table, c.targets, c.parts, c.over, codes, sizes[c.table])
        )
        first += c.features
        sizes[c.table] += c.features
    if first != len(all_codes):
        raise ValueError("there are more codes than features")
    vocabulary = Vocabulary({kind: data.symbols[kind] for kind in KINDS})
    sizes_now = code_sizes(vocabulary, attribute_table())
    for name in {part for c in conjunctions for part in (*c.parts, c.over) if part is not None}:
        if data.codes[name] != sizes_now.get(name):
            had = f"{data.codes[name]} codes of {name}"
            raise ValueError(f"features have {had}; this program has {sizes_now.get(name, 'none')}")
    return FeatureIndex(vocabulary, tuple(conjunctions), sizes)
