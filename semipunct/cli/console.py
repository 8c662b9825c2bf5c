"""What all commands share: words for people, data for programs, files, errors, exit codes.

Data goes to standard output and words for people to standard error.  Exit status 0: done;
1: the input was bad; 2: the command was used wrongly; 130: interrupted; 141: the reader of our
output went away (both as a shell would report the signal).
"""

import gzip
import io
import json
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from semipunct.errors import SemipunctError, UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BAD_INPUT, WRONG_USAGE, INTERRUPTED, READER_GONE = 1, 2, 130, 141
STANDARD = "-"
"""Standard input or output, where a path is expected."""


def people() -> "Console":
    """The console for people, on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def tables() -> "Console":
    """The console for tables that a command was asked for, on standard output."""
    from rich.console import Console

    class Screen(Console):
        """A console that leaves it to `reported` what happens when its reader goes away."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Screen(highlight=False)


def table(*headings: str) -> "Table":
    """A table without a frame: the first column to the left, the others to the right.

    Where the screen is narrow, the first is folded, and figures stay whole.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD)
    for number, heading in enumerate(headings):
        if number:
            made.add_column(heading, justify="right", no_wrap=True)
        else:
            made.add_column(heading, overflow="fold")
    return made


def say(text: str, style: str | None = None) -> None:
    """Tell people something, in one line that is not folded, on standard error."""
    people().print(text, style=style, markup=False, soft_wrap=True)


@contextmanager
def reported() -> Generator[None, None, None]:
    """Turn what may go wrong into one message and an exit status; defects pass unchanged."""
    try:
        yield
        sys.stdout.flush()
    except UsageError as error:
        _fail(str(error), WRONG_USAGE, error)
    except SemipunctError as error:
        _fail(str(error), BAD_INPUT, error)
    except KeyboardInterrupt as error:
        _fail("interrupted", INTERRUPTED, error)
    except BrokenPipeError as error:
        _drop_output()
        raise typer.Exit(READER_GONE) from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}", BAD_INPUT, error)


def _fail(message: str, status: int, error: BaseException) -> NoReturn:
    say(f"error: {message}", style="red")
    raise typer.Exit(status) from error


def _drop_output() -> None:
    # Without this the interpreter complains when it flushes standard output at its end.
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def output(path: str) -> Generator[TextIO, None, None]:
    """Open a UTF-8 stream for data: ``-`` is standard output, ``.gz`` is compressed.

    A file appears under its name only when all of it has been written; until then, and if
    anything goes wrong, what was there before stays.  Line ends are left as they are.

    Raises `UsageError` if `path` is a folder or lies in none, and `OSError`.
    """
    if path == STANDARD:
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
        try:
            yield stream
            stream.flush()
        finally:
            # Closing the wrapper would close standard output for everybody else; what it still
            # holds after an error has nowhere to go.
            with suppress(OSError):
                stream.detach()
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
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(temporary, "xb") as raw, _encoded(raw, target.suffix == ".gz") as stream:
            yield stream
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _encoded(raw: io.BufferedWriter, compressed: bool) -> Generator[TextIO, None, None]:
    if not compressed:
        with io.TextIOWrapper(raw, encoding="utf-8", newline="") as stream:
            yield stream
        return
    # No name and no time in the header: the same data give the same file.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as stream,
    ):
        yield stream


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output.  Raises `ValueError` for NaN and infinities."""
    with output(STANDARD) as stream:
        stream.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def nearest(name: str, known: Mapping[str, object]) -> str:
    """Say for a message what is known, the one nearest to `name` first of all."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}known: {', '.join(known)}"


def count(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 sentence``, ``1,200 sentences``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
