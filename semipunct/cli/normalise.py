"""``semipunct normalise``: convert phrases to derivations, and attach commas consistently."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError
from semipunct.wording import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semipunct.formats.ccgbank import AutoRecord
    from semipunct.tasks.normalise import Normalised

_LISTED = 5  # places listed in a message


class Target(StrEnum):
    """The grammars of derivations."""

    CCG = "ccg"


class CommaPlace(StrEnum):
    """The rules for the place of a comma."""

    PAPER = "paper"
    BETTER = "better"


def normalise(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="IN...", help="Derivations, or phrases with --to; '-' for stdin."),
    ],
    out: arguments.Output = console.STANDARD,
    to: Annotated[
        Target | None,
        typer.Option(help="Convert phrase-structure trees of the Penn Treebank to derivations."),
    ] = None,
    commas: Annotated[
        Target | None,
        typer.Option(help="Attach every absorbed comma to the constituent before it."),
    ] = None,
    rule: Annotated[
        CommaPlace | None,
        typer.Option(
            help="With --commas: attach it as high as possible (paper), or as high as possible "
            "without a new rule (better) [better]."
        ),
    ] = None,
    quotes: Annotated[
        bool, typer.Option("--quotes", help="Keep quotation marks, which CCGbank leaves out.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a report of the conversion and of moved commas as JSON."
        ),
    ] = None,
) -> None:
    """Convert phrase-structure trees to CCG derivations, and attach their commas consistently.

    Trees that cannot be converted are left out and counted by reason. Derivations with a node that
    no rule licenses are passed through unchanged. Words, categories and dependencies are preserved.
    """
    if to is None and commas is None:
        raise UsageError("there is nothing to do; give --to ccg, --commas ccg or both")
    if rule is not None and commas is None:
        raise UsageError("--rule needs --commas; give --commas ccg as well, or leave out --rule")
    place = CommaPlace.BETTER if rule is None else rule
    if quotes and to is None:
        raise UsageError("--quotes needs --to; give --to ccg as well, or leave out --quotes")
    if report == console.STANDARD:
        raise UsageError("--report needs the name of a file")
    console.check_targets(out, figures=report, inputs=inputs)
    from semipunct.files import output, to_json
    from semipunct.tasks.normalise import normalise as run

    normalised = run(
        *inputs,
        to=None if to is None else to.value,
        commas=None if commas is None else commas.value,
        rule=place.value,
        quotes=quotes,
    )
    _tell(normalised)
    with console.output(out) as stream:
        stream.write(normalised.text)
    if report is not None:
        with output(report) as stream:
            stream.write(to_json(normalised.as_dict(), indent=2) + "\n")


def _tell(normalised: "Normalised") -> None:
    """Say what was left out, converted and moved."""
    from semipunct.formats.verbatim import malformed_entry
    from semipunct.tasks.notices import Omissions

    omitted = Omissions("left out")
    for record in normalised.malformed:
        omitted.count(malformed_entry(record).content)
    console.say_all(omitted.messages())
    if counts := normalised.conversion:
        share = counts.converted / counts.trees
        console.say(
            f"converted {counts.converted:,} of {quantity(counts.trees, 'tree')} ({share:.1%})"
        )
        if counts.reasons:
            console.say(f"left out {quantity(counts.reasons.total(), 'tree')}: {counts.told}")
    if moved := normalised.commas:
        _tell_faults(moved.unlicensed)
        before, after = moved.before, moved.after
        console.say(
            f"commas absorbed from the left: {before.left.total():,} before, "
            f"{after.left.total():,} after; from the right: {before.right.total():,} and "
            f"{after.right.total():,}; absorption rules: {before.absorption_rules} and "
            f"{after.absorption_rules}"
        )


def _tell_faults(wrong: "Sequence[tuple[AutoRecord, str]]") -> None:
    for record, rule in wrong[:_LISTED]:
        console.say(
            f"{record.path}:{record.line}: sentence {record.sentence_id}: no rule licenses {rule}; "
            "the derivation is left unchanged"
        )
    if len(wrong) > _LISTED:
        console.say(f"and {quantity(len(wrong) - _LISTED, 'more derivation')} of this kind")
