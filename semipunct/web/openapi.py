"""The description of the interface for programs, in OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from semipunct.version import __version__


def description(limit: int) -> dict[str, Any]:
    """Return the description as values for JSON.

    Args:
        limit: the largest number of characters of a text.
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
        "200": {"description": "text, its marks with reasons, and its pieces"},
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
                    "summary": f"{task} the punctuation of a text",
                    "requestBody": body,
                    "responses": answers,
                }
            }
            for task in ("restore", "correct")
        },
    }
