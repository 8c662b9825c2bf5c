"""The end of ``restore``, ``correct`` and ``parse``: answers are written, compared and reported.

What a kind of model gives it to do: docs/decisions/0050-kinds.md.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from semipunct.cli import console
from semipunct.cli.console import report
from semipunct.errors import TreebankError, UsageError

if TYPE_CHECKING:
    from semipunct.kinds.answers import Work
    from semipunct.tasks.run import Outcome

R = TypeVar("R")

READ_AHEAD = 256
"""Entries read before the work begins, so that errors in files are reported at once."""


def run(
    work: "Work[R]",
    write: "Callable[[Iterator[Outcome[R]], TextIO], None]",
    *,
    doing: str,
    inputs: Iterable[str],
    out: str | None,
    gold: bool,
    json: bool,
    path: str | None,
    quiet: bool,
    progress: "dict[str, Any] | None" = None,
) -> None:
    """Answer all entries; write the answers, or compare them, or both.

    Args:
        work: the entries and the answers for them.
        write: writes entries with their answers to a stream.
        doing: the verb of the progress bar.
        inputs: the files.
        out: the output file; None for standard output, or with ``gold`` for no output.
        gold: whether the answers are compared.
        json: print the comparison as one JSON object.
        path: the file to store the comparison in, if any.
        quiet: show no progress.
        progress: unit and size of what the progress bar counts; by default sentences.

    Raises:
        UsageError: if standard input would be read twice.
        TreebankError: if a file is damaged, or there is nothing to compare.
    """
    from semipunct.cli.progress import sentence_progress

    if gold and out is not None and work.reads_again and console.STANDARD in inputs:
        raise UsageError(
            "--gold and --output both read the input, and standard input can be read only "
            "once; name a file"
        )
    compared: list[Outcome[R]] = []
    shown = out if gold else out or console.STANDARD
    if not (gold and out is None and work.reads_again):
        with sentence_progress(doing, shown, quiet=quiet, **(progress or {})) as advancing:
            outcomes = advancing(work.answer(work.entries))
            if gold:
                compared = list(outcomes)
                outcomes = iter(compared)
            # Without sentences to compare, nothing is written.
            answered = work.reads_again or any(answer is not None for _, answer in compared)
            if not gold or (answered and out is not None):
                with console.output(out or console.STANDARD) as stream:
                    write(outcomes, stream)
        console.say_all(work.messages())
    if gold:
        report(work.assess(compared), json=json, path=path)


def read_ahead(
    entries: Iterator[Any], *, in_parts: bool = False
) -> tuple[list[Any], Iterator[Any]]:
    """Return the first entries, from which writers learn the habits of a file, and all of them.

    Args:
        entries: of the files.
        in_parts: whether the first ones end, without an error, where a file is damaged.

    Raises:
        TreebankError: if a file is damaged.
    """
    first: list[Any] = []
    with suppress(*([TreebankError] if in_parts else [])):
        for entry in islice(entries, READ_AHEAD):
            first.append(entry)
    return first, chain(first, entries)
