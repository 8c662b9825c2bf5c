"""The command ``semipunct suspects``."""

from typing import Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.phases import phase
from semipunct.errors import UsageError
from semipunct.wording import quantity


def suspects(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="The number of suspects.")
    ] = 100,
    form: Annotated[
        Literal["text", "tsv", "json", "conllu", "html"],
        typer.Option(
            "--format",
            help="text: a line for each; tsv; json; conllu: all sentences, with the attribute "
            "Suspect in MISC; html: one page for a browser, with a picture of each tree.",
        ),
    ] = "text",
) -> None:
    """List the marks of treebanks that are probably wrong, and where marks are probably missing.

    A mark is judged by the probability of other strings in its slot (place between words), given
    all other marks of the sentence, under a punctuation model or a slot tagger. Brackets and
    quotation marks without a partner, heads that the guidelines of Universal Dependencies do not
    allow and unusual spaces are ranked in the same list, by how unusual they are in the treebank.
    """
    if form in ("conllu", "html") and console.STANDARD in inputs:
        raise UsageError(
            f"--format {form} reads the input twice, and standard input can be read only once; "
            "name a file"
        )
    console.check_targets(out, inputs=inputs, kept=(model,))
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.progress import counted_progress
        from semipunct.files import to_json
        from semipunct.formats.conllu.records import write_texts
        from semipunct.store.checkpoint import load
        from semipunct.treebanks import suspicions as marks

    with phase("loading the model"):
        loaded = load(model)
    keep_programs()
    with counted_progress("strings compared") as report:
        listed = marks.suspects(loaded, *inputs, top=top, report=report)
    # Before the file is opened for writing: it may be one of the inputs.
    if form == "conllu":
        texts = list(marks.annotate(listed, inputs))
    elif form == "html":
        texts = list(marks.suspects_page(listed, inputs, loaded))
    elif form == "json":
        texts = [to_json(marks.json_object(listed, inputs), indent=2) + "\n"]
    elif form == "tsv":
        rows = ("\t".join(marks.HEADINGS), *map(marks.columns, listed))
        texts = [f"{row}\n" for row in rows]
    else:
        texts = [f"{marks.line(suspect)}\n" for suspect in listed]
    with console.output(out) as stream:
        if form == "conllu":
            write_texts(texts, stream)
        else:
            stream.writelines(texts)
    console.say(f"{quantity(len(listed), 'suspect')}, the most suspicious first")
