"""The command ``semipunct restore``."""

from dataclasses import replace
from typing import Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.run import check_parts, prepare, run
from semipunct.errors import UsageError
from semipunct.pipelines.options import PartOptions, Request, RestoredForm, RestoreOptions


@with_options
def restore(
    model: arguments.Model,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Treebanks in CoNLL-U, or trees in brackets for a comma model; with --parser "
            "also text; '-' for stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    options: RestoreOptions = RestoreOptions(),
    parts: PartOptions = PartOptions(),
    parser: Annotated[
        list[str] | None,
        arguments.model_option(
            "Folder of a parser. The input may then be text, or words without trees; trees "
            "in the input are ignored. For several parsers repeat the option, or name a folder of "
            "parsers, such as that of jackknife --models.",
            "PARSER",
        ),
    ] = None,
    tokeniser: arguments.Tokeniser = None,
    text: arguments.TextModel = None,
    form: Annotated[
        RestoredForm | None,
        typer.Option(
            "--format",
            help="conllu with inserted tokens, text, or json with probabilities [conllu; text for "
            "text with a text model].",
        ),
    ] = None,
    gold: Annotated[
        bool, typer.Option("--gold", help="Evaluate against the punctuation of the input.")
    ] = False,
    json: arguments.GoldJson = False,
    confusions: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="With --gold: list the N confusions with most edits."
        ),
    ] = 0,
    result: arguments.GoldResult = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Restore the punctuation of trees, or of text with --parser or a text model.

    By default, punctuation of text is kept, and punctuation of other input is removed first (see
    --keep). Words are not changed, except for capitals by a text model. With --gold, the figures
    are printed to standard output, and restored sentences are written only if --output names a
    file.
    """
    if (json or result or confusions) and not gold:
        option = "--json" if json else "--result" if result else "--confusions"
        raise UsageError(
            f"{option} needs --gold; give --gold as well (for restored sentences as JSON, give "
            "--format json instead)"
        )
    if options.trees and not parser:
        raise UsageError("--trees needs --parser, from which trees are drawn; give it as well")
    if options.share is not None and not parser:
        raise UsageError("--parser-share needs --parser; give it as well")
    arguments.check_helpers(parser=bool(parser), tokeniser=tokeniser, text=text, gold=gold)
    if options.mistaken != RestoreOptions().mistaken and options.keep != "repair":
        raise UsageError("--mistaken needs --keep repair; give it, or leave out --mistaken")
    if options.nbest and (form != "json" or (gold and out is None)):
        raise UsageError(
            "--nbest needs restored sentences as JSON: give --format json (with --gold also "
            "--output)"
        )
    check_parts(parts, inputs, {"--output": out is not None, "--gold": gold})
    arguments.check_figures(out, result, printed=json)
    console.check_targets(
        out, figures=result, inputs=inputs, kept=(model, *(parser or ()), tokeniser, text)
    )
    if gold:
        # Kept marks cannot be evaluated against themselves.
        options = replace(options, keep=options.keep or "replace")
    task = prepare(model, "restore", options, parser=parser, tokeniser=tokeniser, text_model=text)
    request = Request(inputs=inputs, system=model, form=form, gold=gold, listed=confusions)
    run(task, request, out=out, parts=parts, json=json, result=result, quiet=quiet)
