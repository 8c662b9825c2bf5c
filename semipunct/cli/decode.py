"""``semipunct decode``: the underlying tree of each sentence of a treebank."""

from typing import Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.arguments import complete_semirings
from semipunct.cli.options import with_options
from semipunct.cli.parts import check_parts, run_parts
from semipunct.cli.phases import phase
from semipunct.tasks import limits
from semipunct.tasks.options import DecodedForm, PartOptions


@with_options
def decode(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    parts: PartOptions = PartOptions(),
    semiring: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_semirings,
            help="viterbi: the best tree; kbest: the k best trees; sampling: trees drawn from "
            "the posterior; or another one of 'semipunct semirings list'.",
        ),
    ] = "viterbi",
    samples: Annotated[
        int | None,
        typer.Option(
            min=1, max=limits.TREES, help="With sampling: number of trees per sentence [1]."
        ),
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(
            min=1, max=limits.RANKS, help="With kbest: number of different trees per sentence [4]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With sampling: random seed.")] = 0,
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
        from semipunct.tasks.decode import choose_decoder

    decoder = choose_decoder(semiring, samples, nbest, seed)
    check_parts(
        parts,
        inputs,
        {
            "--output": out != console.STANDARD, f"--format {form}": form in ("svg", "html"),
            # A thousand sentences share their random numbers.
            f"--semiring {semiring}": decoder.draws,
        }
    )  # fmt: skip
    console.check_targets(out, inputs=inputs, kept=(model,))
    with phase("importing"):
        from semipunct.batches.commands.decode import DecodeTask
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.formats import format_of
        from semipunct.marks import legend

    task = DecodeTask(
        model=model, semiring=semiring, samples=samples, nbest=nbest, seed=seed, form=form
    )
    with phase("loading the model"):
        work = task.prepare(inputs)
    keep_programs()
    writer = format_of(*inputs).writer()
    if parts.folder is not None:
        run_parts(parts, task, work, writer, inputs=inputs, quiet=quiet)
        return
    with (
        console.output(out) as stream,
        sentence_progress("decoding", out, quiet=quiet) as advancing,
    ):
        shown = task.write_trees(advancing(work.answer(work.entries)), stream, writer, inputs)
    console.say_all(work.messages())
    if explanation := legend(shown):
        console.say(explanation)
