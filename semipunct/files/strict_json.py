"""Strict JSON, without NaN and infinities, which other programs cannot read."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def finite(value: float) -> float | None:
    """Replace NaN and infinities by None, as JSON has neither."""
    return value if math.isfinite(value) else None


def to_json(value: object, indent: int | None = None) -> str:
    """Return strict JSON, by default on one line without spaces."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    # File names may contain bytes that are not valid text; they are shown as replaced.
    return text.encode(errors="replace").decode()


def json_document(value: object) -> bytes:
    """Return indented strict JSON as bytes."""
    return (to_json(value, indent=1) + "\n").encode()


def from_json(content: bytes) -> Any:
    """Parse strict JSON.

    Raises:
        ValueError: if it is invalid, or contains NaN, an infinity or a lone surrogate.
    """
    value = json.loads(content, parse_constant=_no_number)
    if b"\\ud" in content.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"it contains {constant}, which is not a number in JSON")
