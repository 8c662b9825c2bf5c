"""Atomic writing of files, plain or compressed, and of standard output."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from semipunct.errors import OutputError, SemipunctError
from semipunct.files.folders import make_folder, undoable
from semipunct.files.reading import STANDARD

# Length of the file name's prefix in its temporary name, which must not be too long for the file
# system.
_LONGEST = 40

_NUMBERS = count()


def check_place(path: str | Path, error: type[SemipunctError] = OutputError) -> None:
    """Raise ``error`` unless a file or folder can be created."""
    target = _real(path)
    above = next(p for p in target.parents if p.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise error(f"{path}: {above} is not a writable folder; name another place")


def check_output_file(path: str | Path) -> None:
    """Raise ``OutputError`` unless a file or standard output (``-``) can be written."""
    if str(path) == STANDARD:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - by the caller
            raise OutputError("standard output is closed; name a file, or leave it open")
        return
    target = _real(path)
    if target.is_dir():
        raise OutputError(f"{path}: this is a folder; give the name of a file to write")
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputError(f"{path}: this file is not writable; name another one")
    if _is_replaceable(path):
        check_place(path)


def _real(path: str | Path) -> Path:
    # Path.resolve raises another error for circular links.
    return Path(os.path.realpath(path))


def _is_replaceable(path: str | Path) -> bool:
    """Tell files, existing or not, from devices and pipes, which are written in place."""
    # Such a name may lead to a file: replacing it would lose the output of other writers.
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


@contextmanager
def atomic_file(path: str | Path) -> Generator[BinaryIO, None, None]:
    """Open a file for bytes that replaces the old one, with its permissions, once complete."""
    target = _real(path)
    unique = f"{os.getpid()}-{next(_NUMBERS)}"
    temporary = target.with_name(f".{target.name[:_LONGEST]}.{unique}.part")
    remove = partial(temporary.unlink, missing_ok=True)
    with make_folder(target.parent), undoable(remove):
        try:
            with open(temporary, "xb") as stream:
                if target.exists():
                    os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        finally:
            remove()


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file as ``atomic_file`` does, devices and pipes in place; ``.gz`` is compressed."""
    # Without a time in the header, equal contents give equal files.
    packed = gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content
    with _opened(path) as stream:
        stream.write(packed)


def _opened(path: str | Path) -> AbstractContextManager[BinaryIO]:
    return atomic_file(path) if _is_replaceable(path) else open(path, "ab")


@contextmanager
def output(path: str) -> Generator[TextIO, None, None]:
    """Open a UTF-8 stream for data, without newline translation, as with ``atomic_file``.

    Args:
        path: ``-`` is standard output, flushed but not closed; ``.gz`` is compressed.
    """
    check_output_file(path)
    if path == STANDARD:
        with _text(sys.stdout.buffer) as stream:
            yield stream
        return
    with _opened(path) as raw:
        if not path.endswith(".gz"):
            with _text(raw) as stream:
                yield stream
            return
        # Without name and time in the header, equal data give equal files.
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
        # Closing the wrapper would close the underlying stream; after an error its buffer is
        # discarded.
        with suppress(OSError):
            stream.detach()
