"""The contents of a model as plain values and arrays, and their digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Storable(Protocol):
    """An object that can be reconstructed from its options and its data."""

    @property
    def options(self) -> Any:
        """Settings whose ``repr`` shows all of them."""
        ...

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON values and arrays."""
        ...


def digest(model: Storable, parameters: Mapping[str, Any]) -> str:
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
