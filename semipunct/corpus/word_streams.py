"""Running text as a stream of words and of the marks between them, without a tokeniser.

Words are what stands between blanks, without the marks at their edges; marks within a word belong
to it, except dashes. In scripts without blanks each character is a word. The rules know no language
and make no sentences; a model learns where these end.
"""

import re
import sys
import tempfile
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from semipunct.corpus.passages import Span
from semipunct.errors import OutputError
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.marks.spacing import ENDS

Ints = npt.NDArray[np.int32]

_OF_WORDS = frozenset("#%&*/@\\_§†‡•‰")
"""Characters of the category of punctuation that are read aloud, or belong to words."""

MARKS = frozenset(
    char
    for char in map(chr, range(0x20000))
    if unicodedata.category(char)[0] == "P" and char not in _OF_WORDS
)
"""The characters of which marks consist."""

_CLASS = "".join(map(re.escape, sorted(MARKS)))
_EDGES = re.compile(rf"([{_CLASS}]*)(.*?)([{_CLASS}]*)", re.DOTALL)
_MARK = re.compile(r"\.{2,}|-{2,}|[–—―]+|.", re.DOTALL)
_DASH = re.compile(r"(\.{2,}|-{2,}|[–—―…]+)")
_BLANKS = re.compile("[\\s\\x00-\\x1f\\x7f-\\x9f\\ufeff]+")
_TURNED = {'"': "“”", "'": "‘’", "``": "““", "''": "””"}
"""Straight quotation marks, by whether they stand before or after a word."""


END = ""
"""Among the marks of a slot, the end of a sentence that no mark shows, if it is known."""


def marks_of(string: Puncteme) -> Puncteme:
    """Return the marks of a slot of a stream.

    Args:
        string: the marks, and ``END`` if a sentence ends there without one that says so.
    """
    return tuple(mark for mark in string if mark != END)


def is_final(string: Puncteme) -> bool:
    """Return whether a string of marks ends a sentence."""
    return any(char in ENDS for mark in string for char in mark)


def in_text(string: Puncteme) -> Puncteme:
    """Return a string of a treebank as text shows it, where an abbreviation has a dot like others.

    Args:
        string: the marks of a slot, whose abbreviation's dot absorbs a full stop.
    """
    if ABBREVIATION not in string:
        return string
    absorbed = string[:2] == (ABBREVIATION, ".")
    return tuple("." if mark == ABBREVIATION else mark for mark in string[absorbed:])


class Token(NamedTuple):
    """A word or a mark of a text.

    Attributes:
        start: its first character.
        end: one past its last character.
        mark: the mark, whose quotation marks have a side; empty for a word.
    """

    start: int
    end: int
    mark: str


def tokens(text: str) -> Iterator[Token]:
    """Yield the words and marks of a text.

    Args:
        text: a text of any length, with any characters.
    """
    place = 0
    for blank in _BLANKS.finditer(text):
        if blank.start() > place:
            yield from _of_chunk(text, place, blank.start())
        place = blank.end()
    if place < len(text):
        yield from _of_chunk(text, place, len(text))


def _of_chunk(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the tokens of a part of a text without blanks."""
    chunk = text[start:end]
    if chunk.isascii() and chunk.isalnum():
        yield Token(start, end, "")
        return
    first, last = _core(text, start, end)
    yield from _marks(text, start, first, after=False)
    if first < last:
        yield from _words(text, first, last)
        yield from _marks(text, last, end, after=True)


def _core(text: str, start: int, end: int) -> Span:
    """Return the span of what is left without the marks at the edges: empty if these are all."""
    match = _EDGES.fullmatch(text, start, end)
    # The pattern matches everything; the second group is empty after marks alone.
    return match.span(2) if match else (start, end)


def _words(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the words of a part of a text that begins and ends with one."""
    core = text[start:end]
    dash = None if core.isalnum() else _DASH.search(core)
    if dash is not None and dash.start() > 0:
        first, last = start + dash.start(), start + dash.end()
        yield from _of_chunk(text, start, first)
        yield Token(first, last, dash[0])
        yield from _of_chunk(text, last, end)
    elif core.isascii():
        yield Token(start, end, "")
    else:
        yield from _by_script(text, start, end)


def _by_script(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield words, which in scripts without blanks are single characters."""
    begin = start
    for place in range(start + 1, end + 1):
        if place < end and (
            spacing.are_spaced(text[place - 1], text[place]) or unicodedata.combining(text[place])
        ):
            continue
        word = text[begin:place]
        if word in MARKS:
            yield Token(begin, place, word)
        elif MARKS.issuperset(word):  # marks of several scripts, which have no spaces either
            yield from _marks(text, begin, place, after=True)
        else:  # Next to a character of such a script, marks have no blanks: *GDP,中* and *中,1*.
            first, last = _core(text, begin, place)
            yield from _marks(text, begin, first, after=False)
            yield Token(first, last, "")
            yield from _marks(text, last, place, after=True)
        begin = place


def _marks(text: str, start: int, end: int, *, after: bool) -> Iterator[Token]:
    for match in _MARK.finditer(text, start, end):
        mark = match[0]
        yield Token(*match.span(), _TURNED[mark][after] if mark in _TURNED else mark)


@dataclass(frozen=True, eq=False)
class WordStream:
    """The words of a file and the strings of marks between them, in files that the system maps.

    Attributes:
        path: the file or other source.
        forms: the distinct words as spelt.
        strings: the distinct strings of marks; the first is empty.
        words: ``[n]`` the number of each word in ``forms``.
        slots: ``[n + 1]`` the number of each string in ``strings``, slot i before word i.
        digest: a SHA-256 digest of all of it.
    """

    path: str
    forms: tuple[str, ...]
    strings: tuple[Puncteme, ...]
    words: Ints
    slots: Ints
    digest: str

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def passages(self, size: int) -> "TextPassages":
        """Cut the stream into passages.

        Args:
            size: the number of words of each; the last one may have fewer.
        """
        return TextPassages([self], size)


@dataclass(frozen=True, slots=True)
class TextPassage:
    """Consecutive words of a stream.

    Attributes:
        stream: the stream.
        start: the number of the first word.
        stop: one past the last one.
    """

    stream: WordStream
    start: int
    stop: int

    @property
    def path(self) -> str:
        return self.stream.path

    @property
    def size(self) -> int:
        return self.stop - self.start

    @property
    def choices(self) -> int:
        return self.size + 1

    @property
    def seen(self) -> tuple[Any, ...]:
        return self.stream.digest, self.start, self.stop


class TextPassages(Sequence[TextPassage]):
    """The passages of streams, made when they are needed: a large corpus has millions."""

    def __init__(self, streams: Sequence[WordStream], size: int) -> None:
        """Cut streams into passages.

        Args:
            streams: the streams.
            size: the number of words of each passage; the last one of a stream may have fewer.
        """
        self.streams = tuple(stream for stream in streams if len(stream))
        self._size = size
        numbers = (-(-len(stream) // size) for stream in self.streams)
        self._firsts = [0, *accumulate(numbers)]

    def __len__(self) -> int:
        """Return the number of passages."""
        return self._firsts[-1]

    @overload
    def __getitem__(self, index: int) -> TextPassage: ...
    @overload
    def __getitem__(self, index: slice) -> list[TextPassage]: ...
    def __getitem__(self, index: int | slice) -> TextPassage | list[TextPassage]:
        """Return the passage of a number, or those of several."""
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        place = bisect_right(self._firsts, numbers) - 1
        stream = self.streams[place]
        start = (numbers - self._firsts[place]) * self._size
        return TextPassage(stream, start, min(start + self._size, len(stream)))


_BLOCK = 2**16
"""Words that are held in memory before they are written to a file."""


@dataclass
class _Column:
    """Numbers that are written to a temporary file block by block."""

    block: "array[int]" = field(default_factory=lambda: array("i"))
    count: int = 0

    @cached_property
    def file(self) -> Any:
        return tempfile.TemporaryFile(prefix="semipunct-", buffering=0)

    def append(self, number: int) -> None:
        self.block.append(number)
        if len(self.block) == _BLOCK:
            self._write()

    def _write(self) -> None:
        remaining = memoryview(self.block).cast("B")
        try:
            while remaining:  # a disk that is almost full may take a part
                remaining = remaining[self.file.write(remaining) :]
        except OSError as error:
            folder = tempfile.tempdir or "the folder for temporary files"
            raise OutputError(
                f"{folder}: the words of a large text could not be stored here "
                f"({error.strerror or error}); make room, or name another folder by the variable "
                "TMPDIR"
            ) from error
        self.count += len(self.block)
        self.block = array("i")

    def read(self) -> Ints:
        """Return all numbers; many of them stay in the file, from where the system maps them."""
        if not self.count:
            return np.array(self.block, np.int32)
        self._write()
        with self.file as file:
            return np.memmap(file, np.int32, "r", shape=(self.count,))


def word_stream(path: str, items: Iterable[str]) -> WordStream:
    """Collect words and marks into a stream, in memory that does not grow with their number.

    Args:
        path: the file or other source.
        items: words, and marks, which begin with a null character. There is nothing after it for
            the end of a sentence without a mark.
    """
    forms: dict[str, int] = {}
    strings: dict[Puncteme, int] = {(): 0}
    words, slots = _Column(), _Column()
    between: list[str] = []
    for item in items:
        if item[0] == "\0":
            between.append(item[1:])
            continue
        slots.append(strings.setdefault(tuple(between), len(strings)) if between else 0)
        if between:
            between = []
        words.append(forms.setdefault(sys.intern(item), len(forms)))
    slots.append(strings.setdefault(tuple(between), len(strings)))
    columns = words.read(), slots.read()
    digest = sha256("\n".join(forms).encode("utf-8", "surrogatepass"))
    digest.update(repr(list(strings)).encode("utf-8", "surrogatepass"))
    for column in columns:
        for start in range(0, len(column), _BLOCK):
            digest.update(column[start : start + _BLOCK].tobytes())
    return WordStream(path, tuple(forms), tuple(strings), *columns, digest.hexdigest())


def items(texts: Iterable[str]) -> Iterator[str]:
    """Yield the words of texts, and their marks, which begin with a null character.

    Args:
        texts: lines, or other parts that neither begin nor end within a word.
    """
    for text in texts:
        for start, end, mark in tokens(text):
            yield f"\0{mark}" if mark else text[start:end]
