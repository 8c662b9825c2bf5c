"""JSON with the places of its strings, so that some of them can be replaced and nothing else.

A parser of the standard library forgets the layout, the spelling of numbers, and keys that occur
twice; it also refuses deep nesting and long integers, which are no matter here
(docs/decisions/0057-transcripts.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from semipunct.errors import TreebankError

_TOKEN = re.compile(
    r'(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(?P<constant>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9.])"
    r"|true|false|null|NaN|-?Infinity)"
    r"|(?P<sign>[\[\]{},:])"
)
_BLANKS = re.compile(r"[ \t\r\n]*")
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.S
)
"""The spelling of one character within a string."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN = 20


@dataclass(slots=True, eq=False)
class String:
    """A string of a document.

    Attributes:
        start: the place of its first quotation mark.
        end: the place after its last one.
        value: its characters; half of a surrogate pair is shown as U+FFFD.
    """

    start: int
    end: int
    value: str


@dataclass(slots=True, eq=False)
class Object:
    """An object of a document.

    Attributes:
        members: its values by key; of a key that occurs twice, the last one.
    """

    members: dict[str, Value] = field(default_factory=dict[str, "Value"])


@dataclass(slots=True, eq=False)
class Array:
    """An array of a document.

    Attributes:
        items: its values.
    """

    items: list[Value] = field(default_factory=list["Value"])


class Constant(NamedTuple):
    """A number, a truth value or null, as it is spelt.

    Attributes:
        spelling: its characters.
    """

    spelling: str


Value: TypeAlias = "String | Object | Array | Constant"


class Edit(NamedTuple):
    """A replacement of characters of a string.

    Attributes:
        start: the first character that is replaced.
        end: the place after the last one; equal to ``start`` for an insertion.
        replacement: the new characters.
    """

    start: int
    end: int
    replacement: str


def parse_documents(text: str, name: str) -> list[Value]:
    """Return the values of a text: usually one, or one for each line of JSON Lines.

    Args:
        text: of a file.
        name: of the file, for messages.

    Raises:
        TreebankError: with file and line, if the text is not JSON.
    """
    documents: list[Value] = []
    place = 1 if text.startswith("\ufeff") else 0
    while (place := _after_blanks(text, place)) < len(text):
        value, place = _parse(text, place, name)
        documents.append(value)
    return documents


def _parse(text: str, place: int, name: str) -> tuple[Value, int]:
    """Return the value that starts at a place, and its end.

    The containers that are open are on a list of their own, so nesting may be of any depth.
    """
    containers: list[Object | Array] = []
    keys: list[str] = []
    expected = "value"
    while True:
        place = _after_blanks(text, place)
        match = _TOKEN.match(text, place)
        if match is None:
            raise _not_json(text, place, name, expected)
        sign, spelling = match["sign"], match[0]
        value: Value | None = None
        if sign is None:
            if match["string"] is not None and expected in ("key", "key or }"):
                keys.append(_decoded(spelling))
                expected = ":"
            elif expected in ("value", "value or ]"):
                value = (
                    Constant(spelling)
                    if match["string"] is None
                    else String(place, match.end(), _decoded(spelling))
                )
            else:
                raise _not_json(text, place, name, expected)
        elif sign in "{[" and expected in ("value", "value or ]"):
            containers.append(Object() if sign == "{" else Array())
            expected = "key or }" if sign == "{" else "value or ]"
        elif sign == ":" and expected == ":":
            expected = "value"
        elif sign == "," and expected in (", or }", ", or ]"):
            expected = "key" if isinstance(containers[-1], Object) else "value"
        elif sign in "}]" and expected.endswith(f"or {sign}"):
            value = containers.pop()
        else:
            raise _not_json(text, place, name, expected)
        place = match.end()
        if value is None:
            continue
        if not containers:
            return value, place
        if isinstance(containers[-1], Object):
            containers[-1].members[keys.pop()] = value
            expected = ", or }"
        else:
            containers[-1].items.append(value)
            expected = ", or ]"


def _after_blanks(text: str, place: int) -> int:
    match = _BLANKS.match(text, place)
    return match.end() if match else place


def _decoded(literal: str) -> str:
    return _SURROGATE.sub("\ufffd", json.loads(literal))


def _not_json(text: str, place: int, name: str, expected: str) -> TreebankError:
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    shown = text[place : place + _SHOWN].partition("\n")[0]
    present = f"this: {shown}" if place < len(text) else "the end of the file"
    return TreebankError(
        f"{name}:{line}: not JSON: in column {column} should be {expected}, but there is {present}"
        "; give the whole file as the recogniser wrote it, or rename it if it is plain text"
    )


def replace_strings(text: str, edits: Iterable[tuple[String, Sequence[Edit]]]) -> str:
    """Return a text of JSON with other strings; everything else, also escapes, stays as it is.

    Args:
        text: of one document or several.
        edits: strings, each once, and what is replaced in them, in order.
    """
    is_ascii = text.isascii()
    pieces: list[str] = []
    place = 0
    for string, replaced in sorted(edits, key=lambda pair: pair[0].start):
        pieces += (
            text[place : string.start + 1],
            _respelt(text[string.start + 1 : string.end - 1], replaced, is_ascii=is_ascii),
        )
        place = string.end - 1
    return "".join((*pieces, text[place:]))


def _respelt(spelling: str, edits: Sequence[Edit], *, is_ascii: bool) -> str:
    units = _UNIT.findall(spelling)
    bounds = [0, *(place for edit in edits for place in edit[:2]), len(units)]
    same = ["".join(units[a:b]) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
    changed = [json.dumps(edit.replacement, ensure_ascii=is_ascii)[1:-1] for edit in edits]
    return "".join(x for pair in zip(same, [*changed, ""], strict=True) for x in pair)


def line_ends(text: str) -> list[int]:
    """Return the places of the line feeds of a text, by which lines can be counted."""
    return [match.start() for match in re.finditer("\n", text)]
