"""Attributes of the MISC column: ``Key=value|Key=value``, or ``_`` for none.

``|``, ``=``, ``%``, control characters and white space in values are percent-escaped (as UTF-8).
"""

from collections.abc import Mapping
from urllib.parse import unquote

from semipunct.errors import UsageError

EMPTY = "_"


def escape(value: str) -> str:
    """Escape a value for a MISC column; the inverse of ``unescape``."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8")) if _is_unsafe(char) else char
        for char in value
    )


def _is_unsafe(char: str) -> bool:
    return char in "|=%" or char.isspace() or not char.isprintable()


def unescape(value: str) -> str:
    """Unescape a value; the inverse of ``escape``."""
    return unquote(value, errors="strict") if "%" in value else value


def with_attributes(column: str, attributes: Mapping[str, str]) -> str:
    """Add attributes to a MISC column; an existing key keeps its position."""
    if not attributes:
        return column
    items_of = {_checked(key): f"{key}={escape(value)}" for key, value in attributes.items()}
    items = [] if column in (EMPTY, "") else column.split("|")
    updated: list[str] = []
    placed: set[str] = set()
    for item in items:
        key = item.partition("=")[0]
        if key not in items_of:
            updated.append(item)
        elif key not in placed:
            updated.append(items_of[key])
            placed.add(key)
    updated.extend(text for key, text in items_of.items() if key not in placed)
    return "|".join(updated)


def without_attributes(column: str, beginnings: tuple[str, ...]) -> str:
    """Remove the attributes with given prefixes from a MISC column."""
    items = column.split("|")
    remaining = [item for item in items if not item.startswith(beginnings)]
    return column if len(remaining) == len(items) else "|".join(remaining) or EMPTY


def _checked(key: str) -> str:
    if not key or any(_is_unsafe(char) for char in key):
        raise UsageError(
            f"{key!r} cannot be the name of a MISC attribute; "
            "use at least one letter and no space, |, = or %"
        )
    return key


def attributes(column: str) -> dict[str, str]:
    """Return the unescaped values of a MISC column by key."""
    if column in (EMPTY, ""):
        return {}
    parts = (item.partition("=") for item in column.split("|"))
    return {key: _unescape_leniently(value) for key, _, value in parts}


def _unescape_leniently(value: str) -> str:
    # Attributes from other programs may contain a plain % that is not an escape.
    try:
        return unescape(value)
    except UnicodeDecodeError:
        return value
