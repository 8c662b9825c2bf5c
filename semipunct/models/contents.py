"""The contents of a model as plain values and arrays, their digest, and 8-bit tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def digest(model: Any, parameters: Mapping[str, Any]) -> str:
    """Return a SHA-256 digest of everything that determines a model's output."""
    hasher = hashlib.sha256(repr(model.options).encode())
    plain, large = without_arrays(model.to_data())
    hasher.update(compact(plain).encode())
    for name, weights in sorted({**large, **parameters}.items()):
        array = np.asarray(weights)
        hasher.update(f"{name} {array.dtype} {array.shape}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


def compact(data: object) -> str:
    """Return JSON without spaces, in insertion order; reject NaN and infinities."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def without_arrays(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Separate plain values from arrays, which are keyed by slash-separated path."""
    plain: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif isinstance(value, Mapping):
            plain[name], below = without_arrays(cast(Mapping[str, Any], value))
            arrays |= {f"{name}/{path}": array for path, array in below.items()}
        else:
            plain[name] = value
    return plain, arrays


def with_arrays(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Invert ``without_arrays``."""
    contents = dict(plain)
    for path, array in arrays.items():
        name, slash, below = path.partition("/")
        contents[name] = with_arrays(contents[name], {below: array}) if slash else array
    return contents


Floats = npt.NDArray[np.float32]

LEVELS = 127
# Multiples of a scale up to 127 are exact in single precision, so rounding is idempotent.
_SIGNIFICANT = 11  # bits of a scale


def in_eight_bits(table: Floats) -> Floats:
    """Round each row of a table, ``[rows, size]``, to integer multiples of a scale."""
    scale = _scales(table)
    return (np.round(table / scale) * scale).astype(np.float32)


def multiples(table: Floats) -> tuple[npt.NDArray[np.int8], Floats] | None:
    """Return the multiples and scales ``[rows, 1]`` of a table; None if it is not in 8 bits."""
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        return None
    scale = _scales(table)
    whole = np.round(table / scale)
    if not np.array_equal(whole * scale, table):
        return None
    return whole.astype(np.int8), scale


def _scales(table: Floats) -> Floats:
    """Return for each row the least 11-bit scale such that no multiple exceeds 127."""
    most = np.max(np.abs(table), 1, keepdims=True) / np.float32(LEVELS)
    fraction, exponent = np.frexp(np.maximum(most, np.finfo(np.float32).tiny))
    fraction = np.ceil(fraction * 2**_SIGNIFICANT) / 2**_SIGNIFICANT
    return np.ldexp(fraction, exponent).astype(np.float32)
