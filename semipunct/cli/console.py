"""The manners of all commands: words for people, data for programs, errors, exit codes.

Data goes to standard output and words for people to standard error. Exit status 0: done;
1: the input was bad; 2: the command was used wrongly; 128 and the number of a signal: it ended the
command (130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 141 the reader of our output went away).
"""

import io
import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from semipunct.errors import SemipunctError, UsageError
from semipunct.files import STANDARD, check_output_file, output, to_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BAD_INPUT, WRONG_USAGE, INTERRUPTED, READER_GONE = 1, 2, 130, 141


def people() -> "Console":
    """Return the console for people, on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def tables() -> "Console":
    """Return the console for tables that a command was asked for, on standard output.

    Raises:
        OutputError: if standard output is closed.
    """
    check_output_file(STANDARD)
    from rich.console import Console

    class Screen(Console):
        """A console that leaves it to ``reported`` what happens when its reader goes away."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Screen(highlight=False)


def table(*headings: str) -> "Table":
    """Return a table without a frame: the first column to the left, the others to the right.

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


def example(arguments: str) -> str:
    """Return the end of a help text, which shows a command with arguments."""
    return f"Example: `semipunct {arguments}`"


def explain(tokens: Iterable[str]) -> None:
    """Explain below a table the symbols that it has for special tokens, if there are any."""
    from semipunct.marks import legend

    if told := legend(tokens):
        tables().print(told, style="dim", markup=False, soft_wrap=True)


def say(text: str, style: str | None = None) -> None:
    """Tell people something, in one line that is not folded, on standard error.

    Args:
        text: without markup.
        style: its colour and weight, as rich calls them.
    """
    people().print(text, style=style, markup=False, soft_wrap=True)


def check_targets(
    *paths: str | None,
    figures: str | None = None,
    inputs: Sequence[str] = (),
    kept: Sequence[str | None] = (),
) -> None:
    """Check, before the work is done, that the files that options name can be written.

    Args:
        paths: of what is made of the input, as they were given, which may take its place; None for
            an option that was not.
        figures: a file for something else, which may not.
        inputs: files that are read.
        kept: others that are read, and folders of models, whose place nothing may take; None for an
            option that was not given.

    Raises:
        UsageError: if two of them name the same file, of which one would be lost, one names a file
            that is kept, or standard input is to be read twice.
        OutputError: as ``files.check_output_file`` does.
    """
    if [*inputs].count(STANDARD) > 1:
        raise UsageError("standard input is named twice, and can be read once; name a file for one")
    read = {os.path.realpath(path) for path in inputs if path != STANDARD}
    if figures is not None and os.path.realpath(figures) in read:
        raise UsageError(f"{figures}: is an input, and would be lost; name another file")
    places = {os.path.realpath(path) for path in kept if path is not None and path != STANDARD}
    named = [path for path in (*paths, figures) if path is not None]
    files = [os.path.realpath(path) for path in named if path != STANDARD]
    for path in named:
        if path != STANDARD:
            target = Path(os.path.realpath(path))
            if not places.isdisjoint(map(str, (target, *target.parents))):
                raise UsageError(f"{path}: is read as well, and would be lost; name another file")
            if files.count(str(target)) > 1:
                raise UsageError(f"{path}: is named for two outputs; give each a file of its own")
        check_output_file(path)


@contextmanager
def reported() -> Generator[None, None, None]:
    """Turn what may go wrong into one message and an exit status; defects pass unchanged."""
    try:
        yield
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] - it is closed
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


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output.

    Raises:
        ValueError: for NaN and infinities.
    """
    with output(STANDARD) as stream:
        stream.write(to_json(value, indent=2) + "\n")
