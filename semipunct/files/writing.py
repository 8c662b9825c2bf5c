"""Writing of files that appear whole: plain or compressed, or standard output."""

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

_LONGEST = 40
"""Characters of a name that the name of its unfinished file begins with: it must not be too long
for the file system where the name itself just fits."""

_NUMBERS = count()


def check_place(path: str | Path, error: type[SemipunctError] = OutputError) -> None:
    """Check, before the work is done, that a file or a folder of a name can be made.

    Folders that are missing will be made; the nearest one that is there has to be writable.

    Args:
        path: of the file or folder.
        error: the class to raise.

    Raises:
        SemipunctError: of the class, if it cannot be made.
    """
    target = _real(path)
    above = next(p for p in target.parents if p.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise error(f"{path}: {above} is not a writable folder; name another place")


def check_output_file(path: str | Path) -> None:
    """Check, before the work is done, that a file or standard output (``-``) can be written.

    Raises:
        OutputError: if it is a folder, its place may not be written to, or standard output is
            closed.
    """
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
    # Not Path.resolve, which has an error of its own for links that go round in a circle.
    return Path(os.path.realpath(path))


def _is_replaceable(path: str | Path) -> bool:
    """Tell a file, there or not yet, from a device or a pipe, which are written to as they are."""
    # What such a name leads on to may be a file: replacing it would lose what others write to it.
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


@contextmanager
def atomic_file(path: str | Path) -> Generator[BinaryIO, None, None]:
    """Open a file for bytes that appears under its name only when all of them are on the disk.

    Until then, and if anything goes wrong, what was there before stays. Folders that are missing
    are made. A file that is replaced hands on its permissions.

    Raises:
        OSError: if the file cannot be written.
    """
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
    """Write a file as ``atomic_file`` does, a device or a pipe as it is.

    Args:
        path: a name that ends in ``.gz`` is compressed.
        content: the bytes to write, or to compress.

    Raises:
        OSError: if the file cannot be written.
    """
    # Without a time in the header the same content gives the same file.
    packed = gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content
    with _opened(path) as stream:
        stream.write(packed)


def _opened(path: str | Path) -> AbstractContextManager[BinaryIO]:
    return atomic_file(path) if _is_replaceable(path) else open(path, "ab")


@contextmanager
def output(path: str) -> Generator[TextIO, None, None]:
    """Open a UTF-8 stream for data that leaves line ends as they are.

    A file appears as with ``atomic_file``.

    Args:
        path: ``-`` is standard output, flushed but not closed; a name ending in ``.gz`` is
            compressed.

    Raises:
        OutputError: as ``check_output_file`` does.
        OSError: if the file cannot be written.
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
