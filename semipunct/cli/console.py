"""Output, messages, errors and exit statuses of all commands.

Data goes to standard output, messages to standard error. Exit statuses: 0 success; 1 bad input; 2
wrong usage; 128 plus the signal that ended the command (130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 141
SIGPIPE when the reader closes the output).
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

    from semipunct.pipelines.assessment import Assessment

BAD_INPUT, WRONG_USAGE, INTERRUPTED, READER_GONE = 1, 2, 130, 141


def people() -> "Console":
    """Return the console for messages, on standard error."""
    from rich.console import Console

    return Console(emoji=False, stderr=True, highlight=False)


def tables() -> "Console":
    """Return the console on standard output, for tables."""
    check_output_file(STANDARD)
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Screen(emoji=False, highlight=False)


def table(*headings: str) -> "Table":
    """Return a table without a frame, whose first column alone is left-aligned and wrapped."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    frameless = Table(box=SIMPLE_HEAD)
    for number, heading in enumerate(headings):
        if number:
            frameless.add_column(heading, justify="right", no_wrap=True)
        else:
            frameless.add_column(heading, overflow="fold")
    return frameless


def show(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: str | None = None
) -> None:
    """Print a table of strings, all of whose columns may be wrapped."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD)
    for heading in headings:
        shown.add_column(heading, justify="right" if heading == right else "left")
    for row in rows:
        shown.add_row(*map(Text, row))
    tables().print(shown)


def example(arguments: str) -> str:
    """Format the example at the end of a help text."""
    return f"Example: `semipunct {arguments}`"


def explain(tokens: Iterable[str]) -> None:
    """Print a legend of the special tokens in a table."""
    from semipunct.marks import legend

    if explanation := legend(tokens):
        tables().print(explanation, style="dim", markup=False, soft_wrap=True)


def say(text: str, style: str | None = None) -> None:
    """Print a message to standard error on one line."""
    people().print(text, style=style, markup=False, soft_wrap=True)


def say_all(messages: Iterable[str]) -> None:
    """Print messages as ``say`` does."""
    for message in messages:
        say(message)


def check_targets(
    *paths: str | None,
    figures: str | None = None,
    inputs: Sequence[str] = (),
    kept: Sequence[str | None] = (),
) -> None:
    """Check that all output files can be written, before any work.

    Args:
        paths: output files that may overwrite an input.
        figures: an output file that must not overwrite an input.
        kept: other input files and model folders.
    """
    if [*inputs].count(STANDARD) > 1:
        raise UsageError("standard input is named twice, but can be read only once; name a file")
    read = {os.path.realpath(path) for path in inputs if path != STANDARD}
    if figures is not None and os.path.realpath(figures) in read:
        raise UsageError(f"{figures}: is an input and would be overwritten; name another file")
    places = {os.path.realpath(path) for path in kept if path is not None and path != STANDARD}
    outputs = [path for path in (*paths, figures) if path is not None]
    files = [os.path.realpath(path) for path in outputs if path != STANDARD]
    for path in outputs:
        if path != STANDARD:
            target = Path(os.path.realpath(path))
            if not places.isdisjoint(map(str, (target, *target.parents))):
                raise UsageError(
                    f"{path}: is also read and would be overwritten; name another file"
                )
            if files.count(str(target)) > 1:
                raise UsageError(
                    f"{path}: is named for two outputs; name a different file for each"
                )
        check_output_file(path)


@contextmanager
def report_errors() -> Generator[None, None, None]:
    """Report an expected error as one message and an exit status."""
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


@contextmanager
def readers_may_leave() -> Generator[None, None, None]:
    """End with the exit status for a closed pipe, also while printing help or flushing buffers."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
                sys.stdout.flush()
    except BrokenPipeError as error:
        _drop_output()
        raise SystemExit(READER_GONE) from error
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            _drop_output()
            raise SystemExit(READER_GONE) from end
        raise


def _fail(message: str, status: int, error: BaseException) -> NoReturn:
    say(f"error: {message}", style="red")
    raise typer.Exit(status) from error


def _drop_output() -> None:
    # Otherwise the interpreter prints an error when it flushes standard output at exit.
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    with output(STANDARD) as stream:
        stream.write(to_json(value, indent=2) + "\n")


def report(assessment: "Assessment", *, json: bool, path: str | None) -> None:
    """Print figures as tables or JSON, and store the result (docs/decisions/architecture.md)."""
    if path:
        if assessment.result is None:
            from semipunct.pipelines.assessment import NO_COUNTS

            raise UsageError(NO_COUNTS)
        from semipunct.evaluation.results import write_result

        write_result(path, assessment.result)
    if json:
        print_json(
            {
                "schema": assessment.figures.schema or f"{assessment.task}/1",
                **assessment.figures.as_dict(),
                **assessment.extra,
                "signature": assessment.signature,
            }
        )
    else:
        _print_tables(assessment)
    say_all(assessment.messages)
    if assessment.omitted and not (json and "omitted" in assessment.extra):
        say(assessment.omitted)


def _print_tables(assessment: "Assessment") -> None:
    from rich.markup import escape

    screen = tables()
    figures = table("figure", "value")
    for name, value in assessment.rows:
        figures.add_row(name, value)
    screen.print(figures)
    for rows in assessment.tables:
        printed = table(*rows.headings)
        printed.columns[-1].no_wrap = not rows.wraps
        for row in rows.rows:
            printed.add_row(*map(escape, row))
        screen.print(printed)
    explain(assessment.tokens)
    screen.print(assessment.signature, style="dim", markup=False, soft_wrap=True)
