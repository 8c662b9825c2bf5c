"""A model without its weights as plain JSON values, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

import jax
import numpy as np
import numpy.typing as npt

from semipunct.features import columns as context
from semipunct.features import vocabulary as symbols
from semipunct.features.attributes import code_sizes
from semipunct.features.index import Conjunction, FeatureMap
from semipunct.features.strings import Spelling
from semipunct.features.templates import TARGETS, Target
from semipunct.features.vocabulary import Symbols
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.options import ModelOptions

Arrays = Mapping[str, npt.NDArray[Any]] | Mapping[str, jax.Array]


def to_json(model: PunctuationModel) -> dict[str, Any]:
    """Everything of a model but its options and weights."""
    inventory, features = model.inventory, model.features
    spelling = inventory.spelling
    allowed = inventory.allowed
    return {
        "inventory": {
            "symbols": list(inventory.symbols),
            "labels": [list(label) for label in inventory.labels],
            "pairs": inventory.pairs.tolist(),
            "relations": list(inventory.relations),
            "allowed": None if allowed is None else [np.flatnonzero(r).tolist() for r in allowed],
            "counts": inventory.counts.tolist(),
            "spelling": {
                "first": list(spelling.first),
                "again": spelling.again,
                "stop": spelling.stop,
            },
        },
        "features": {
            "symbols": _values(features.symbols),
            "codes": code_sizes(features.symbols),
            "conjunctions": [
                {
                    "template": c.template,
                    "target": c.target,
                    "parts": list(c.parts),
                    "over": c.over,
                    "kept": c.kept.tolist(),
                    "offset": c.offset,
                }
                for c in features.conjunctions
            ],
            "sizes": dict(features.sizes),
        },
        "words": None if model.words is None else _values(model.words),
    }


def from_json(data: Any, options: ModelOptions) -> PunctuationModel:
    """The inverse of ``to_json``.

    Raises:
        KeyError, TypeError, ValueError: if the data is not what ``to_json`` writes.
    """
    words = None if data["words"] is None else _symbols(data["words"], context.KINDS)
    return PunctuationModel(
        options, _inventory(data["inventory"]), _features(data["features"]), words
    )


def _values(symbols: Symbols) -> dict[str, list[str]]:
    return {kind: list(values) for kind, values in symbols.values.items()}


def _symbols(data: Any, kinds: Iterable[str]) -> Symbols:
    return Symbols({kind: _strings(data[kind]) for kind in kinds})


def _inventory(data: Any) -> Inventory:
    pairs = np.array(data["pairs"], np.int32).reshape(-1, 2)
    relations = _strings(data["relations"])
    shape = (len(relations) + 1, len(pairs))
    labels = tuple(_strings(label) for label in data["labels"])
    if not len(pairs) or pairs.min() < 0 or pairs.max() >= len(labels) or pairs[0].any():
        raise ValueError("pairs that are no pairs of labels")
    allowed = None
    if data["allowed"] is not None:
        allowed = np.zeros(shape, bool)
        for row, members in zip(allowed, data["allowed"], strict=True):
            row[np.array(members, np.int64)] = True
    symbols = _strings(data["symbols"])
    spelling = data["spelling"]
    first = tuple(float(p) for p in spelling["first"])
    if len(first) != len(symbols):
        raise ValueError("a spelling over other symbols")
    return Inventory(
        symbols=symbols,
        labels=labels,
        pairs=pairs,
        relations=relations,
        allowed=allowed,
        counts=np.array(data["counts"], np.int32).reshape(shape),
        spelling=Spelling(first, float(spelling["again"]), float(spelling["stop"])),
    )


def _features(data: Any) -> FeatureMap:
    conjunctions = tuple(
        Conjunction(
            template=str(c["template"]),
            target=_target(c["target"]),
            parts=_strings(c["parts"]),
            over=None if c["over"] is None else str(c["over"]),
            kept=np.array(c["kept"], np.int64),
            offset=int(c["offset"]),
        )
        for c in data["conjunctions"]
    )
    sizes: dict[Target, int] = {target: int(data["sizes"][target]) for target in TARGETS}
    for c in conjunctions:
        if not 0 <= c.offset <= sizes[c.target] - len(c.kept):
            raise ValueError("feature numbers beyond the last")
    known = _symbols(data["symbols"], symbols.KINDS)
    now = code_sizes(known)
    for name in {part for c in conjunctions for part in (*c.parts, c.over) if part is not None}:
        if data["codes"][name] != now.get(name):
            had = f"{data['codes'][name]} codes of {name}"
            raise ValueError(f"features with {had}, which this program gives {now.get(name, 'no')}")
    return FeatureMap(known, conjunctions, sizes)


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("no list of strings")
    items = cast(list[object], values)
    found = tuple(v for v in items if isinstance(v, str))
    if len(found) != len(items):
        raise TypeError("no list of strings")
    return found


def _target(name: str) -> Target:
    if name not in get_args(Target):
        raise ValueError(f"an unknown target {name}")
    return cast(Target, name)


def model_digest(model: PunctuationModel, parameters: Arrays) -> str:
    """A sha256 of all that decides a model's answers: options, vocabulary and weights."""
    digest = hashlib.sha256(repr(model.options).encode())
    digest.update(dumps(to_json(model)).encode())
    for name in sorted(parameters):
        array = np.asarray(parameters[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def dumps(data: object) -> str:
    """JSON without spaces, in the order of insertion, and without the numbers JSON lacks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
