"""The contents of a model as plain values and arrays, their digest, and tables in 8 bits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def digest(model: Any, parameters: Mapping[str, Any]) -> str:
    """Return a SHA-256 digest of everything that determines a model's output.

    Args:
        model: the model, with options and vocabulary.
        parameters: its weights.
    """
    hasher = hashlib.sha256(repr(model.options).encode())
    plain, large = without_arrays(model.to_data())
    hasher.update(compact(plain).encode())
    for name, weights in sorted({**large, **parameters}.items()):
        array = np.asarray(weights)
        hasher.update(f"{name} {array.dtype} {array.shape}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


def compact(data: object) -> str:
    """Return JSON without spaces, in insertion order; reject numbers that JSON does not have."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def without_arrays(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Separate the arrays from the data that ``Model.to_data`` returns.

    Args:
        data: plain JSON values and arrays.

    Returns:
        The plain values, and the arrays by their path, whose names are joined by slashes.
    """
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
    """Invert ``without_arrays``.

    Args:
        plain: the plain values.
        arrays: the arrays by their path.

    Raises:
        KeyError, TypeError: if the plain values have no place for an array.
    """
    contents = dict(plain)
    for path, array in arrays.items():
        name, slash, below = path.partition("/")
        contents[name] = with_arrays(contents[name], {below: array}) if slash else array
    return contents


Floats = npt.NDArray[np.float32]

LEVELS = 127
"""The largest multiple of a scale."""

_SIGNIFICANT = 11
"""Bits of a scale, so that its multiples up to 127, and the scale found from them again, are exact
in single precision: rounding twice is rounding once."""


def in_eight_bits(table: Floats) -> Floats:
    """Return the nearest table of whole multiples of a scale for each row.

    Args:
        table: ``[rows, size]``.
    """
    scale = _scales(table)
    return (np.round(table / scale) * scale).astype(np.float32)


def multiples(table: Floats) -> tuple[npt.NDArray[np.int8], Floats] | None:
    """Return the multiples and the scales ``[rows, 1]`` of a table; None if it has none.

    Args:
        table: ``[rows, size]``.
    """
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        return None
    scale = _scales(table)
    whole = np.round(table / scale)
    if not np.array_equal(whole * scale, table):
        return None
    return whole.astype(np.int8), scale


def _scales(table: Floats) -> Floats:
    """Return the least scales of 11 bits of which no entry is more than 127 times as large."""
    most = np.max(np.abs(table), 1, keepdims=True) / np.float32(LEVELS)
    fraction, exponent = np.frexp(np.maximum(most, np.finfo(np.float32).tiny))
    fraction = np.ceil(fraction * 2**_SIGNIFICANT) / 2**_SIGNIFICANT
    return np.ldexp(fraction, exponent).astype(np.float32)
