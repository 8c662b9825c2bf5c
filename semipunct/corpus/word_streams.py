"""Running text as a stream of words and of the marks between them, without a tokeniser.

Words are separated by blanks and markup, without marks at their edges. Marks within a word belong
to it, except dashes. In scripts without spaces each character is a word, and so is each fixed part
that is not markup (``corpus.fixed_parts``).
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
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from semipunct.corpus.fixed_parts import whole_parts
from semipunct.corpus.located import BLANKS
from semipunct.corpus.passages import Span
from semipunct.errors import OutputError
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.marks.spacing import ENDS

Ints = npt.NDArray[np.int32]

# Punctuation characters that are read aloud, or belong to words.
_OF_WORDS = frozenset("#%&*/@\\_§†‡•‰")

MARKS = frozenset(
    char
    for char in map(chr, range(0x20000))
    if unicodedata.category(char)[0] == "P" and char not in _OF_WORDS
)
_CLASS = "".join(map(re.escape, sorted(MARKS)))
_EDGES = re.compile(rf"([{_CLASS}]*)(.*?)([{_CLASS}]*)", re.DOTALL)
_MARK = re.compile(r"\.{2,}|-{2,}|[–—―]+|.", re.DOTALL)
_DASH = re.compile(r"(\.{2,}|-{2,}|[–—―…]+)")
_LETTER = re.compile("[A-Za-z0-9]")
# Directional quotation marks: before a word, and after it.
_TURNED = {'"': "“”", "'": "‘’", "``": "““", "''": "””"}


END = ""
"""In the marks of a slot: a known end of a sentence without a final mark."""


def marks_of(string: Puncteme) -> Puncteme:
    """Return the marks of a slot without ``END``."""
    return tuple(mark for mark in string if mark != END)


def is_final(string: Puncteme) -> bool:
    """Return whether a string of marks ends a sentence."""
    return any(char in ENDS for mark in string for char in mark)


def in_text(string: Puncteme) -> Puncteme:
    """Return a treebank's slot string as in text; an abbreviation dot absorbs a full stop."""
    if ABBREVIATION not in string:
        return string
    absorbed = string[:2] == (ABBREVIATION, ".")
    return tuple("." if mark == ABBREVIATION else mark for mark in string[absorbed:])


class Token(NamedTuple):
    """A word or a mark of a text.

    Attributes:
        mark: the mark, with directional quotation marks; empty for a word.
    """

    start: int
    end: int
    mark: str


def tokens(text: str) -> Iterator[Token]:
    """Yield the words and marks of a text."""
    place, last = 0, (len(text), len(text), False)
    for (start, end, is_word), (after, *_) in pairwise([*whole_parts(text), last, last]):
        if is_word:  # with the letters that touch it, as in *2.5kg*
            while start > place and _LETTER.match(text, start - 1):
                start -= 1
            while end < after and _LETTER.match(text, end):
                end += 1
        for blank in BLANKS.finditer(text, place, start):
            if blank.start() > place:
                yield from _of_chunk(text, place, blank.start())
            place = blank.end()
        if place < start:
            yield from _of_chunk(text, place, start)
        if is_word:
            yield Token(start, end, "")
        place = end


def _of_chunk(text: str, start: int, end: int) -> Iterator[Token]:
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
    """Return the span without marks at the edges."""
    match = _EDGES.fullmatch(text, start, end)
    # The pattern matches everything; the second group is empty after marks alone.
    return match.span(2) if match else (start, end)


def _words(text: str, start: int, end: int) -> Iterator[Token]:
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
    begin = start
    for place in range(start + 1, end + 1):
        if place < end and (
            spacing.are_spaced(text[place - 1], text[place]) or unicodedata.combining(text[place])
        ):
            continue
        word = text[begin:place]
        if word in MARKS:
            yield Token(begin, place, word)
        elif MARKS.issuperset(word):  # marks of scripts without spaces
            yield from _marks(text, begin, place, after=True)
        else:  # Marks have no blanks next to such a script: *GDP,中* and *中,1*.
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
    """The words of a file and the marks between them, in memory-mapped arrays.

    Attributes:
        forms: the distinct words as spelt.
        strings: the distinct strings of marks; the first is empty.
        words: ``[n]`` the index of each word in ``forms``.
        slots: ``[n + 1]`` the index of each slot in ``strings``, slot i before word i.
    """

    path: str
    forms: tuple[str, ...]
    strings: tuple[Puncteme, ...]
    words: Ints
    slots: Ints
    digest: str

    def __len__(self) -> int:
        return len(self.words)

    def passages(self, size: int) -> "TextPassages":
        """Cut the stream into passages of ``size`` words; the last one may have fewer."""
        return TextPassages([self], size)


@dataclass(frozen=True, slots=True)
class TextPassage:
    """The words ``start`` to ``stop - 1`` of a stream."""

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
    """The passages of streams, created on access, because a large corpus has millions."""

    def __init__(self, streams: Sequence[WordStream], size: int) -> None:
        self.streams = tuple(stream for stream in streams if len(stream))
        self._size = size
        numbers = (-(-len(stream) // size) for stream in self.streams)
        self._firsts = [0, *accumulate(numbers)]

    def __len__(self) -> int:
        return self._firsts[-1]

    @overload
    def __getitem__(self, index: int) -> TextPassage: ...
    @overload
    def __getitem__(self, index: slice) -> list[TextPassage]: ...
    def __getitem__(self, index: int | slice) -> TextPassage | list[TextPassage]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        place = bisect_right(self._firsts, numbers) - 1
        stream = self.streams[place]
        start = (numbers - self._firsts[place]) * self._size
        return TextPassage(stream, start, min(start + self._size, len(stream)))


# The number of words in memory before they are written to a file.
_BLOCK = 2**16


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
            while remaining:  # an almost full disk may take a part
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
        """Return all numbers, memory-mapped if there are many."""
        if not self.count:
            return np.array(self.block, np.int32)
        self._write()
        with self.file as file:
            return np.memmap(file, np.int32, "r", shape=(self.count,))


def word_stream(path: str, items: Iterable[str]) -> WordStream:
    """Collect words and marks into a stream, in constant memory.

    Args:
        items: words, and marks with a null character before them; a lone null character is ``END``.
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
    """Yield the words of texts, and their marks with a null character before them."""
    for text in texts:
        for start, end, mark in tokens(text):
            yield f"\0{mark}" if mark else text[start:end]
