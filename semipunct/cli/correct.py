"""The command ``semipunct correct``."""

from typing import Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.run import check_parts, prepare, run
from semipunct.errors import UsageError
from semipunct.pipelines.options import CorrectedForm, CorrectOptions, PartOptions, Request

# Default number of errors to list.
ERRORS = 10


@with_options
def correct(
    model: Annotated[
        str, arguments.model_argument("Folder of a model of --kind correction or text.")
    ],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Treebanks in CoNLL-U, or text with --parser; text, one paragraph a line, with a "
            "text model; '-' for stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    options: CorrectOptions = CorrectOptions(),
    parts: PartOptions = PartOptions(),
    parser: arguments.Parser = None,
    tokeniser: arguments.Tokeniser = None,
    analysis: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Folder of a punctuation model of uncorrected text. It finds the underlying trees "
            "that a correction model with preset paper-correction needs.",
        ),
    ] = None,
    form: Annotated[
        CorrectedForm | None,
        typer.Option(
            "--format",
            help="text; conllu with trees; json with each correction and its reason; "
            "diff of the changed sentences; m2 for scorers [format "
            "of the input].",
        ),
    ] = None,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOLD",
            help="Evaluate against a corrected version of the whole input; repeatable for several "
            "references. An M2 file contains one reference per annotator.",
        ),
    ] = None,
    align: Annotated[
        Literal["words", "trees", "shared"] | None,
        typer.Option(
            help="With --gold: words: all words must agree; trees: all heads must agree; shared: "
            "evaluate only slots between words that both versions share [words]."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="With --gold: print the figures as one JSON object.")
    ] = False,
    errors: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="With --gold: list the N most frequent errors [10]."),
    ] = None,
    result: arguments.GoldResult = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Correct the punctuation of treebanks, or of text with --parser or with a text model.

    Only punctuation is changed: words, line breaks and the spaces around unchanged marks are
    preserved. With --gold, the figures are printed to standard output, and corrected sentences are
    written only if --output names a file.
    """
    if (json or result) and not gold:
        raise UsageError(
            f"{'--json' if json else '--result'} needs --gold; give --gold as well (for "
            "corrections as JSON, give --format json instead)"
        )
    if (align is not None or errors is not None) and not gold:
        raise UsageError(
            f"{'--align' if align is not None else '--errors'} needs --gold; give --gold as well, "
            "or leave it out"
        )
    if form is not None and gold and out is None:
        raise UsageError(
            "--format has no effect with --gold alone, as corrected sentences are written only to "
            "the file of --output; give --output as well"
        )
    arguments.check_helpers(parser=parser is not None, tokeniser=tokeniser)
    if options.analyses and analysis is None:
        raise UsageError("--analyses needs --analysis, the model of the trees; give it as well")
    check_parts(parts, inputs, {"--output": out is not None, "--gold": bool(gold)})
    arguments.check_figures(out, result, printed=json)
    console.check_targets(
        out,
        figures=result,
        inputs=(*inputs, *(gold or ())),
        kept=(model, *(gold or ()), parser, tokeniser, analysis),
    )
    task = prepare(model, "correct", options, parser=parser, tokeniser=tokeniser, analysis=analysis)
    request = Request(
        inputs=inputs, system=model, form=form, references=gold or (), align=align or "words",
        listed=ERRORS if errors is None else errors,
    )  # fmt: skip
    run(task, request, out=out, parts=parts, json=json, result=result, quiet=quiet)
