"""Requests of limited size, as forms or JSON whatever their content type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import parse_qsl

from starlette.requests import Request

# The bytes of an escaped character in a form or in JSON.
BYTES_PER_CHARACTER = 12


class BadRequest(Exception):
    """A request that cannot be answered."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


async def read_fields(request: Request, limit: int) -> Mapping[str, Any]:
    """Return the fields of the query and of the body, which is a form or a JSON object.

    Clients are known to confuse the two content types, so the first character decides.
    """
    fields: dict[str, Any] = dict(request.query_params)
    body = await _body(request, BYTES_PER_CHARACTER * limit + 65_536)
    try:
        content = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(400, f"the body is not UTF-8: {error}; send UTF-8") from error
    if content.lstrip()[:1] in ("{", "["):
        fields |= _object(content)
    elif content.strip():
        try:
            pairs = parse_qsl(content, keep_blank_values=True, errors="strict", max_num_fields=99)
        except ValueError as error:
            raise BadRequest(400, f"the form is malformed: {error}") from error
        fields |= dict(pairs)
    return fields


def text_field(fields: Mapping[str, Any], name: str, limit: int) -> str:
    """Return a text of a request."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise BadRequest(400, f"the request has no {name}; send a form or a JSON object with one")
    if len(value) > limit:
        raise BadRequest(
            413, f"the text has {len(value):,} characters; send at most {limit:,} at a time"
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequest(400, f"the text has half of a character: {error}") from error
    return value


def _object(content: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadRequest(400, f"the body is no valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadRequest(400, "the body is JSON, but no object; send an object")
    return cast(dict[str, Any], value)


async def _body(request: Request, limit: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise BadRequest(413, f"the body is larger than {limit:,} bytes; send less at a time")
        pieces.append(piece)
    return b"".join(pieces)
