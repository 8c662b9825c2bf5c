"""The command ``semipunct parse``."""

from typing import Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.run import check_parts, prepare, run
from semipunct.errors import UsageError
from semipunct.pipelines.options import ParseOptions, PartOptions, Request


@with_options
def parse(
    model: Annotated[str, arguments.model_argument("Folder of a parser.")],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="CoNLL-U or text (.txt), and for a parser of phrases also trees in brackets "
            "(.mrg); '-' for stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    options: ParseOptions = ParseOptions(),
    parts: PartOptions = PartOptions(),
    tokeniser: arguments.Tokeniser = None,
    gold: Annotated[
        bool, typer.Option("--gold", help="Evaluate against the trees and tags of the input.")
    ] = False,
    json: arguments.GoldJson = False,
    result: arguments.GoldResult = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Tag words and parse them into dependency trees, or with a parser of phrases into phrases.

    Punctuation is attached by rule. It influences the parse only if the parser was trained with
    model.marks. Tags and trees of the input are ignored; with --gold, those
    of the parser are evaluated against them, without punctuation. A model of the kind beam-parser
    reads the tags and the punctuation of its input (.conllu), and one of the kind ccg-parser
    reads words with tags (.auto) and writes derivations.
    """
    if (json or result) and not gold:
        raise UsageError(f"{'--json' if json else '--result'} needs --gold; give it as well")
    trees, nbest, probabilities = options.trees, options.nbest, options.probabilities
    if trees and nbest:
        raise UsageError("--trees and --nbest cannot be combined; give one of the two")
    if (trees or nbest) and (gold or probabilities):
        raise UsageError(
            f"{'--gold' if gold else '--probabilities'} needs one tree per sentence; leave out "
            "--trees and --nbest"
        )
    arguments.check_helpers(parser=True, tokeniser=tokeniser, gold=gold)
    check_parts(parts, inputs, {"--output": out is not None, "--gold": gold})
    arguments.check_figures(out, result, printed=json)
    console.check_targets(out, figures=result, inputs=inputs, kept=(model, tokeniser))
    task = prepare(model, "parse", options, tokeniser=tokeniser)
    request = Request(inputs=inputs, system=model, gold=gold)
    run(task, request, out=out, parts=parts, json=json, result=result, quiet=quiet)
