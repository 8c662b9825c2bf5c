"""``semipunct evaluate``: the perplexity of punctuation, and the accuracy of derivations."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.timings import phase
from semipunct.errors import UsageError

if TYPE_CHECKING:
    from semipunct.corpus import Treebank
    from semipunct.evaluation.metric import Figures
    from semipunct.evaluation.results import Result


def evaluate(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model folder, or derivations of a parser (.auto)."),
    ],
    tests: Annotated[
        list[str],
        typer.Argument(
            metavar="TEST...", help="Treebanks in CoNLL-U, or derivations (.auto); '-' for stdin."
        ),
    ],
    json: arguments.Json = False,
    result: Annotated[
        str | None, typer.Option(metavar="FILE", help="Store the result for 'semipunct compare'.")
    ] = None,
) -> None:
    """Print the perplexity of the punctuation, given words and trees.

    The perplexity is per slot: a place for marks, before each word and at the end of the
    sentence. Sentences that no model can process are left out and counted by reason. If MODEL
    is a file of derivations, evaluate its dependencies and categories against those of TEST.
    """
    if model == console.STANDARD:
        raise UsageError("MODEL cannot be standard input; name a model folder or a file (.auto)")
    arguments.check_figures(None, result, printed=json)
    console.check_targets(figures=result, inputs=(model, *tests), kept=(model,))
    from semipunct.cli.derivations import evaluate_derivations, holds_derivations

    if holds_derivations(model):
        evaluate_derivations(model, tests, json=json, path=result)
        return
    with phase("importing"):
        from semipunct.cli.compiling import keep_programs
        from semipunct.cli.treebanks import omissions, tell_unseen, usable
        from semipunct.store.checkpoint import load
        from semipunct.tasks.evaluate import evaluate as measure

    with phase("loading the model"):
        loaded = load(model)
    with phase("reading"):
        treebank = usable(tests)
    keep_programs()
    tell_unseen(loaded.model, treebank.sentences)
    found = measure(loaded, treebank.sentences, system=model, model_digest=loaded.digest)
    if result:
        from semipunct.evaluation.results import write_result

        write_result(result, found)
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import Evaluated

        console.print_json(output(Evaluated, as_dict(found, treebank)))
        return
    _print_table(found.figures, found.signature, treebank)
    if treebank.omitted:
        console.say(omissions(treebank))


def as_dict(found: "Result", treebank: "Treebank") -> dict[str, Any]:
    """Return the output as values for JSON; null stands for an infinite figure.

    Args:
        found: the figures of the sentences that were evaluated.
        treebank: these sentences and those left out.
    """
    figures = found.figures.as_dict()
    return {
        "perplexity": figures["perplexity"],
        "log_likelihood": figures["log_likelihood"],
        "slots": figures["slots"],
        "sentences": figures["sentences"],
        "omitted": treebank.omitted_by_reason(),
        "unscorable": figures["unscorable"],
        "perplexity_of_scorable": figures["perplexity_of_scorable"],
        "projectivised": treebank.projectivised,
        "signature": found.signature,
    }


def _print_table(found: "Figures", signature: str, treebank: "Treebank") -> None:
    rows: list[tuple[str, str]] = []
    for name, value in found.rows():
        rows.append((name, value))
        if name == "sentences":
            rows.append(("  made projective", f"{treebank.projectivised:,}"))
    console.print_figures(rows, signature)
