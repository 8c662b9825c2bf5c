"""The HTTP interface of LanguageTool, version 2: texts in, matches with offsets out.

Offsets are in UTF-16 units, as in Java. In annotated texts, markup counts in offsets but is not
read. LanguageTool documents the requests under ``/v2/check``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

from semipunct.pipelines.marked_text import Change, PunctuatedText, changes
from semipunct.version import __version__
from semipunct.web.requests import BadRequest, text_field

# Variants of English, which the model does not distinguish.
LANGUAGES: Sequence[tuple[str, str]] = (
    ("English", "en"), ("English (US)", "en-US"), ("English (GB)", "en-GB"),
    ("English (Australian)", "en-AU"), ("English (Canada)", "en-CA"),
    ("English (New Zealand)", "en-NZ"), ("English (South African)", "en-ZA"),
)  # fmt: skip

_AROUND = 40  # characters of the context of a match


@dataclass(frozen=True, slots=True)
class Document:
    """A text with the offsets of its characters in the client's document.

    Attributes:
        units: ``[characters + 1]`` offsets in UTF-16 units.
        is_text: ``[characters]`` False for the interpretation of markup.
    """

    text: str
    units: Sequence[int]
    is_text: Sequence[bool]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the offset and length of a span in the document; None if it has markup."""
        offset = self.units[start]
        length = _units(self.text[start:end])
        last = self.units[end - 1] + _units(self.text[end - 1]) if end > start else offset
        is_whole = all(self.is_text[start:end]) and last - offset == length
        return (offset, length) if is_whole else None


def read_document(fields: Mapping[str, Any], limit: int) -> Document:
    """Return the text of a request, given as ``text`` or as annotated ``data``."""
    if "data" not in fields:
        text = text_field(fields, "text", limit)
        return Document(text, _places(text, 0), [True] * len(text))
    data = fields["data"]
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadRequest(400, f"data is no valid JSON: {error}") from error
    pieces: list[str] = []
    units: list[int] = []
    is_text: list[bool] = []
    place = 0
    for part in _parts(data):
        markup = part.get("markup")
        shown = part.get("interpretAs", "") if markup is not None else part.get("text")
        if not isinstance(shown, str) or not isinstance(markup, str | None):
            raise BadRequest(400, "a part of data has neither text nor markup; give one of them")
        text_field({"text": shown + (markup or "")}, "text", limit)
        pieces.append(shown)
        units += [place] * len(shown) if markup is not None else _places(shown, place)[:-1]
        is_text += [markup is None] * len(shown)
        place += _units(shown if markup is None else markup)
    text = text_field({"text": "".join(pieces)}, "text", limit)
    return Document(text, [*units, place], is_text)


def _parts(data: Any) -> list[dict[str, Any]]:
    parts = cast(dict[str, Any], data).get("annotation") if isinstance(data, dict) else data
    if not isinstance(parts, list) or not all(isinstance(p, dict) for p in cast(list[Any], parts)):
        raise BadRequest(400, 'data has no list "annotation" of parts with text or markup')
    return cast(list[dict[str, Any]], parts)


def check_language(fields: Mapping[str, Any]) -> str:
    """Return the language of a request."""
    code = fields.get("language") or "auto"
    if code == "auto":
        return "en"
    if not isinstance(code, str) or code.lower().replace("_", "-").partition("-")[0] != "en":
        raise BadRequest(
            400,
            f"'{str(code)[:40]}' is not a language code known to this server; it checks English",
        )
    return code


def response(document: Document, corrected: PunctuatedText, language: str) -> dict[str, Any]:
    """Return the response to a request."""
    name = next((name for name, code in LANGUAGES if code == language), "English")
    described = {"name": name, "code": language}
    matches = [_match(document, change) for change in changes(document.text, corrected)]
    return {
        "software": {
            "name": "semipunct", "version": __version__, "buildDate": "", "apiVersion": 1,
            "premium": False, "premiumHint": "", "status": "",
        },
        "warnings": {"incompleteResults": False},
        "language": {**described, "detectedLanguage": {**described, "confidence": 1.0}},
        "matches": [match for match in matches if match is not None],
    }  # fmt: skip


def _match(document: Document, change: Change) -> dict[str, Any] | None:
    """Return a match; None if its place in the document has markup."""
    text, start, end = document.text, change.start, change.end
    replacement = change.replacement
    # Clients underline a match, so an insertion includes an adjacent word.
    if start == end:
        while start and not text[start - 1].isspace() and change.start - start < _AROUND:
            start -= 1
        replacement = text[start : change.start] + replacement
        if start == end:
            while end < len(text) and not text[end].isspace() and end - start < _AROUND:
                end += 1
            replacement += text[change.end : end]
    span = document.span(start, end)
    if span is None or start == end:
        return None
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    mark = change.marks[0]
    kind = f"{mark.decision.replace(' ', '_')}_{mark.why.key.partition('+')[0]}"
    rule_id = "SEMIPUNCT_" + kind.upper().replace(".", "_").replace("-", "_")
    context = text[first:last].replace("\n", " ")
    return {
        "message": " ".join(mark.reason for mark in change.marks),
        "shortMessage": f"{mark.decision} with {mark.probability:.0%}",
        "replacements": [{"value": replacement}],
        "offset": span[0],
        "length": span[1],
        "context": {
            "text": context,
            "offset": _units(text[first:start]),
            "length": _units(text[start:end]),
        },
        "sentence": context,
        "type": {"typeName": "Other"},
        "rule": {
            "id": rule_id,
            "description": "Punctuation",
            "issueType": "typographical",
            "category": {"id": "PUNCTUATION", "name": "Punctuation"},
            "isPremium": False,
        },
        "ignoreForIncompleteSentence": False,
        "contextForSureMatch": -1,
    }


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def _places(text: str, start: int) -> list[int]:
    """Return the offsets of all characters and of the end in UTF-16 units."""
    return list(accumulate((1 + (char > "\uffff") for char in text), initial=start))
