"""The command ``semipunct decode``."""

from typing import Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.phases import phase
from semipunct.cli.run import check_parts, prepare, run
from semipunct.pipelines.options import DecodedForm, DecodeOptions, PartOptions, Request


@with_options
def decode(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    options: DecodeOptions = DecodeOptions(),
    parts: PartOptions = PartOptions(),
    form: Annotated[
        DecodedForm,
        typer.Option(
            "--format",
            help="conllu: the input with added attributes; brackets: one tree per line, after "
            "three columns if a sentence has several trees; json: one object per line; svg: a "
            "picture of all trees; html: one page with a picture of each tree, for a browser.",
        ),
    ] = "conllu",
    quiet: arguments.Quiet = False,
) -> None:
    """Find the underlying punctuation tree of each sentence, with its log-probabilities.

    They are that of the marks given the tree of words (log likelihood), of underlying tree and
    marks together (log joint), and of the underlying tree given the marks (log posterior).
    Sentences that the model cannot process are passed through and counted.
    """
    with phase("importing"):
        from semipunct.marks import legend
        from semipunct.pipelines.decoding import choose_decoder

    decoder = choose_decoder(options)
    check_parts(
        parts,
        inputs,
        {
            "--output": out != console.STANDARD, f"--format {form}": form in ("svg", "html"),
            # A thousand sentences share one seed.
            f"--semiring {options.semiring}": decoder.label == "sample",
        }
    )  # fmt: skip
    console.check_targets(out, inputs=inputs, kept=(model,))
    task = prepare(model, "decode", options)
    run(task, Request(inputs=inputs, form=form), out=out, parts=parts, quiet=quiet)
    if explanation := legend(task.shown):
        console.say(explanation)
