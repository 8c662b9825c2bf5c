"""Strict JSON: without NaN and the infinities, which other programs cannot read."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def finite(value: float) -> float | None:
    """Return a number for JSON: None in place of NaN and the infinities, which JSON lacks."""
    return value if math.isfinite(value) else None


def to_json(value: object, indent: int | None = None) -> str:
    """Return strict JSON.

    Args:
        value: dictionaries, lists, texts, numbers, booleans and None.
        indent: how far to indent each level, for people; by default all is one line without
            spaces.

    Raises:
        ValueError: for NaN and the infinities; see ``finite``.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    # Names of files may hold bytes that are no text: JSON, which is UTF-8, shows that they do.
    return text.encode(errors="replace").decode()


def json_document(value: object) -> bytes:
    """Return strict JSON with line breaks, as bytes, for files that people read.

    Raises:
        ValueError: for NaN and the infinities; see ``finite``.
    """
    return (to_json(value, indent=1) + "\n").encode()


def from_json(content: bytes) -> Any:
    """Return the value of strict JSON.

    Raises:
        ValueError: if it is none, or holds NaN or an infinity (``json.JSONDecodeError`` with the
            place of the mistake), or a text with half of a surrogate pair, which no file can hold.
        RecursionError: if it is nested too deeply.
    """
    value = json.loads(content, parse_constant=_no_number)
    if b"\\ud" in content.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"it contains {constant}, which is not a number in JSON")
