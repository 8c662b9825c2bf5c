"""Reading of bytes: plain files, gzip, standard input, with messages in the words of each kind."""

from __future__ import annotations

import errno
import gzip
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from semipunct.errors import SemipunctError

STANDARD = "-"
"""Standard input or output, where a path is expected."""

_STANDARD_INPUT = "<stdin>"
_GZIP = b"\x1f\x8b"
_GZIP_HEADER = 31  # tells zlib to expect one
_LOOKED_AT = 2**16
_UNREADABLE = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of input files, with the words in which messages speak of them.

    Attributes:
        error: the class of all errors in such files.
        not_a_folder: advice where a folder was named.
        fetch_again: advice where the compressed data are broken.
    """

    error: type[SemipunctError]
    not_a_folder: str
    fetch_again: str


def display_name(path: str | Path) -> str:
    """Return the name by which messages call a path (``-`` is ``<stdin>``)."""
    return _STANDARD_INPUT if str(path) == STANDARD else str(path)


def byte_lines(path: str | Path, kind: FileKind) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, each with its line end if it has one.

    Lines end at a line feed only, so joining them gives the file back.

    Args:
        path: ``-`` is standard input; gzip is uncompressed on the way.
        kind: for messages.

    Raises:
        SemipunctError: of the kind's class, if there is no such file, it is a directory, may not
            be read, or is not a sound gzip file.
    """
    line = 0
    try:
        with _open_bytes(path) as stream:
            for content in stream:
                line += 1
                yield content
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind, f":{line + 1}") from error


def read_bytes(path: str | Path, kind: FileKind) -> bytes:
    """Return the content of a file.

    Args:
        path: ``-`` is standard input; gzip is uncompressed on the way.
        kind: for messages.

    Raises:
        SemipunctError: as ``byte_lines`` does.
    """
    try:
        with _open_bytes(path) as stream:
            return stream.read()
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind) from error


def beginning(path: str | Path, kind: FileKind) -> bytes:
    """Return the first bytes of a file, which can then be read as if nothing had been looked at.

    Nothing is returned of what is no regular file, such as a pipe with a name: it cannot be read
    twice.

    Args:
        path: ``-`` is standard input; gzip is uncompressed.
        kind: for messages.

    Raises:
        SemipunctError: as ``byte_lines`` does.
    """
    try:
        if str(path) == STANDARD:
            first = _waiting()
        elif Path(path).is_file():
            with open(path, "rb") as raw:
                first = raw.read(_LOOKED_AT)
        else:
            first = b""
        packed = first.startswith(_GZIP)
        return zlib.decompressobj(_GZIP_HEADER).decompress(first) if packed else first
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind) from error


def _waiting() -> bytes:
    """Return what standard input has next, without taking it."""
    raw = _standard_input()
    if isinstance(raw, BufferedReader):
        return raw.peek(_LOOKED_AT)
    place = raw.tell()
    found = raw.read(_LOOKED_AT)
    raw.seek(place)
    return found


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by the caller
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer


@contextmanager
def _open_bytes(path: str | Path) -> Generator[BinaryIO, None, None]:
    if str(path) == STANDARD:
        # Standard input belongs to the process, so it is not closed here.
        raw = _standard_input()
        with _unpacked(raw if isinstance(raw, BufferedReader) else BytesIO(raw.read())) as stream:
            yield stream
    else:
        with open(path, "rb") as raw, _unpacked(raw, str(path).endswith(".gz")) as stream:
            yield stream


@contextmanager
def _unpacked(
    raw: BufferedReader | BytesIO, packed: bool = False
) -> Generator[BinaryIO, None, None]:
    """Uncompress what its name or its first bytes, which no text begins with, say is compressed."""
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
