"""Byte streams in and out: plain files, gzip, standard input and output."""

import gzip
import io
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from semipunct.errors import TreebankError

STANDARD_INPUT = "<stdin>"


def display_name(path: str | Path) -> str:
    """Give the name that messages call `path` by (``-`` is ``<stdin>``)."""
    return STANDARD_INPUT if str(path) == "-" else str(path)


def byte_lines(path: str | Path) -> Iterator[bytes]:
    """Yield the lines of a file as bytes, each with its line end if it has one.

    `path` may be ``-`` (standard input); a name ending in ``.gz`` is uncompressed on the way.
    Lines end at a line feed only, so joining them gives the file back.

    Raises `TreebankError` if there is no such file, it is a directory, may not be read, or is
    not a sound gzip file.
    """
    name = display_name(path)
    line = 0
    try:
        with _open_bytes(path) as stream:
            for content in stream:
                line += 1
                yield content
    except FileNotFoundError as error:
        raise TreebankError(f"{name}: there is no such file; check the path") from error
    except IsADirectoryError as error:
        raise TreebankError(
            f"{name}: this is a directory; name the .conllu files in it instead"
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TreebankError(
            f"{name}:{line + 1}: the gzip data is broken ({error}); "
            "fetch or compress the file again, or drop .gz from its name if it is plain text"
        ) from error
    except OSError as error:
        raise TreebankError(
            f"{name}: cannot be read ({error.strerror or error}); check the file and its rights"
        ) from error


@contextmanager
def _open_bytes(path: str | Path) -> Generator[BinaryIO, None, None]:
    if str(path) == "-":
        # Standard input belongs to the process, so it is not closed here.
        yield sys.stdin.buffer
    elif str(path).endswith(".gz"):
        with gzip.open(path, "rb") as stream:
            yield cast(BinaryIO, stream)
    else:
        with open(path, "rb") as stream:
            yield stream


@contextmanager
def open_text_output(path: str | Path) -> Generator[TextIO, None, None]:
    """Open a UTF-8 text stream for writing that leaves line ends as they are.

    `path` may be ``-`` (standard output, flushed but not closed); a name ending in ``.gz`` is
    compressed.  Raises `TreebankError` if the file cannot be created.
    """
    if str(path) == "-":
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
        try:
            yield stream
            stream.flush()
        finally:
            # Closing the wrapper would close standard output for everybody else.
            stream.detach()
        return
    try:
        opened = (
            gzip.open(path, "wt", encoding="utf-8", newline="")
            if str(path).endswith(".gz")
            else open(path, "w", encoding="utf-8", newline="")
        )
    except OSError as error:
        raise TreebankError(
            f"{path}: cannot be written ({error.strerror or error}); "
            "check that the folder exists and may be written to"
        ) from error
    with opened as stream:
        yield cast(TextIO, stream)
