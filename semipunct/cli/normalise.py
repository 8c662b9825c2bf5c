"""The command ``semipunct normalise``."""

from enum import StrEnum
from typing import Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError

Target = Literal["ccg"]
CommaPlace = Literal["paper", "better"]


class AttachmentRule(StrEnum):
    """``trees.principles.Rule`` as an enumeration for typer."""

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
            "--check",
            help="Write the changes in place of the trees, and exit with 1 if there are any.",
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
    form: Annotated[
        Literal["text", "json", "html"],
        typer.Option(
            "--format",
            help="Form of the changes: text: a line for each; json: one object; html: one page for "
            "a browser, with pictures of the trees. They go to standard output, or with --check to "
            "--output; text beside trees goes to standard error.",
        ),
    ] = "text",
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
    if not check and form != "text" and (out is None or out == console.STANDARD):
        raise UsageError(
            f"--format {form} and the trees cannot both go to standard output; give --output the "
            "name of a file"
        )
    console.check_targets(out, inputs=inputs)
    if to is not None or commas is not None:
        for_marks = {
            "--check": check,
            "--only": bool(only),
            "--convention": convention is not None,
            "--strict": strict,
            "--max": most is not None,
            "--format html": form == "html",
        }
        if unsupported := [name for name, is_given in for_marks.items() if is_given]:
            raise UsageError(
                f"{unsupported[0]} is for treebanks in CoNLL-U; leave it out, or leave out --to "
                "and --commas"
            )
        from semipunct.formats.registry import format_of_grammar

        grammar = format_of_grammar(to or commas or "")
        normalised = grammar.derive(
            inputs, to=to, commas=commas, rule=rule or "better", quotes=quotes
        )
        console.say_all(normalised.messages())
        with console.output(out or console.STANDARD) as stream:
            stream.write(normalised.text)
        if form == "json":
            console.print_json(normalised.as_dict())
        return
    from semipunct.files import title_of, to_json
    from semipunct.formats.conllu.records import write_texts
    from semipunct.treebanks import mark_attachment as heads

    treebank = heads.normalise(
        *inputs, only=[each.value for each in only or ()], convention=convention, strict=strict
    )
    if not check:
        with console.output(out or console.STANDARD) as stream:
            write_texts((sentence.text for sentence in treebank.sentences), stream)
    listed = 20 if most is None else most
    shown = [
        *(heads.line(*change) for change in treebank.changes[:listed]),
        *(heads.governing_line(*mark) for mark in treebank.governing[:listed]),
    ]
    if form == "text" and not check:
        console.say_all(shown)
    else:
        texts = (f"{each}\n" for each in shown)
        if form == "json":
            texts = [to_json(heads.json_object(treebank, inputs), indent=2) + "\n"]
        elif form == "html":
            texts = heads.changes_page(treebank, title_of("Changed heads of marks", inputs))
        with console.output(out or console.STANDARD if check else console.STANDARD) as stream:
            stream.writelines(texts)
    more = len(treebank.changes) + len(treebank.governing) - len(shown)
    if form == "text" and more:
        console.say(f"and {more:,} more, which a higher --max lists")
    for fault in treebank.faults:
        console.say(f"{fault}; the sentence is left as it is, correct its HEAD column")
    if habit := heads.habit(treebank):
        console.say(habit)
    console.say(f"{'would attach' if check else 'attached'} {heads.summary(treebank)}")
    if check and (treebank.changes or treebank.faults):
        raise typer.Exit(console.BAD_INPUT)
