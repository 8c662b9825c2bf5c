"""The command ``semipunct explain``."""

from typing import Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.options import with_options
from semipunct.cli.phases import phase
from semipunct.cli.run import read_ahead
from semipunct.errors import UsageError
from semipunct.pipelines.options import ExplainOptions, Request, RestoreOptions, as_correction

Form = Literal["text", "json", "html"]


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
    explaining: ExplainOptions = ExplainOptions(),
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="text: each sentence, and a line for each mark; json: an object for each "
            "sentence; html: one page for a browser.",
        ),
    ] = "text",
    parser: arguments.Parser = None,
    tokeniser: arguments.Tokeniser = None,
    text: arguments.TextModel = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Explain marks, and those that are wrong: probability, alternatives, and the reason.

    The marks that are there are explained, and corrections are shown; with --restore, or by a model
    that does not correct, marks are restored first. A model with trees names the constituent that
    has a mark; a text model gives a reason where the words beside the mark show it, and otherwise
    says what it does.
    """
    arguments.check_helpers(parser=parser is not None, tokeniser=tokeniser, text=text)
    console.check_targets(out, inputs=inputs, kept=(model, parser, tokeniser, text))
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.files import title_of
        from semipunct.pipelines.explained_page import explained_page
        from semipunct.pipelines.explanations import explain_outcomes, lines_of_text, write_json
        from semipunct.pipelines.pipeline import explained_task, load
        from semipunct.pipelines.task import task_of
    with phase("loading the model"):
        nlp = load(model, parser=parser, tokeniser=tokeniser, text_model=text)
        name = explained_task(nlp.model.kind, explaining)
        task_options = options if name == "restore" else as_correction(options)
        if name == "correct" and text is not None:
            raise UsageError("--text is an option of restoration; give --restore as well")
        prepared = task_of(nlp.model, name, model)(nlp.trained, nlp.helpers, task_options)
    keep_programs()
    with phase("reading"):
        documents = prepared.read(Request(inputs=inputs, system=model))
        first, entries = read_ahead(documents.entries)
    writer = prepared.writer(documents, first)
    with sentence_progress("explaining", out or console.STANDARD, quiet=quiet) as advancing:
        outcomes = advancing(prepared.answer(entries))
        explained = explain_outcomes(nlp.trained, outcomes, writer, explaining.left_out)
        with console.output(out or console.STANDARD) as stream:
            if form == "json":
                write_json(explained, stream)
            elif form == "html":
                title = title_of("Marks explained", inputs)
                stream.writelines(explained_page(explained, title))
            else:
                stream.writelines(lines_of_text(explained))
    console.say_all(prepared.messages())
