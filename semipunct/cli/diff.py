"""The command ``semipunct diff``."""

from typing import Annotated

import typer

from semipunct.cli import console


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A treebank in CoNLL-U; '-' for stdin.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another annotation of the same text.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print the differences as one JSON object.")
    ] = False,
) -> None:
    """Compare the punctuation of two annotations: marks, heads of marks, spaces.

    Both must have the same sentences in the same order, with the same words. Heads of marks are
    compared as words, so a mark more or less before them makes no difference; words are not
    compared otherwise. The exit status is 1 if anything differs.
    """
    console.check_targets(inputs=(a, b))
    from semipunct.treebanks import differences as annotations

    treebanks = annotations.diff(a, b)
    if json:
        console.print_json(annotations.json_object(treebanks))
    else:
        with console.output(console.STANDARD) as stream:
            stream.writelines(
                f"{annotations.line(treebanks, each)}\n" for each in treebanks.differences
            )
        console.say(annotations.summary(treebanks))
    if treebanks.differences:
        raise typer.Exit(console.BAD_INPUT)
