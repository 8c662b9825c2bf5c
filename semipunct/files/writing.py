"""Writing of files that appear whole: plain or compressed, or standard output."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from semipunct.errors import UsageError
from semipunct.files.reading import STANDARD


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
    """Write a file as ``atomic_file`` does.

    Args:
        path: a name that ends in ``.gz`` is compressed.
        content: the bytes to write, or to compress.

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

    A file appears as with ``atomic_file``.

    Args:
        path: ``-`` is standard output, flushed but not closed; a name ending in ``.gz`` is
            compressed.

    Raises:
        UsageError: if ``path`` is a folder or lies in none.
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
