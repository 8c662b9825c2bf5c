"""The command ``semipunct evaluate``."""

from pathlib import Path
from typing import Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.console import report
from semipunct.cli.phases import phase
from semipunct.errors import UsageError


def evaluate(
    model: Annotated[
        str, arguments.model_argument("A model folder, or derivations of a parser (.auto).")
    ],
    tests: Annotated[
        list[str],
        typer.Argument(
            metavar="TEST...",
            help="Files like those the model was trained on: treebanks in CoNLL-U, text for a text "
            "model, derivations (.auto) and so on; '-' for stdin.",
        ),
    ],
    json: arguments.Json = False,
    result: Annotated[
        str | None, typer.Option(metavar="FILE", help="Store the result for 'semipunct compare'.")
    ] = None,
) -> None:
    """Print the figures of a model on held-out files.

    For models of punctuation this is the perplexity, given words and trees, per slot: a place for
    marks, before each word and at the end of the sentence. For parsers trees, phrases or
    derivations are compared with those of the files; for other models it is the figure by which
    training chooses the best weights. Sentences that no model can process are left out and counted
    by reason. If MODEL is a file of derivations, these are compared with those of TEST.
    """
    if model == console.STANDARD:
        raise UsageError("MODEL cannot be standard input; name a model folder or a file (.auto)")
    arguments.check_figures(None, result, printed=json)
    console.check_targets(figures=result, inputs=(model, *tests), kept=(model,))
    from semipunct.formats import format_of
    from semipunct.formats.base import DerivationFormat

    if isinstance(form := format_of(model), DerivationFormat) and not Path(model).is_dir():
        report(form.compare(model, tests), json=json, path=result)
        return
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.pipelines.evaluation import assess
        from semipunct.pipelines.notices import read_usable_examples
        from semipunct.store.checkpoint import load

    with phase("loading the model"):
        loaded = load(model)
    with phase("reading"):
        kind = loaded.config.kind
        examples = read_usable_examples(loaded.config.examples, tests, kind.unit)
    keep_programs()
    assessment = assess(
        loaded, examples, system=model, digest=loaded.digest, stored=result is not None
    )
    report(assessment, json=json, path=result)
