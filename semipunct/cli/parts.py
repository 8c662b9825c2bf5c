"""Commands that answer a corpus in parts: the loop of one process over its parts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from semipunct.cli import console
from semipunct.errors import UsageError
from semipunct.tasks.options import PartOptions

if TYPE_CHECKING:
    from semipunct.batches.parts import Part
    from semipunct.batches.plan import Plan
    from semipunct.kinds.answers import Unit, Work


def check_parts(options: PartOptions, inputs: Sequence[str], excluded: Mapping[str, bool]) -> None:
    """Check, before any model is loaded, that a corpus can be answered in parts, if it is to be.

    Args:
        options: of parts.
        inputs: the files.
        excluded: options that cannot be combined with parts, and whether they were given.

    Raises:
        UsageError: if an option is invalid or excluded, or files cannot be divided.
        OutputError: if the folder cannot be made.
    """
    options.check(excluded=excluded)
    if options.folder is not None:
        from semipunct.batches.parts import check_files
        from semipunct.files import check_place

        check_files(inputs)
        check_place(options.folder)


def run_parts(
    options: PartOptions,
    work: "Work[Any]",
    prepare: "Callable[[Sequence[str], int], Work[Any]]",
    write: "Callable[[Sequence[str], Iterator[Any], TextIO], None]",
    *,
    inputs: Sequence[str],
    settings: Mapping[str, Any],
    quiet: bool,
) -> None:
    """Answer those parts of a corpus that are the share of this process and are not there.

    Args:
        options: of parts.
        work: that for all files.
        prepare: returns the work for some files or sections of files, before which a number of
            sentences were read.
        write: writes the answers for some sections to a stream.
        inputs: the files.
        settings: what determines the output, besides the files.
        quiet: show no progress.

    Raises:
        UsageError: if the corpus cannot be divided, or the folder was begun with something else.
    """
    from semipunct.batches.parts import read_part

    check_divisible(work.unit)

    def count(plan: "Plan", part: "Part") -> int:
        from semipunct.corpus import Omitted

        entries = prepare(read_part(part, plan.paths, plan.unit), 0).entries
        return sum(not isinstance(entry.content, Omitted) for entry in entries)

    is_counted = work.is_numbered and work.unit in ("sentence", "file")

    def answer(part: "Part", sections: Sequence[str], stream: TextIO) -> Sequence[str]:
        of_part = prepare(sections, part.first)
        write(sections, of_part.answer(of_part.entries), stream)
        return list(of_part.messages())

    make_parts(
        options, work.unit, answer, inputs=inputs, settings=settings, quiet=quiet,
        count=count if is_counted else None, chunk=work.chunk,
    )  # fmt: skip


def check_divisible(unit: "Unit") -> None:
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


def make_parts(
    options: PartOptions,
    unit: "Unit",
    answer: "Callable[[Part, Sequence[str], TextIO], Sequence[str]]",
    *,
    inputs: Sequence[str],
    settings: Mapping[str, Any],
    quiet: bool,
    count: "Callable[[Plan, Part], int] | None" = None,
    chunk: int = 1,
) -> None:
    """Make the parts that are the share of this process and are not there.

    Args:
        options: of parts.
        unit: what is not divided.
        answer: writes the answers for the sections of a part, and returns messages.
        inputs: the files.
        settings: what determines the output, besides the files.
        quiet: say nothing about progress.
        count: returns the number of sentences of a part, if answers depend on those before it.
        chunk: the number of sentences that are answered together.

    Raises:
        UsageError: if the folder was begun with something else.
    """
    from semipunct.batches.parts import read_part
    from semipunct.batches.plan import begin_or_continue

    folder = options.folder or ""
    plan = begin_or_continue(folder, inputs, unit, options.size * 1024, settings, count, chunk)
    total = len(plan.parts)
    share = [number for number in options.numbers(total) if not plan.place(number).exists()]
    for number in share:
        part, place = plan.parts[number], plan.place(number)
        with console.output(str(place)) as stream:
            messages = answer(part, read_part(part, plan.paths, plan.unit), stream)
        if not quiet:
            console.say(f"{place}: part {number + 1} of {total}")
        console.say_all(f"{place}: {message}" for message in messages)
    missing = sum(not plan.place(number).exists() for number in range(total))
    if not quiet:
        rest = f"{missing} of {total} parts are missing" if missing else f"all {total} parts"
        console.say(f"{folder}: {rest}")
