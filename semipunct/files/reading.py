"""Reading of bytes: plain files, gzip, standard input, with messages for each kind of file."""

from __future__ import annotations

import errno
import gzip
import hashlib
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from semipunct.errors import SemipunctError


class Section(str):
    """The name of a file, or of a text, with the lines to read instead.

    Readers take it for a path, and report places in the whole file.

    Attributes:
        content: the lines, with their ends.
        first_line: its number in the file.
        first_byte: offset in the file.
        first_character: characters before it.
        sentences_before: treebank sentences before it.
        is_inside: whether the file has other lines; a section may then be blank.
    """

    content: bytes
    first_line: int = 1
    first_byte: int = 0
    first_character: int = 0
    sentences_before: int = 0
    is_inside: bool = False

    def __new__(cls, name: str, content: bytes, **place: int) -> Self:
        section = super().__new__(cls, name)
        section.__dict__.update(place, content=content)
        return section

    def __getnewargs__(self) -> tuple[str, bytes]:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Pickling calls __new__ with these arguments and sets the other attributes.
        return str(self), self.content


def as_section(path: object) -> Section:
    """Return a section as it is, and an empty section for any other path."""
    return path if isinstance(path, Section) else Section(str(path), b"")


def sha256(content: bytes) -> str:
    """Return the SHA-256 checksum of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 checksum of a file in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# Standard input or output in place of a path.
STANDARD = "-"

_STANDARD_INPUT = "<stdin>"
_GZIP = b"\x1f\x8b"
_GZIP_HEADER = 31  # tells zlib to expect one
_AT_ONCE = 2**16
# Maximal number of bytes to look ahead.
_LOOKED_AT = 2**20

_UNREADABLE = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of input files, with the error class and the advice of its messages."""

    error: type[SemipunctError]
    not_a_folder: str
    fetch_again: str


def display_name(path: str | Path) -> str:
    """Return the name of a path in messages (``-`` is ``<stdin>``)."""
    return _STANDARD_INPUT if str(path) == STANDARD else str(path)


def title_of(content: str, paths: Iterable[str | Path]) -> str:
    """Return the title of a page about files: what it shows, and their names without folders."""
    names = ("standard input" if str(path) == STANDARD else Path(path).name for path in paths)
    return f"{content}: {', '.join(names)}"


def byte_lines(path: str | Path, kind: FileKind) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, with their line feeds.

    Args:
        path: ``-`` is standard input; gzip is uncompressed.

    Raises:
        SemipunctError: of the kind's class, if the file cannot be read.
    """
    if isinstance(path, Section):
        yield from BytesIO(path.content)
        return
    line = 0
    try:
        with _open_bytes(path) as stream:
            for content in stream:
                line += 1
                yield content
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind, f":{line + 1}") from error


def read_bytes(path: str | Path, kind: FileKind) -> bytes:
    """Return the content of a file, as ``byte_lines`` reads it."""
    if isinstance(path, Section):
        return path.content
    try:
        with _open_bytes(path) as stream:
            return stream.read()
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind) from error


def beginning(path: str | Path, kind: FileKind, enough: Callable[[bytes], object]) -> bytes | None:
    """Return the first bytes of a file, or None for a named pipe, which cannot be read twice.

    Args:
        enough: returns whether to stop looking ahead.
    """
    if isinstance(path, Section) and not path.is_inside:
        return path.content
    try:
        if str(path) == STANDARD:
            return _plain(_ahead(_standard_input()).look(enough))
        if not Path(path).is_file():
            return None
        first = b""
        with open(path, "rb") as raw:
            while len(first) < _LOOKED_AT and (more := raw.read(_AT_ONCE)):
                first += more
                if enough(_plain(first)):
                    break
        return _plain(first)
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind) from error


def _plain(first: bytes) -> bytes:
    packed = first.startswith(_GZIP)
    return zlib.decompressobj(_GZIP_HEADER).decompress(first) if packed else first


class _LookedAhead(RawIOBase):
    """Standard input that replays the bytes looked at."""

    def __init__(self, source: Any) -> None:
        super().__init__()
        self.source = source
        self.buffered = b""

    def look(self, enough: Callable[[bytes], object]) -> bytes:
        """Return the first bytes, waiting for as many as are enough."""
        while len(self.buffered) < _LOOKED_AT and not enough(_plain(self.buffered)):
            # ``read`` would wait for the end of a pipe.
            if not (more := self.source.read1(_AT_ONCE)):
                break
            self.buffered += more
        return self.buffered

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.buffered[: len(buffer)] or self.source.read1(len(buffer))
        self.buffered = self.buffered[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


_looked_ahead: list[_LookedAhead] = []


def _ahead(raw: BinaryIO) -> _LookedAhead:
    """Return standard input, including the bytes looked at."""
    if not _looked_ahead or _looked_ahead[0].source is not raw:
        _looked_ahead[:] = [_LookedAhead(raw)]
    return _looked_ahead[0]


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by the caller
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer


@contextmanager
def _open_bytes(path: str | Path) -> Generator[BinaryIO, None, None]:
    if str(path) == STANDARD:
        # Standard input belongs to the process, so it is not closed here.
        raw = _standard_input()
        if _ahead(raw).buffered:
            raw = BufferedReader(_ahead(raw))
        with _unpacked(raw if isinstance(raw, BufferedReader) else BytesIO(raw.read())) as stream:
            yield stream
    else:
        with open(path, "rb") as raw, _unpacked(raw, str(path).endswith(".gz")) as stream:
            yield stream


@contextmanager
def _unpacked(
    raw: BufferedReader[Any] | BytesIO, packed: bool = False
) -> Generator[BinaryIO, None, None]:
    """Uncompress gzip, recognised by name or by its first bytes, which no text begins with."""
    first = raw.getvalue() if isinstance(raw, BytesIO) else raw.peek(len(_GZIP))
    if packed or first.startswith(_GZIP):
        with gzip.open(raw, "rb") as stream:
            yield cast(BinaryIO, stream)
    else:
        yield raw


def _unreadable(
    error: Exception, path: str | Path, kind: FileKind, line: str = ""
) -> SemipunctError:
    name = display_name(path)
    match error:
        case FileNotFoundError():
            return kind.error(f"{name}: there is no such file; check the path")
        case IsADirectoryError():
            return kind.error(f"{name}: this is a directory; {kind.not_a_folder}")
        case gzip.BadGzipFile() | EOFError() | zlib.error():
            return kind.error(
                f"{name}{line}: the gzip data is broken ({error}); {kind.fetch_again}"
                + (", or drop .gz from its name if it is plain text" * name.endswith(".gz"))
            )
        case _:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            return kind.error(f"{name}: cannot be read ({reason}); check the file and its rights")
