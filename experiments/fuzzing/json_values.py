"""Mutations of JSON values: types, keys, lengths, depths."""

from __future__ import annotations

import json
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**6, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", "x", "0",
    "\ud800", "\0", "é", [], {}, [[]], [None], [0], ["x"], {"": 0}, {"x": []},
)  # fmt: skip
"""Values of all types."""

TEXTS = (
    b"", b"null", b"[]", b"{}", b"0", b'"x"', b"{", b"\xff", b"\xef\xbb\xbf{}", b"NaN", b"{}{}",
    b'{"a":1,"a":2}', b"[" * 2000, b"[" * 200_000, b'{"a":' * 200_000,
)  # fmt: skip
"""Contents of files with no JSON object or an empty one."""


def mutated(random: Random, content: bytes) -> tuple[str, bytes]:
    """Change one value, or one key, of a JSON document.

    Args:
        random: random number generator.
        content: content of the document.

    Returns:
        What was done, and the new content.
    """
    if random.random() < 0.08:
        return "other JSON", random.choice(TEXTS)
    root = [json.loads(content)]
    holder: Any = root
    key: Any = 0
    path: list[str] = []
    while True:
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.15:
            break
        holder = inner
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = random.choice(keys)
        path.append(str(key) if isinstance(key, str) else "*")
    note = _change(random, holder, key)
    return f"{note} {'.'.join(path)[:60]}", json.dumps(root[0] if root else None).encode()


def _change(random: Random, holder: Any, key: Any) -> str:
    value = holder[key]
    choice = random.randrange(8)
    if choice == 0 and len(holder) > 1:
        del holder[key]
        return "drop"
    if choice == 1 and isinstance(holder, dict):
        holder[random.choice(("", "x", str(key) + "x", str(key).upper()))] = holder.pop(key)
        return "rename"
    if choice == 2 and isinstance(value, list) and value:
        value.append(random.choice(value))
        return "lengthen"
    if choice == 3 and isinstance(value, list) and value:
        value.pop()
        return "shorten"
    if choice == 4 and isinstance(value, dict):
        value[random.choice(("", "x", "__class__"))] = random.choice(ODD)
        return "add to"
    if choice == 5 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = random.choice((value + 1, value - 1, -value, value * 10, float(value)))
        return "move"
    if choice == 6 and isinstance(value, list):
        random.shuffle(value)
        return "shuffle"
    holder[key] = _deep(random.choice((10, 2000))) if random.random() < 0.03 else _odd(random)
    return "replace"


def _odd(random: Random) -> Any:
    # A copy, because later changes must not affect the table.
    return json.loads(json.dumps(random.choice(ODD)))


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value
