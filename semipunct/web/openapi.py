"""The description of the interface for programs, in OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from semipunct.version import __version__

PUNCTUATION = tuple(
    (task, f"{task} the punctuation of a text", "text, its marks with reasons, and its pieces")
    for task in ("restore", "correct")
)
"""Each path, what it does, and what it answers."""

PARSING = (
    "parse",
    "parse a text",
    "sentences: words with tags, heads (0: the root), relations and the marks after them",
)


def description(limit: int, *, parses: bool = False) -> dict[str, Any]:
    """Return the description as values for JSON.

    Args:
        limit: the largest number of characters of a text.
        parses: whether there is a parser.
    """
    text = {"type": "string", "maxLength": limit}
    body = {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object", "required": ["text"], "properties": {"text": text},
                }
            }
        },
    }  # fmt: skip
    answers = {
        "400": {"description": "the request is malformed"},
        "413": {"description": "the text is too long"},
        "503": {"description": "too many requests wait; Retry-After says how long to wait"},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "semipunct", "version": __version__},
        "paths": {
            f"/v1/{task}": {
                "post": {
                    "summary": summary,
                    "requestBody": body,
                    "responses": {"200": {"description": answer}, **answers},
                }
            }
            for task, summary, answer in (*PUNCTUATION, *((PARSING,) if parses else ()))
        },
    }
