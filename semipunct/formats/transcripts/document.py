"""The words of a transcript in JSON, and where they are spelt.

Programs of speech recognition write much the same under different names: ``segments`` (whisper,
WhisperX, faster-whisper, OpenAI's service), ``transcription`` (whisper.cpp), ``chunks``
(transformers), ``utterances`` (Deepgram), or a list of words (``result``, Vosk). So a segment is
recognised by its members: an object with a text, or with a list of words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from semipunct.errors import TreebankError
from semipunct.formats.transcripts.places import (
    Array,
    Constant,
    Edit,
    Object,
    String,
    Value,
    parse_documents,
    replace_strings,
)
from semipunct.formats.transcripts.respelling import Copy, Letters, fold_letters
from semipunct.marks import spacing

_TEXTS = ("text", "transcript")
"""Keys of the text of segments and of whole transcripts, the best one first."""

_SPELLINGS = ("word", "punctuated_word", *_TEXTS)
"""Keys of the spelling of a word."""

_SEGMENTS = ("segments", "transcription", "utterances", "chunks", "speakers")
"""Keys of lists of segments, the best one first."""

_WORDS = ("words", "word_segments", "result", "tokens")
"""Keys of lists of words, the best one first."""

_SIGNAL = re.compile(r"\[_[A-Z]+_?[0-9]*\]|<\|[^|<>]*\|>")
"""A token of whisper that is not text."""


class Part(NamedTuple):
    """A segment of a transcript.

    Attributes:
        text: its text, or its words if it has no text.
        place: of the text in the document.
        speaker: who says it, if that is recorded.
    """

    text: str
    place: int
    speaker: str


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A list of strings that may spell words of a transcript.

    Attributes:
        name: the keys under which they are, for lists that follow one habit.
        strings: of the document.
        letters: the numbers of the letters of the text among which they are.
    """

    name: str
    strings: tuple[String, ...]
    letters: range


@dataclass
class Document:
    """A file of JSON with a transcript.

    Attributes:
        text: of the file.
        parts: its segments.
        strange: the places of texts that are not those of the segments, and are never changed.
        respelt: the new texts of segments, as they become known.
    """

    text: str
    parts: list[Part]
    strange: list[int]
    respelt: dict[int, str] = field(default_factory=dict[int, str])
    _letters: list[Letters] = field(default_factory=list[Letters])
    _copies: list[tuple[_Spelling, Copy]] = field(default_factory=list[tuple[_Spelling, Copy]])

    @classmethod
    def parse(cls, text: str, name: str) -> Document:
        """Find the segments and words of a transcript.

        Args:
            text: of a file.
            name: of the file, for messages.

        Raises:
            TreebankError: if the text is not JSON, or has neither segments nor words.
        """
        values = parse_documents(text, name)
        reader = _Reader()
        ranges: list[tuple[Value, range]] = []
        for value in values:
            start = reader.size
            reader.read(value)
            ranges.append((value, range(start, reader.size)))
        if not any(letters.letters for letters in reader.letters):
            raise TreebankError(_nothing(values, name))
        for value, letters in ranges:
            reader.read_copies(value, letters, "")
        document = cls(text, reader.parts, [], {}, reader.letters)
        document._compare(reader.spellings)
        return document

    def _compare(self, spellings: list[_Spelling]) -> None:
        """Find which strings spell letters of the text, with its marks."""
        original = Letters.join(self._letters)
        letters = fold_letters(original.letters)
        counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        for spelling in spellings:
            strings = tuple(string.value for string in spelling.strings)
            spelt = fold_letters(Letters.of("".join(strings)).letters)
            if not spelt:
                continue
            first = letters.find(spelt, spelling.letters.start, spelling.letters.stop)
            if first < 0:
                self.strange.append(spelling.strings[0].start)
                continue
            copy = Copy(strings, first)
            self._copies.append((spelling, copy))
            for index, count in enumerate(copy.count_marked_gaps(original)):
                counts[spelling.name][index] += count
        # Words that have no marks although their text has some are meant to have none.
        bare = {name for name, (in_text, in_copies) in counts.items() if in_text and not in_copies}
        self._copies = [pair for pair in self._copies if pair[0].name not in bare]

    def write(self) -> str:
        """Return the file with the new texts, in which nothing but marks and capitals changed."""
        after = [
            letters if number not in self.respelt else Letters.of(self.respelt[number])
            for number, letters in enumerate(self._letters)
        ]
        before, after = Letters.join(self._letters), Letters.join(after)
        edits: list[tuple[String, list[Edit]]] = []
        for spelling, copy in self._copies:
            rows = copy.edits(before, after)
            edits += [pair for pair in zip(spelling.strings, rows, strict=True) if pair[1]]
        return replace_strings(self.text, edits)


class _Reader:
    """Collects the segments of documents, and the strings that spell their words."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.letters: list[Letters] = []
        self.spellings: list[_Spelling] = []
        self.size = 0
        self._known: set[int] = set()

    def read(self, value: Value) -> None:
        """Add the segments within a value."""
        # Not by recursion, since values may be nested deeply.
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Array):
                waiting += reversed(value.items)
            elif isinstance(value, Object):
                members = value.members
                lists = [members.get(key) for key in _SEGMENTS]
                segments = next((x for x in lists if isinstance(x, Array) and _has_text(x)), None)
                if segments is not None:
                    waiting.append(segments)
                elif _is_segment(value):
                    self._add(value)
                else:
                    waiting += reversed(members.values())

    def _add(self, segment: Object) -> None:
        spellings = [*_words(segment)]
        text = next(
            (x for key in _TEXTS if isinstance(x := segment.members.get(key), String)), None
        )
        strings = [string for _, row in spellings[:1] for string in row]
        if text is not None and (text.value.strip() or not strings):
            spellings.insert(0, ("text", (text,)))
            part = Part(text.value, text.start, _speaker(segment))
        else:
            joined = _joined([string.value for string in strings])
            part = Part(joined, strings[0].start, _speaker(segment))
        letters = Letters.of(part.text)
        here = range(self.size, self.size + len(letters.letters))
        self.size = here.stop
        self.parts.append(part)
        self.letters.append(letters)
        for name, strings in spellings:
            self.spellings.append(_Spelling(f"segment {name}", strings, here))
            self._known.update(map(id, strings))

    def read_copies(self, value: Value, letters: range, name: str) -> None:
        """Add the strings within a value that belong to no segment but may spell its words."""
        waiting = [(value, name)]
        while waiting:
            value, name = waiting.pop()
            if isinstance(value, Array):
                objects = [item for item in value.items if isinstance(item, Object)]
                for key in _SPELLINGS:
                    self._add_copy(f"{name} {key}", objects, key, letters)
                waiting += [(item, name) for item in reversed(value.items)]
            elif isinstance(value, Object):
                for key in _TEXTS:
                    self._add_copy(f"{name} {key}", [value], key, letters)
                waiting += [(item, key) for key, item in value.members.items()]

    def _add_copy(self, name: str, objects: list[Object], key: str, letters: range) -> None:
        values = [item.members.get(key) for item in objects]
        strings = tuple(x for x in values if isinstance(x, String) and id(x) not in self._known)
        if strings:
            self.spellings.append(_Spelling(name, strings, letters))
            self._known.update(map(id, strings))


def _words(segment: Object) -> Iterator[tuple[str, tuple[String, ...]]]:
    """Yield the lists of the words of a segment, each with its name."""
    for key in _WORDS:
        words = segment.members.get(key)
        if not isinstance(words, Array):
            continue
        objects = [item for item in words.items if isinstance(item, Object)]
        for spelling in _SPELLINGS:
            values = [item.members.get(spelling) for item in objects]
            strings = [x for x in values if isinstance(x, String) and not _SIGNAL.match(x.value)]
            if strings:
                yield f"{key} {spelling}", tuple(strings)


def _is_segment(value: Object) -> bool:
    has_text = any(isinstance(value.members.get(key), String) for key in _TEXTS)
    return has_text or any(_words(value))


def _has_text(segments: Array) -> bool:
    return any(isinstance(item, Object) and _is_segment(item) for item in segments.items)


def _speaker(segment: Object) -> str:
    match segment.members.get("speaker", segment.members.get("speaker_id")):
        case String(value=value) | Constant(spelling=value) if value != "null":
            return value
        case _:
            return ""


def _joined(words: list[str]) -> str:
    """Return words as a text; they have blanks, or need some unless their script has none."""
    if any(word != word.strip() for word in words):
        return "".join(words)
    joined = ""
    for word in words:
        is_spaced = bool(joined and word) and spacing.are_spaced(joined[-1], word[0])
        joined += f"{' ' * is_spaced}{word}"
    return joined


def _nothing(values: list[Value], name: str) -> str:
    first = values[0] if values else None
    if isinstance(first, Object):
        listed = ", ".join(first.members) or "nothing"
        present = f"its first object has {listed[:200]}"
    elif first is None:
        present = "the file is empty or blank"
    else:
        present = "it is no object" if isinstance(first, Constant | String) else "it is a list"
    return (
        f"{name}: no text was found in this JSON ({present}); give a transcript with "
        f"{' or '.join(_SEGMENTS[:2])}, each with text or words, as whisper and similar programs "
        "write it, or rename the file if it is plain text"
    )
