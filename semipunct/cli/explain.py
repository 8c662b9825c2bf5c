"""``semipunct explain``: why marks stand, are inserted, removed or left out."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.phases import phase
from semipunct.cli.run import read_ahead
from semipunct.errors import UsageError
from semipunct.pipelines import limits
from semipunct.pipelines.options import Request, RestoreOptions, as_correction

if TYPE_CHECKING:
    from semipunct.pipelines.explanations import Explanation

Form = Literal["text", "json", "html"]
"""The formats that explanations are written in."""


@with_options
def explain(
    model: arguments.Model,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Text, one paragraph a line, for a text model; treebanks in CoNLL-U for others, "
            "or text with --parser; '-' for stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    options: RestoreOptions = RestoreOptions(),
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="text: each sentence, and a line for each mark; json: an object for each "
            "sentence; html: one page for a browser.",
        ),
    ] = "text",
    task: Annotated[
        Literal["restore", "correct"] | None,
        typer.Option(
            help="restore: insert marks, and keep those of a text; correct: change those that "
            "are wrong [correct for a model of --kind correction, otherwise restore]."
        ),
    ] = None,
    left_out: Annotated[
        float,
        typer.Option(
            "--left-out",
            metavar="P",
            min=0,
            max=1,
            help="List marks that were left out if their probability is at least P.",
        ),
    ] = limits.LEFT_OUT,
    parser: arguments.Parser = None,
    tokeniser: arguments.Tokeniser = None,
    text: arguments.TextModel = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Explain marks: probability, alternatives, and the reason in the words of a style guide.

    Marks are restored or corrected first, as by those commands. A model with trees names the
    constituent that has a mark; a text model gives a reason where the words beside the mark show
    it, and otherwise says what it does.
    """
    arguments.check_helpers(parser=parser is not None, tokeniser=tokeniser, text=text)
    console.check_targets(out, inputs=inputs, kept=(model, parser, tokeniser, text))
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.pipelines.explanations import explain_outcomes
        from semipunct.pipelines.pipeline import load
        from semipunct.pipelines.task import task_of, tasks_of
    with phase("loading the model"):
        pipeline = load(model, parser=parser, tokeniser=tokeniser, text_model=text)
        name = task or ("restore" if tasks_of(pipeline.model.kind).restore else "correct")
        task_options = options if name == "restore" else as_correction(options)
        if name == "correct" and text is not None:
            raise UsageError("--text is an option of restoration; leave it out to correct")
        prepared = task_of(pipeline.model, name, model)(pipeline, pipeline.helpers, task_options)
    keep_programs()
    with phase("reading"):
        documents = prepared.read(Request(inputs=inputs, system=model))
        first, entries = read_ahead(documents.entries)
    writer = prepared.writer(documents, first)
    with sentence_progress("explaining", out or console.STANDARD, quiet=quiet) as advancing:
        outcomes = advancing(prepared.answer(entries))
        write(explain_outcomes(pipeline, outcomes, writer, left_out), form, inputs, out)
    console.say_all(prepared.messages())


def write(
    explanations: "Iterator[Explanation]", form: Form, inputs: Sequence[str], out: str | None
) -> None:
    """Write explanations in a format.

    Args:
        explanations: the sentences.
        form: of the output.
        inputs: the files, which name the page.
        out: the output file; None for standard output.
    """
    from semipunct.files import display_name
    from semipunct.pipelines.explained_page import explained_page
    from semipunct.pipelines.explanations import lines_of_text, write_json

    with console.output(out or console.STANDARD) as stream:
        if form == "json":
            write_json(explanations, stream)
        elif form == "html":
            title = ", ".join(map(display_name, inputs))
            stream.writelines(explained_page(explanations, title))
        else:
            stream.writelines(lines_of_text(explanations))
