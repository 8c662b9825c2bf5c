"""Migration from format 2 to 3: dense tables of weights become sparse.

Format 2 numbered the features of each target separately, listed all of them in ``vocabulary.json``,
and had a weight for every outcome. The names below are those of the formats, not of the current
program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semipunct.models.base import Array

_TABLES: dict[str, tuple[str, ...]] = {
    "pair": ("pair",),
    "side": ("left", "right", "symmetric"),
    "opening": ("opening",),
    "closing": ("closing", "closing_symmetric"),
}
_TABLE_OF = {target: table for table, targets in _TABLES.items() for target in targets}


@dataclass(slots=True)
class _Family:
    """A context of a table, with the feature families of format 2 that share it."""

    table: str
    parts: Sequence[str]
    over: str | None
    codes: Array
    members: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def sparse(
    vocabulary: Mapping[str, Any], arrays: Mapping[str, Array]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Convert the vocabulary and the weights of a punctuation model from format 2 to format 3.

    Weights that are zero are left out; the model's predictions do not change.

    Args:
        vocabulary: the content of ``vocabulary.json``.
        arrays: the weights by name.
    """
    features = vocabulary["features"]
    families: dict[tuple[str, tuple[str, ...], str | None, bytes], _Family] = {}
    for member in features["conjunctions"]:
        codes = np.array(member["kept"], np.int64)
        key = _TABLE_OF[member["target"]], tuple(member["parts"]), member["over"], codes.tobytes()
        family = families.setdefault(key, _Family(key[0], member["parts"], member["over"], codes))
        family.members.append(member)
    weights = {name: array for name, array in arrays.items() if not _is_table(name)}
    tables: dict[str, Array] = {"kept": _end_to_end([f.codes for f in families.values()], np.int64)}
    for table, targets in _TABLES.items():
        members_of_table = [family for family in families.values() if family.table == table]
        counts: list[Array] = []
        outcomes: list[Array] = []
        values: list[Array] = []
        for family in members_of_table:
            dense = np.concatenate(
                [_weights_of(family, target, arrays[f"attach.{target}"]) for target in targets], 1
            )
            feature, outcome = np.nonzero(dense)
            counts.append(np.bincount(feature, minlength=len(dense)))
            outcomes.append(outcome.astype(np.int32))
            values.append(dense[feature, outcome])
        tables[f"{table}.weights"] = _end_to_end(counts, np.int64)
        tables[f"{table}.outcome"] = _end_to_end(outcomes, np.int32)
        weights[f"attach.{table}"] = _end_to_end(values, np.float32)
    conjunctions = [
        {
            "templates": list(dict.fromkeys(m["template"] for m in family.members)),
            "table": family.table,
            "targets": [
                t for t in _TABLES[family.table] if any(m["target"] == t for m in family.members)
            ],
            "parts": family.parts,
            "over": family.over,
            "features": len(family.codes),
        }
        for family in families.values()
    ]
    kept_tables = {name: features[name] for name in ("symbols", "codes")}
    sparse_vocabulary = {
        **vocabulary,
        "features": {**kept_tables, "conjunctions": conjunctions},
        "arrays": tables,
    }
    return sparse_vocabulary, weights


def _is_table(name: str) -> bool:
    return name.removeprefix("attach.") in _TABLE_OF


def _weights_of(family: _Family, target: str, weights: Array) -> Array:
    """Sum the weights of a context for one target: ``[features, outcomes]``."""
    summed = np.zeros((len(family.codes), weights.shape[1]), np.float32)
    for member in family.members:
        if member["target"] == target:
            summed += weights[member["offset"] : member["offset"] + len(summed)]
    return summed


def _end_to_end(parts: Sequence[Array], dtype: type[np.generic]) -> Array:
    return np.concatenate([np.zeros(0, dtype), *parts])
