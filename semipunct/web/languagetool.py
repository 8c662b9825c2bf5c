"""The HTTP interface of LanguageTool, version 2: texts in, matches with offsets out.

Offsets are in UTF-16 units, as in Java. In annotated texts, markup counts in offsets but is not
read. LanguageTool documents the requests under ``/v2/check``.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

from semipunct.pipelines.marked_text import Change, PunctuatedText, changes, sentence_ends
from semipunct.pipelines.pipeline import LANGUAGES
from semipunct.version import __version__
from semipunct.web.requests import BadRequest, text_field

# Variants by language, which models do not distinguish. A language without has its own code alone.
_VARIANTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "en": "English", "en-US": "English (US)", "en-GB": "English (GB)",
        "en-AU": "English (Australian)", "en-CA": "English (Canada)",
        "en-NZ": "English (New Zealand)", "en-ZA": "English (South African)",
    },
    "zh": {"zh-CN": "Chinese"},
}  # fmt: skip

SOFTWARE: Mapping[str, Any] = {
    "name": "semipunct", "version": __version__, "buildDate": "", "commit": "", "apiVersion": 1,
    "premium": False, "premiumHint": "", "status": "",
}  # fmt: skip

_CATEGORY = {"id": "PUNCTUATION", "name": "Punctuation"}

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


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a request.

    Attributes:
        enabled: ids of rules and categories.
        only: whether all others are disabled.
        unsupported: parameters that change nothing.
    """

    language: str
    enabled: Set[str]
    disabled: Set[str]
    only: bool
    unsupported: Sequence[str]

    @property
    def base(self) -> str:
        """The language without its variant."""
        return self.language.partition("-")[0]

    def allows(self, rule: str) -> bool:
        if self.only:
            return not self.enabled.isdisjoint((rule, _CATEGORY["id"]))
        if _CATEGORY["id"] in self.disabled and _CATEGORY["id"] not in self.enabled:
            return rule in self.enabled
        return rule not in self.disabled


def read_settings(fields: Mapping[str, Any], codes: Sequence[str]) -> Settings:
    """Return the settings of a request, given the codes of the languages that are checked."""
    enabled = {*_listed(fields, "enabledRules"), *_listed(fields, "enabledCategories")}
    disabled = {*_listed(fields, "disabledRules"), *_listed(fields, "disabledCategories")}
    only = str(fields.get("enabledOnly")).lower() in ("true", "yes")
    if only and disabled:
        raise BadRequest(400, "enabledOnly disables all other rules; leave out what is disabled")
    if only and not enabled:
        raise BadRequest(400, "enabledOnly needs enabledRules or enabledCategories; give one")
    level = fields.get("level") or "default"
    if level not in ("default", "picky"):
        raise BadRequest(400, f"'{str(level)[:40]}' is no level; give default or picky")
    ignored = [n for n in ("level", "motherTongue") if fields.get(n) not in (None, "", "default")]
    return Settings(check_language(fields, codes), enabled, disabled, only, ignored)


def check_language(fields: Mapping[str, Any], codes: Sequence[str]) -> str:
    """Return the code of the language of a request; the first code, if it is not given."""
    code = str(fields.get("language") or "auto")
    preferred = _listed(fields, "preferredVariants")
    if code == "auto":
        if wrong := [variant for variant in preferred if "-" not in variant]:
            raise BadRequest(400, f"preferredVariants has '{wrong[0][:40]}', no variant as en-GB")
        variants = map(_canonical, preferred)
        return next(
            (v for v in variants if v.partition("-")[0] == codes[0] and v.isascii()), codes[0]
        )
    if preferred:
        raise BadRequest(400, "preferredVariants are for language=auto; leave one of them out")
    code = _canonical(code)
    if code.partition("-")[0] not in codes or not code.isascii():
        names = ", ".join(LANGUAGES.get(known, known) for known in codes)
        raise BadRequest(
            400, f"'{code[:40]}' is not a language code known to this server; it checks {names}"
        )
    return code


def _listed(fields: Mapping[str, Any], name: str) -> list[str]:
    parts = str(fields.get(name) or "").split(",")
    return [part.strip() for part in parts if part.strip()]


def _canonical(code: str) -> str:
    """Return a language code as BCP 47 writes it: *zh-Hans-CN*."""
    base, *subtags = code.replace("_", "-").split("-")
    cases = {2: str.upper, 4: str.title}
    return "-".join((base.lower(), *(cases.get(len(tag), str.lower)(tag) for tag in subtags)))


def languages(codes: Sequence[str]) -> list[dict[str, str]]:
    """Return the languages and their variants."""
    return [
        {"name": name, "code": code, "longCode": variant}
        for code in codes
        for variant, name in _variants(code).items()
    ]


def _variants(code: str) -> Mapping[str, str]:
    return _VARIANTS.get(code, {code: LANGUAGES.get(code, code)})


def response(document: Document, corrected: PunctuatedText, settings: Settings) -> dict[str, Any]:
    """Return the response to a request."""
    name = LANGUAGES.get(settings.base, settings.base)
    name = _variants(settings.base).get(settings.language, name)
    described = {"name": name, "code": settings.language}
    ends = sentence_ends(document.text, corrected)
    found = changes(document.text, corrected)
    matches = [_match(document, change, ends) for change in found]
    return {
        "software": SOFTWARE,
        "warnings": {"incompleteResults": False, "unsupported": settings.unsupported},
        "language": {**described, "detectedLanguage": {**described, "confidence": 1.0}},
        "matches": [match for match in matches if match and settings.allows(match["rule"]["id"])],
    }


def _match(document: Document, change: Change, ends: Sequence[int]) -> dict[str, Any] | None:
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
    sentence = bisect_right(ends, start)
    return {
        "message": " ".join(mark.reason for mark in change.marks),
        "shortMessage": f"{mark.decision} with {mark.probability:.0%}",
        "replacements": [{"value": replacement}],
        "offset": span[0],
        "length": span[1],
        "context": {
            "text": text[first:last].replace("\n", " "),
            "offset": _units(text[first:start]),
            "length": _units(text[start:end]),
        },
        "sentence": text[slice(*[0, *ends, len(text)][sentence : sentence + 2])].strip(),
        "type": {"typeName": "Other"},
        "rule": {
            "id": rule_id,
            "description": "Punctuation",
            "issueType": "typographical",
            "category": _CATEGORY,
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
