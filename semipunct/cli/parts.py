"""Commands that answer a corpus in parts: what makes the parts, and how they are written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from semipunct.cli import console
from semipunct.errors import RowsError, UsageError
from semipunct.tasks.options import PartOptions
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.batches.part_tasks import Answer, Job, PartTask
    from semipunct.batches.parts import Part
    from semipunct.batches.plan import Plan
    from semipunct.formats import Writer
    from semipunct.kinds.answers import Unit, Work


def check_parts(options: PartOptions, inputs: Sequence[str], excluded: Mapping[str, bool]) -> None:
    """Check, before any model is loaded, that a corpus can be answered in parts, if it is to be.

    Args:
        options: of parts.
        inputs: the files.
        excluded: options that cannot be combined with parts, and whether they were given.

    Raises:
        UsageError: if an option is invalid or excluded, files cannot be divided, or the engine is
            not installed.
        OutputError: if the folder cannot be made.
    """
    options.check(excluded=excluded)
    if options.folder is not None:
        from semipunct.batches.parts import check_files
        from semipunct.files import check_place

        check_files(inputs)
        check_place(options.folder)
        if options.engine is not None:
            from semipunct.batches.dask_engine import check_installed

            check_installed()


def run_parts(
    options: PartOptions,
    task: "PartTask",
    work: "Work[Any]",
    writer: "Writer[Any] | None",
    *,
    inputs: Sequence[str],
    quiet: bool,
) -> None:
    """Answer those parts of a corpus that are the share of this command and are not there.

    Args:
        options: of parts.
        task: the work of the command.
        work: the same, for all files.
        writer: of the entries, which knows the conventions of the beginning of the corpus.
        inputs: the files.
        quiet: say nothing about progress.

    Raises:
        UsageError: if the corpus cannot be divided, the folder was begun with something else, or
            a worker has another version.
        ModelError: if a worker has another model.
        RowsError: at the end, with ``strict``, if a row has no answer.
        EngineError: if the engine fails, or loses a part again and again.
    """
    from semipunct.batches.plan import begin_or_continue
    from semipunct.files import write_bytes

    _check_divisible(work.unit)
    is_counted = work.is_numbered and work.unit in ("sentence", "file")
    folder = options.folder or ""
    plan = begin_or_continue(
        folder, inputs, work.unit, options.size * 1024, task.origin(),
        (lambda plan, part: task.count(_job(plan, part))) if is_counted else None, work.chunk,
    )  # fmt: skip
    total = len(plan.parts)
    share = [number for number in options.numbers(total) if not plan.place(number).exists()]
    jobs = (_job(plan, plan.parts[number], number) for number in share)
    for number, answer in _engine(options, task, writer)(jobs):
        place = plan.place(number)
        plan.write_errors(number, answer.errors)
        write_bytes(place, answer.output)
        if not quiet:
            console.say(f"{place}: part {number + 1} of {total}")
        console.say_all(f"{place}: {message}" for message in answer.messages)
    missing = sum(not plan.place(number).exists() for number in range(total))
    if not quiet:
        rest = (
            f"{missing} of {quantity(total, 'part')} missing" if missing else f"all {total} parts"
        )
        console.say(f"{folder}: {rest}")
    errors, first = plan.errors()
    if first is not None:
        message = (
            f"{folder}: {quantity(errors, 'row')} without an answer (listed in {folder}/errors-*), "
            f"first {first}"
        )
        if options.strict:
            raise RowsError(message)
        console.say(message)


def _job(plan: "Plan", part: "Part", number: int = 0) -> "Job":
    from semipunct.batches.part_tasks import Job
    from semipunct.batches.parts import read_part

    return Job(number, read_part(part, plan.paths, plan.unit), plan.unit, part.first)


def _engine(
    options: PartOptions, task: "PartTask", writer: "Writer[Any] | None"
) -> "Callable[[Iterator[Job]], Iterator[tuple[int, Answer]]]":
    """Return what answers parts, in any order."""
    if options.engine is None:
        return lambda jobs: ((job.number, task.answer(job, writer)) for job in jobs)
    from semipunct.batches.dask_engine import answers

    return lambda jobs: answers(
        task.pin(), writer, jobs, scheduler=options.scheduler, workers=options.workers,
        say=console.say,
    )  # fmt: skip


def _check_divisible(unit: "Unit") -> None:
    """Raise ``UsageError`` if a corpus is not answered in parts as it is as a whole.

    Args:
        unit: what may not be divided.
    """
    if unit == "corpus":
        raise UsageError(
            "here what a sentence gets depends on its neighbours in the whole input, so --parts "
            "cannot divide it; give each file to a command of its own, or leave out --text and "
            "--analyses if you gave them"
        )
