"""The run of a task on files (docs/decisions/architecture.md)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from semipunct.cli import console
from semipunct.cli.console import report
from semipunct.cli.phases import phase
from semipunct.errors import UsageError
from semipunct.pipelines.options import PartOptions
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.pipelines.task import Documents, Name, Request, Task

# Entries read before the work, so that errors in files are reported at once.
READ_AHEAD = 256


def check_parts(options: PartOptions, inputs: Sequence[str], excluded: Mapping[str, bool]) -> None:
    """Check, before loading a model, that a corpus can be answered in parts."""
    options.check(excluded=excluded)
    if options.folder is not None:
        from semipunct.files import check_place
        from semipunct.pipelines.dask_engine import check_installed
        from semipunct.pipelines.parts import check_files

        check_files(inputs)
        check_place(options.folder)
        if options.engine is not None:
            check_installed()


def prepare(model: str, name: "Name", options: Any, **helpers: Any) -> "Task[Any, Any]":
    """Load a pipeline, and return its task."""
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.pipelines.pipeline import load
        from semipunct.pipelines.task import task_of
    with phase("loading the model"):
        nlp = load(model, **helpers)
        task = task_of(nlp.model, name, model)(nlp.trained, nlp.helpers, options)
    keep_programs()
    return task


def run(
    task: "Task[Any, Any]",
    request: "Request",
    *,
    out: str | None,
    parts: PartOptions = PartOptions(),
    json: bool = False,
    result: str | None = None,
    quiet: bool,
) -> None:
    """Answer all entries of files, and write or compare the answers."""
    from semipunct.cli.progress import sentence_progress

    with phase("reading"):
        documents = task.read(request)
    compares = request.gold or bool(request.references)
    if (
        compares
        and out is not None
        and documents.reads_again
        and console.STANDARD in request.inputs
    ):
        raise UsageError(
            "--gold and --output both read the input, and standard input can be read only "
            "once; name a file"
        )
    with phase("reading"):
        first, entries = read_ahead(documents.entries)
    writer = task.writer(documents, first)
    if parts.folder is not None:
        _run_parts(task, request, documents, writer, parts, quiet=quiet)
        return
    compared: list[Any] = []
    shown = out if compares else out or console.STANDARD
    if not (compares and out is None and documents.reads_again):
        doing = f"{task.name[:-1] if task.name.endswith('e') else task.name}ing"
        with sentence_progress(doing, shown, quiet=quiet) as advancing:
            outcomes = advancing(task.answer(entries))
            if compares:
                compared = list(outcomes)
                outcomes = iter(compared)
            # Nothing is written without sentences to compare.
            answered = documents.reads_again or any(answer is not None for _, answer in compared)
            if not compares or (answered and out is not None):
                with console.output(out or console.STANDARD) as stream:
                    task.write(outcomes, documents.form, writer, stream)
        console.say_all(task.messages())
    if compares:
        report(documents.assess(compared), json=json, path=result)


def read_ahead(entries: Iterator[Any]) -> tuple[list[Any], Iterator[Any]]:
    """Return the first entries and an iterator of all."""
    first = list(islice(entries, READ_AHEAD))
    return first, chain(first, entries)


def _run_parts(
    task: "Task[Any, Any]",
    request: "Request",
    documents: "Documents",
    writer: Any,
    options: PartOptions,
    *,
    quiet: bool,
) -> None:
    from semipunct.files import write_bytes
    from semipunct.pipelines.dask_engine import answers
    from semipunct.pipelines.parts import (
        answer_part,
        begin_folder,
        file_sizes,
        missing_parts,
        place,
    )

    if documents.unit == "corpus":
        raise UsageError(
            "here what a sentence gets depends on its neighbours in the whole input, so --parts "
            "cannot divide it; give each file to a command of its own, or leave out --text and "
            "--analyses if you gave them"
        )
    folder, inputs = options.folder or "", list(request.inputs)
    origin = task.origin() | {
        "form": documents.form,
        "files": file_sizes(inputs),
        "part size": options.size,
    }
    begin_folder(folder, origin)
    parts = missing_parts(task, inputs, documents.unit, options)
    number_made = 0
    answered = (
        (answer_part(task, writer, request.form, part) for part in parts)
        if options.engine is None
        else answers(task, writer, request.form, parts, options)
    )
    for number, output, messages in answered:
        path, number_made = place(options, number), number_made + 1
        write_bytes(path, output)
        if not quiet:
            console.say(f"{path}: part {number + 1}")
        console.say_all(f"{path}: {message}" for message in messages)
    if not quiet:
        console.say(f"{folder}: {quantity(number_made, 'part')} made")
