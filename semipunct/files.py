"""Bytes in and out: plain files, gzip, standard input and output, files that appear whole, JSON."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO, cast

from semipunct.errors import SemipunctError, UsageError

STANDARD = "-"
"""Standard input or output, where a path is expected."""
STANDARD_INPUT = "<stdin>"
_UNREADABLE = (OSError, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class FileKind:
    """The words in which messages speak of one kind of input file.

    Attributes:
        error: the class of all errors in such files.
        not_a_folder: advice where a folder was named.
        fetch_again: advice where the compressed data are broken.
    """

    error: type[SemipunctError]
    not_a_folder: str
    fetch_again: str


def display_name(path: str | Path) -> str:
    """Return the name that messages call `path` by (``-`` is ``<stdin>``)."""
    return STANDARD_INPUT if str(path) == STANDARD else str(path)


def byte_lines(path: str | Path, kind: FileKind) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, each with its line end if it has one.

    Lines end at a line feed only, so joining them gives the file back.

    Args:
        path: ``-`` is standard input; a name ending in ``.gz`` is uncompressed on the way.
        kind: the words of messages.

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
    """Return the content of a file; arguments and errors are those of ``byte_lines``."""
    try:
        with _open_bytes(path) as stream:
            return stream.read()
    except _UNREADABLE as error:
        raise _unreadable(error, path, kind) from error


@contextmanager
def _open_bytes(path: str | Path) -> Generator[BinaryIO, None, None]:
    if str(path) == STANDARD:
        # Standard input belongs to the process, so it is not closed here.
        yield sys.stdin.buffer
    elif str(path).endswith(".gz"):
        with gzip.open(path, "rb") as stream:
            yield cast(BinaryIO, stream)
    else:
        with open(path, "rb") as stream:
            yield stream


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
                f"{name}{line}: the gzip data is broken ({error}); {kind.fetch_again}, or drop "
                ".gz from its name if it is plain text"
            )
        case _:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            return kind.error(f"{name}: cannot be read ({reason}); check the file and its rights")


@contextmanager
def atomic_file(path: str | Path) -> Generator[BinaryIO, None, None]:
    """Open a file for bytes that appears under its name only when all of them are on the disk.

    Until then, and if anything goes wrong, what was there before stays.

    Raises:
        OSError: if the file cannot be written.
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(temporary, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file as `atomic_file` does; a name that ends in ``.gz`` is compressed.

    Raises:
        OSError: if the file cannot be written.
    """
    # Without a time in the header the same content gives the same file.
    packed = gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content
    with atomic_file(path) as stream:
        stream.write(packed)


@contextmanager
def output(path: str) -> Generator[TextIO, None, None]:
    """Open a UTF-8 stream for data that leaves line ends as they are.

    A file appears as with `atomic_file`.

    Args:
        path: ``-`` is standard output, flushed but not closed; a name ending in ``.gz`` is
            compressed.

    Raises:
        UsageError: if `path` is a folder or lies in none.
        OSError: if the file cannot be written.
    """
    if path == STANDARD:
        with _text(sys.stdout.buffer) as stream:
            yield stream
        return
    target = Path(path).resolve()
    if target.is_dir():
        raise UsageError(f"{path}: this is a folder; give the name of a file to write")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {target.parent}; make it first")
    if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
        with open(target, "w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    if not os.access(target.parent, os.W_OK):
        raise UsageError(f"{path}: the folder {target.parent} may not be written to")
    with atomic_file(target) as raw:
        if target.suffix != ".gz":
            with _text(raw) as stream:
                yield stream
            return
        # No name and no time in the header: the same data give the same file.
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        with packed, _text(cast(BinaryIO, packed)) as stream:
            yield stream


@contextmanager
def _text(raw: BinaryIO) -> Generator[TextIO, None, None]:
    stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    try:
        yield stream
        stream.flush()
    finally:
        # Closing the wrapper would close the bytes below, which belong to others; what it still
        # holds after an error has nowhere to go.
        with suppress(OSError):
            stream.detach()


def finite(value: float) -> float | None:
    """Return a number for JSON: None in place of NaN and the infinities, which JSON lacks."""
    return value if math.isfinite(value) else None


def to_json(value: object, indent: int | None = None) -> str:
    """Return strict JSON: in one line without spaces, or with an indentation for people.

    Raises:
        ValueError: for NaN and the infinities; see `finite`.
    """
    separators = (",", ":") if indent is None else None
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )


def from_json(content: bytes) -> Any:
    """Return the value of strict JSON.

    Raises:
        ValueError: if it is none, or holds NaN or an infinity (`json.JSONDecodeError` with the
            place of the mistake).
        RecursionError: if it is nested too deeply.
    """
    return json.loads(content, parse_constant=_no_number)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"it holds {constant}, which is no number")
