"""The words of a transcript in JSON, and where they are spelt.

Programs of speech recognition write much the same under different names: ``segments`` (whisper,
WhisperX, faster-whisper, OpenAI's service), ``transcription`` (whisper.cpp), ``chunks``
(transformers), ``utterances`` (Deepgram, AssemblyAI), ``monologues`` (Rev), ``recognizedPhrases``
(Azure), ``alternatives`` (Google), or a list of words (``result``, Vosk; ``items``, Amazon
Transcribe). So a segment is recognised by its members: an object with a text, or with a list of
words. The tables below have all names (docs/decisions/0057-transcripts.md).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
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

_TEXTS = ("text", "transcript", "display")
"""Keys of the text of segments and of whole transcripts, the best one first."""

_MARKED = {"word": "punctuated_word"}
"""A word that has the second of these keys has no marks under the first one."""

_SPELLINGS = (*_MARKED, *_MARKED.values(), *_TEXTS)
"""Keys of the spelling of a word."""

_SEGMENTS = (
    "segments", "transcription", "utterances", "chunks", "speakers", "monologues",
    "recognizedPhrases", "phrases", "audio_segments",
)  # fmt: skip
"""Keys of lists of segments, the best one first."""

_OWN_SPELLINGS = {"elements": "value", "items": "content", "displayWords": "displayText"}
"""Keys of lists of words whose spelling has a key that means something else elsewhere."""

_WORDS = ("words", "word_segments", "result", "tokens", *_OWN_SPELLINGS)
"""Keys of lists of words, the best one first."""

_HYPOTHESES = ("alternatives", "nBest")
"""Keys of lists of which the first item is the transcript, and the others are rivals of it."""

_SPEAKERS = ("speaker", "speaker_id", "speaker_label", "speakerTag", "speakerLabel")
"""Keys of speakers."""

_BARE = ("lexical", "words")
"""An object with the first of these keys has words without marks under the second one."""

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
                    self._add(value, value)
                elif _is_segment(hypothesis := _hypothesis(value)):
                    self._add(hypothesis, value)
                else:
                    waiting += reversed(members.values())

    def _add(self, segment: Object, holder: Object) -> None:
        """Add a segment, and the object that has it as the best of several."""
        spellings = [*_words(segment)]
        text = next(
            (x for key in _TEXTS if isinstance(x := segment.members.get(key), String)), None
        )
        start = self.size
        if text is not None and (text.value.strip() or not spellings):
            spellings.insert(0, _Words("text", (text,), ("",)))
            self._add_part(Part(text.value, text.start, _speaker(segment) or _speaker(holder)))
        elif segment is not holder and self._repeats(spellings[0].strings):
            return  # all words again, as Google writes them with their speakers
        else:
            for speaker, strings in _turns(spellings[0]):
                joined = _joined([string.value for string in strings])
                place = strings[0].start
                self._add_part(Part(joined, place, speaker or _speaker(segment)))
        here = range(start, self.size)
        for words in spellings:
            self.spellings.append(_Spelling(f"segment {words.name}", words.strings, here))
            self._known.update(map(id, words.strings))
        if _BARE[0] in segment.members:
            bare = segment.members.get(_BARE[1])
            self._known.update(id(x) for x in _spelt_by(bare, _SPELLINGS[0]))

    def _add_part(self, part: Part) -> None:
        letters = Letters.of(part.text)
        self.size += len(letters.letters)
        self.parts.append(part)
        self.letters.append(letters)

    def _repeats(self, strings: Sequence[String]) -> bool:
        """Return whether words are those of all segments before."""
        before = "".join(letters.letters for letters in self.letters)
        words = Letters.of("".join(string.value for string in strings)).letters
        return bool(before) and fold_letters(before) == fold_letters(words)

    def read_copies(self, value: Value, letters: range, name: str) -> None:
        """Add the strings within a value that belong to no segment but may spell its words."""
        waiting = [(value, name)]
        while waiting:
            value, name = waiting.pop()
            if isinstance(value, Array):
                own = _OWN_SPELLINGS.get(name)
                first = value if name not in _HYPOTHESES else Array(value.items[:1])
                for key in (own,) if own else _SPELLINGS:
                    self._add_copy(f"{name} {key}", _spelt_by(first, key), letters)
                waiting += [(item, name) for item in reversed(first.items)]
            elif isinstance(value, Object):
                for key in _TEXTS:
                    text = value.members.get(key)
                    if isinstance(text, String):
                        self._add_copy(f"{name} {key}", [text], letters)
                waiting += [(item, key) for key, item in value.members.items()]

    def _add_copy(self, name: str, spelt: Sequence[String], letters: range) -> None:
        strings = tuple(string for string in spelt if id(string) not in self._known)
        if strings:
            self.spellings.append(_Spelling(name, strings, letters))
            self._known.update(map(id, strings))


class _Words(NamedTuple):
    """The words of a segment.

    Attributes:
        name: the keys under which they are.
        strings: that spell them.
        speakers: who says each; empty if that is not recorded.
    """

    name: str
    strings: tuple[String, ...]
    speakers: tuple[str, ...]


def _words(segment: Object) -> Iterator[_Words]:
    """Yield the lists of the words of a segment."""
    for key in _WORDS:
        words = segment.members.get(key)
        if not isinstance(words, Array) or (key == _BARE[1] and _BARE[0] in segment.members):
            continue
        own = _OWN_SPELLINGS.get(key)
        for spelling in (own,) if own else _SPELLINGS:
            rows = [(x, item) for x, item in _spelt(words, spelling) if not _SIGNAL.match(x.value)]
            if rows:
                strings, items = zip(*rows, strict=True)
                yield _Words(f"{key} {spelling}", strings, tuple(map(_speaker, items)))


def _turns(words: _Words) -> Iterator[tuple[str, list[String]]]:
    """Yield the words of each speaker; a word without one is said by the speaker before."""
    speaker, turn = "", list[String]()
    for string, own in zip(words.strings, words.speakers, strict=True):
        if turn and own and speaker and own != speaker:
            yield speaker, turn
            turn = []
        speaker = own or speaker
        turn.append(string)
    yield speaker, turn


def _spelt(words: Value | None, key: str) -> Iterator[tuple[String, Object]]:
    """Yield the spellings of the words of a list, and the words."""
    for item in words.items if isinstance(words, Array) else ():
        if isinstance(item, Object):
            holder = _hypothesis(item) if key in _OWN_SPELLINGS.values() else item
            string = holder.members.get(key)
            if isinstance(string, String) and _MARKED.get(key) not in holder.members:
                yield string, item


def _spelt_by(words: Value | None, key: str) -> list[String]:
    return [string for string, _ in _spelt(words, key)]


def _hypothesis(value: Object) -> Object:
    """Return the best of several hypotheses; without any, the object itself."""
    for key in _HYPOTHESES:
        rivals = value.members.get(key)
        if isinstance(rivals, Array) and rivals.items and isinstance(rivals.items[0], Object):
            return rivals.items[0]
    return value


def _is_segment(value: Object) -> bool:
    has_text = any(isinstance(value.members.get(key), String) for key in _TEXTS)
    return has_text or any(_words(value))


def _has_text(segments: Array) -> bool:
    return any(
        isinstance(item, Object) and (_is_segment(item) or _is_segment(_hypothesis(item)))
        for item in segments.items
    )


def _speaker(segment: Object) -> str:
    for key in _SPEAKERS:
        match segment.members.get(key):
            case String(value=value) | Constant(spelling=value) if value != "null":
                return value
            case _:
                pass
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
