"""Transcripts in whisper's JSON: segments with a text and, optionally, a list of words.

The writer replaces strings in the text of the file, so everything else is reproduced byte for byte
(docs/decisions/files.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from semipunct.corpus import Entry, Omitted, Words
from semipunct.corpus.located import Located
from semipunct.errors import TreebankError, UsageError
from semipunct.files import display_name
from semipunct.formats.base import Annotation
from semipunct.formats.text import Text, TextWriter
from semipunct.marks import Puncteme

_STRING = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
# Any string, or the key of a text or word with its string.
_SPELLING = re.compile(rf'(?P<key>"(?:text|word)"\s*:\s*)(?P<value>{_STRING})|{_STRING}')

_MARK = re.compile(r"[^\w\s]")

# Marks and blanks between two words that belong to the second one.
_NEXT = re.compile(r"\s+\S*\Z|[\[({¿¡“‘„‚«‹「『（《〈【]+\Z")


class _String(NamedTuple):
    """A JSON string with a text or a word, and its position with quotation marks."""

    place: int
    end: int
    value: str


class _Part(NamedTuple):
    string: _String
    words: list[_String]
    speaker: object


@dataclass
class Document:
    """The file of a transcript.

    Attributes:
        copies: lists of strings that repeat the words of all segments.
        respelt: new texts of segments, added as entries are written.
    """

    text: str
    parts: list[_Part]
    copies: list[list[_String]]
    respelt: dict[int, str] = field(default_factory=dict[int, str])

    @classmethod
    def parse(cls, text: str, name: str) -> Document:
        """Find the segments and words of a transcript.

        Raises:
            TreebankError: if the text is not JSON, or has no segments with text.
        """
        strings: list[_String] = []

        def numbered(match: re.Match[str]) -> str:
            if match["key"] is None:
                return match[0]
            value = json.loads(match["value"]).encode(errors="replace").decode()
            strings.append(_String(*match.span("value"), value))
            return f'{match["key"]}"{len(strings) - 1}"'

        # ``json`` reports no positions, so each string is replaced by its index before parsing.
        try:
            data = json.loads(_SPELLING.sub(numbered, text).removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise TreebankError(
                f"{name}:{getattr(error, 'lineno', 1)}: not JSON ({error}); give the whole file as "
                "the recogniser wrote it, or rename it if it is plain text"
            ) from error

        def spelt(items: object, key: str) -> list[_String]:
            numbers = (item.get(key) for item in _objects(items))
            return [strings[int(number)] for number in numbers if isinstance(number, str)]

        holder = next(iter(_objects([data])), {})
        parts = [
            _Part(string, spelt(segment.get("words"), "word"), segment.get("speaker"))
            for segment in _objects(holder.get("segments", holder.get("transcription")))
            for string in spelt([segment], "text")
        ]
        if not any(_letters(part.string.value) for part in parts):
            raise TreebankError(
                f"{name}: no text was found in this JSON; give a transcript as whisper writes it, "
                "an object with 'segments' that have a 'text'"
            )
        copies = [spelt([holder], "text"), spelt(holder.get("word_segments"), "word")]
        return cls(text, parts, [copy for copy in copies if copy])

    def segments(self) -> Iterator[tuple[int, str, bool]]:
        """Yield line and text of each segment, and whether the speaker changes after it."""
        parts = enumerate(self.parts)
        spoken = [(n, part.speaker) for n, part in parts if part.string.value.strip()]
        following = zip(spoken, [*spoken[1:], (0, object())], strict=True)
        turns = {number for (number, speaker), (_, after) in following if speaker != after}
        line, place = 1, 0
        for number, part in enumerate(self.parts):
            line += self.text.count("\n", place, place := part.string.place)
            yield line, part.string.value, number in turns

    def write(self) -> str:
        """Return the file with the new texts; only marks and capitals change."""
        olds = [part.string.value for part in self.parts]
        news = [self.respelt.get(number, old) for number, old in enumerate(olds)]
        changed: dict[_String, str] = {}
        for part, old, new in zip(self.parts, olds, news, strict=True):
            changed[part.string] = new
            changed |= _respelt(part.words, [old], [new])
        for copy in self.copies:
            changed |= _respelt(copy, olds, news)
        pieces, place = list[str](), 0
        for string in sorted(changed):
            if changed[string] != string.value:
                spelling = json.dumps(changed[string], ensure_ascii=self.text.isascii())
                pieces += (self.text[place : string.place], spelling)
                place = string.end
        return "".join((*pieces, self.text[place:]))


def _objects(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _respelt(
    copy: Sequence[_String], olds: Sequence[str], news: Sequence[str]
) -> dict[_String, str]:
    """Return the new spelling of each string in ``copy``, the words of the texts ``olds``."""
    spelling = "".join(string.value for string in copy)
    joint = "" if "".join(olds).strip() == spelling.strip() else " "
    old, new = joint.join(olds), joint.join(news)
    # If words lack the marks of their text, they are meant to be bare.
    words = [string for string in copy if _letters(string.value)]
    is_bare = _MARK.search(old) and not _MARK.search(spelling)
    if not words or is_bare or _letters(old) != _letters(spelling):
        return {}
    counts = [len(_letters(string.value)) for string in words]
    changed: dict[_String, str] = {}
    divided = (_divided(text, counts) for text in (old, new))
    for string, before, after in zip(words, *divided, strict=True):
        core = string.value.strip()
        if core == before.strip():
            # If listed words have no blanks around them, none are added.
            head, _, tail = string.value.partition(core)
            changed[string] = f"{head}{after.strip()}{tail}"
    return changed


def _divided(text: str, counts: Sequence[int]) -> list[str]:
    """Divide a text into words of ``counts`` letters, with adjacent marks and blanks."""
    places = [place for place, character in enumerate(text) if character.isalnum()]
    bounds = [0]
    for last in [*accumulate(counts)][:-1]:
        start = places[last - 1] + 1
        bounds.append(start + len(_NEXT.sub("", text[start : places[last]])))
    return [text[a:b] for a, b in pairwise([*bounds, len(text)])]


@dataclass(frozen=True, slots=True)
class Segment(Located):
    """A segment of a transcript, with its index in the document."""

    document: Document | None = None
    number: int = 0

    @property
    def ends_line(self) -> bool:
        return True


class Transcripts(Text):
    """Transcripts of whisper (``.json``), which text models read and write.

    Sentences may cross segments, but not turns of speakers.
    """

    name = "transcript"
    suffixes = (".json",)

    def read_words(self, path: str | Path) -> Iterator[Entry[Located, Words | Omitted]]:
        raise UsageError(
            f"{display_name(path)}: sentences of transcripts cross their segments, so only a text "
            "model reads them; give one, such as the installed model en"
        )

    def writer(self, like: Iterable[Entry[Located]] = ()) -> TranscriptWriter:
        return TranscriptWriter()


class TranscriptWriter(TextWriter):
    """A writer of transcripts; only the last entry of a file has text."""

    def annotate(self, entry: Entry[Located], annotation: Annotation) -> str:
        return _written(entry.record, TextWriter.annotate(self, entry, annotation))

    def punctuate(self, entry: Entry[Located], slots: Sequence[Puncteme]) -> str:
        return _written(entry.record, entry.record.punctuate(slots))


def _written(record: Located, text: str) -> str:
    if not isinstance(record, Segment) or record.document is None:
        return text
    document = record.document
    document.respelt[record.number] = text
    return document.write() if record.number == len(document.parts) - 1 else ""
