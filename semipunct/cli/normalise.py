"""``semipunct normalise``: heads of marks, and derivations with commas, made consistent."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semipunct.treebanks.mark_attachment import NormalisedTreebank


Target = Literal["ccg"]
CommaPlace = Literal["paper", "better"]


class AttachmentRule(StrEnum):
    """The rules of ``trees.principles.Rule``; typer takes no list of a literal type."""

    CONJUNCT = "conjunct"
    UNIT = "unit"
    HIGHEST = "highest"
    PAIR = "pair"


def normalise(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Treebanks in CoNLL-U; derivations with --commas; phrases with --to; '-' for "
            "stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write no trees; list what would change, and exit with 1 if anything."
        ),
    ] = False,
    only: Annotated[
        list[AttachmentRule] | None,
        typer.Option(help="Change heads by this rule only; repeatable."),
    ] = None,
    convention: Annotated[
        Literal["unit", "governor"] | None,
        typer.Option(
            help="Attach marks between units to the unit, as in UD 2, or to its governor, as in "
            "UD 1 [learnt from the input]."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Replace heads that the guidelines allow by those that they prefer."
        ),
    ] = False,
    most: Annotated[
        int | None,
        typer.Option("--max", metavar="N", min=0, help="List at most N changes [20]."),
    ] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the changes as one JSON object; needs --check or -o."),
    ] = False,
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
            metavar="FILE",
            help="Write a report of all changes: a page with pictures of the trees if the name "
            "ends in .html, otherwise JSON.",
        ),
    ] = None,
) -> None:
    """Attach the marks of treebanks, or the commas of derivations, consistently.

    Marks of a treebank in CoNLL-U get the heads that the guidelines of Universal Dependencies say,
    by four rules: a mark between conjuncts belongs to the following one (conjunct), a mark beside a
    dependent unit to the unit (unit), at the highest word that keeps the tree projective (highest),
    and paired marks to the same word (pair). Heads that the guidelines allow, heads of words and
    all other columns are not changed.

    With --to or --commas, phrase-structure trees become derivations of categorial grammar, and
    their commas are attached on one side. Trees that cannot be converted are left out and counted
    by reason. Derivations with a node that no rule licenses are passed through unchanged.
    """
    if rule is not None and commas is None:
        raise UsageError("--rule needs --commas; give --commas ccg as well, or leave out --rule")
    if quotes and to is None:
        raise UsageError("--quotes needs --to; give --to ccg as well, or leave out --quotes")
    if report == console.STANDARD:
        raise UsageError("--report needs the name of a file")
    for_marks = {
        "--check": check, "--only": bool(only), "--convention": convention is not None,
        "--strict": strict, "--max": most is not None,
        "--json": json,
    }  # fmt: skip
    if to is not None or commas is not None:
        if unsupported := [name for name, is_given in for_marks.items() if is_given]:
            raise UsageError(
                f"{unsupported[0]} is for treebanks in CoNLL-U; leave it out, or leave out --to "
                "and --commas"
            )
        _normalise_commas(
            inputs, out or console.STANDARD, to, commas, rule or "better", quotes, report
        )
        return
    if check and out is not None:
        raise UsageError("--check writes no trees; leave out --output, or leave out --check")
    if not check:
        out = out or console.STANDARD
        arguments.check_figures(out, None, printed=json)
    console.check_targets(out, figures=report, inputs=inputs)
    from semipunct.files import output
    from semipunct.formats.conllu.records import write_texts
    from semipunct.treebanks import mark_attachment as heads

    treebank = heads.normalise(
        *inputs, only=[each.value for each in only or ()], convention=convention, strict=strict
    )
    if out is not None:
        with console.output(out) as stream:
            write_texts((sentence.text for sentence in treebank.sentences), stream)
    if json:
        console.print_json(heads.json_object(treebank, inputs))
    else:
        _list(treebank, 20 if most is None else most, is_data=check)
    if report is not None:
        with output(report) as stream:
            stream.writelines(_report(treebank, report, inputs))
    for fault in treebank.faults:
        console.say(f"{fault}; the sentence is left as it is, correct its HEAD column")
    if habit := heads.habit(treebank):
        console.say(habit)
    console.say(f"{'would attach' if check else 'attached'} {heads.summary(treebank)}")
    if check and (treebank.changes or treebank.faults):
        raise typer.Exit(console.BAD_INPUT)


def _report(treebank: "NormalisedTreebank", name: str, inputs: Sequence[str]) -> Iterable[str]:
    """Return the parts of a report in the format that its name says."""
    from semipunct.files import display_name, to_json
    from semipunct.treebanks.mark_attachment import changes_page, json_object

    if name.lower().endswith((".html", ".htm")):
        return changes_page(treebank, ", ".join(map(display_name, inputs)))
    return [to_json(json_object(treebank, inputs), indent=2) + "\n"]


def _list(treebank: "NormalisedTreebank", most: int, *, is_data: bool) -> None:
    """List changes, on standard output if they are the data that the command writes."""
    from semipunct.treebanks.mark_attachment import governing_line, line

    lines = [
        *(line(*change) for change in treebank.changes[:most]),
        *(governing_line(*mark) for mark in treebank.governing[:most]),
    ]
    if is_data:
        with console.output(console.STANDARD) as stream:
            stream.writelines(f"{each}\n" for each in lines)
    else:
        console.say_all(lines)
    if more := len(treebank.changes) + len(treebank.governing) - len(lines):
        console.say(f"and {more:,} more, which a higher --max lists")


def _normalise_commas(
    inputs: Sequence[str],
    out: str,
    to: Target | None,
    commas: Target | None,
    rule: CommaPlace,
    quotes: bool,
    report: str | None,
) -> None:
    """Convert phrases to derivations, or attach the commas of derivations, or both."""
    console.check_targets(out, figures=report, inputs=inputs)
    from semipunct.files import output, to_json
    from semipunct.formats.registry import format_of_grammar

    grammar = format_of_grammar(to or commas or "")
    normalised = grammar.derive(inputs, to=to, commas=commas, rule=rule, quotes=quotes)
    console.say_all(normalised.messages())
    with console.output(out) as stream:
        stream.write(normalised.text)
    if report is not None:
        with output(report) as stream:
            stream.write(to_json(normalised.as_dict(), indent=2) + "\n")
