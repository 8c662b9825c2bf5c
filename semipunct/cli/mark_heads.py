"""``semipunct normalise`` for treebanks: heads of marks, written, listed and reported."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError

if TYPE_CHECKING:
    from semipunct.tasks.normalise_marks import NormalisedTreebank


@dataclass(frozen=True, slots=True)
class Listing:
    """The ways in which changes are made known.

    Attributes:
        check: whether they are only listed, and the exit status says whether there are any.
        most: the number of changes to list.
        is_like_validator: whether they are listed in the form of UD's validator.
        json: whether all are printed as one JSON object.
        report: the file of a report, if there is one.
    """

    check: bool
    most: int
    is_like_validator: bool
    json: bool
    report: str | None


def attach_marks(
    inputs: Sequence[str],
    out: str | None,
    listing: Listing,
    *,
    only: Sequence[str],
    convention: Literal["unit", "governor"] | None,
    strict: bool,
) -> None:
    """Attach the marks of treebanks, and write them; or only list what would change.

    Args:
        inputs: the files.
        out: the output file; None for standard output.
        listing: the ways in which changes are made known.
        only: as for ``semipunct.normalise``.
        convention: as for ``semipunct.normalise``.
        strict: as for ``semipunct.normalise``.

    Raises:
        UsageError: if options do not belong together.
        typer.Exit: with status 1, if something would change or a sentence has no tree.
    """
    if listing.check and out is not None:
        raise UsageError("--check writes no trees; leave out --output, or leave out --check")
    if not listing.check:
        out = out or console.STANDARD
        arguments.check_figures(out, None, printed=listing.json)
    console.check_targets(out, figures=listing.report, inputs=inputs)
    from semipunct.files import output
    from semipunct.formats.conllu.records import write_texts
    from semipunct.render import head_changes
    from semipunct.tasks.normalise import normalise

    treebank = normalise(*inputs, only=only, convention=convention, strict=strict)
    if out is not None:
        with console.output(out) as stream:
            write_texts((sentence.text for sentence in treebank.sentences), stream)
    if listing.json:
        console.print_json(head_changes.as_dict(treebank, inputs))
    else:
        _list(treebank, listing)
    if listing.report is not None:
        with output(listing.report) as stream:
            stream.writelines(_report(treebank, listing.report, inputs))
    for fault in treebank.faults:
        console.say(f"{fault}; the sentence is left as it is, correct its HEAD column")
    if habit := head_changes.habit(treebank):
        console.say(habit)
    console.say(
        f"{'would attach' if listing.check else 'attached'} {head_changes.summary(treebank)}"
    )
    if listing.check and (treebank.changes or treebank.faults):
        raise typer.Exit(console.BAD_INPUT)


def _report(treebank: "NormalisedTreebank", name: str, inputs: Sequence[str]) -> Iterable[str]:
    """Return the parts of a report in the format that its name says."""
    from semipunct.files import display_name, to_json
    from semipunct.render import head_changes

    if name.lower().endswith(".md"):
        return [head_changes.markdown(treebank)]
    if name.lower().endswith((".html", ".htm")):
        from semipunct.render.trees_page import changes_page

        return changes_page(treebank, ", ".join(map(display_name, inputs)))
    return [to_json(head_changes.as_dict(treebank, inputs), indent=2) + "\n"]


def _list(treebank: "NormalisedTreebank", listing: Listing) -> None:
    """List changes, on standard output if nothing else is written there."""
    from semipunct.render import head_changes

    line, governing_line = (
        (head_changes.validator_line, head_changes.validator_governing_line)
        if listing.is_like_validator
        else (head_changes.line, head_changes.governing_line)
    )
    lines = [
        *(line(*change) for change in treebank.changes[: listing.most]),
        *(governing_line(*mark) for mark in treebank.governing[: listing.most]),
    ]
    if listing.check:
        with console.output(console.STANDARD) as stream:
            stream.writelines(f"{each}\n" for each in lines)
    else:
        console.say_all(lines)
    more = len(treebank.changes) + len(treebank.governing) - len(lines)
    if more:
        console.say(f"and {more:,} more, which a higher --max lists")
