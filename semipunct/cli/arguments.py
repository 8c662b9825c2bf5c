"""Arguments and options shared by several commands, and checks of their combination."""

from typing import Annotated, Any

import typer

from semipunct.errors import UsageError
from semipunct.files import STANDARD


def complete_models(incomplete: str) -> list[str]:
    """Complete the name of an installed model or package."""
    from semipunct.store.installed import installed_models

    parts = [model.name for model in installed_models()]
    names = dict.fromkeys([*(name.partition("/")[0] for name in parts), *parts])
    return [name for name in names if name.startswith(incomplete)]


_OUTPUT = typer.Option("-o", "--output", metavar="OUT", help="Output file, '-' for stdout.")


def model_argument(description: str, metavar: str = "MODEL") -> Any:
    """Return an argument that names a model."""
    return typer.Argument(metavar=metavar, help=description, autocompletion=complete_models)


def model_option(description: str, metavar: str = "MODEL", *names: str) -> Any:
    """Return an option that names a model."""
    return typer.Option(*names, metavar=metavar, help=description, autocompletion=complete_models)


Model = Annotated[str, model_argument("A model folder, or the name of an installed model.")]
Treebanks = Annotated[
    list[str], typer.Argument(metavar="IN...", help="Treebanks in CoNLL-U, '-' for stdin.")
]
Dev = Annotated[
    list[str],
    typer.Option(
        metavar="DEV", help="Development treebank, to select the best weights; repeatable."
    ),
]
Settings = Annotated[str | None, typer.Option(metavar="TOML", help="File with settings.")]
Output = Annotated[str, _OUTPUT]
OptionalOutput = Annotated[str | None, _OUTPUT]
Parser = Annotated[
    str | None,
    model_option(
        "Folder of a parser. The input may then be text, or words without trees; trees in the "
        "input are ignored.",
        "PARSER",
    ),
]
Tokeniser = Annotated[
    str | None,
    model_option(
        "Folder of a tokeniser, which splits running text into sentences, words and marks. "
        "Without it, each line is a sentence, and blanks separate words and marks.",
        "TOKENISER",
    ),
]
TextModel = Annotated[
    str | None,
    model_option(
        "With --parser: folder of a text model, which finds the sentences and capitals of "
        "running text, and whose marks are averaged with those of the punctuation model.",
        "TEXTMODEL",
        "--text",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
GoldJson = Annotated[bool, typer.Option("--json", help="With --gold: print one JSON object.")]
GoldResult = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="With --gold: store the result for 'semipunct compare'."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Show no progress on a terminal.")]


def check_helpers(
    *, parser: bool, tokeniser: str | None, text: str | None = None, gold: bool = False
) -> None:
    """Check that other models for running text have a parser and different roles."""
    if tokeniser is not None and (not parser or gold):
        raise UsageError(
            "--tokeniser reads text, which has no trees; "
            + ("--gold needs a treebank to compare with" if gold else "give --parser as well")
        )
    if text is not None and not parser:
        raise UsageError(
            "--text adds a text model to a punctuation model and a parser; give --parser as well, "
            "or name the text model as MODEL to use it alone"
        )
    if text is not None and tokeniser:
        raise UsageError("--text finds sentences and capitals itself; leave out --tokeniser")


def check_figures(out: str | None, result: str | None, *, printed: bool) -> None:
    """Check that figures and other output do not go to the same place."""
    if printed and out == STANDARD:
        raise UsageError(
            "--json and --output - cannot both write to standard output; give --output the name of "
            "a file"
        )
    if result == STANDARD:
        raise UsageError("--result needs the name of a file; to print the figures give --json")
