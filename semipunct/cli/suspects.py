"""``semipunct suspects``: suspicious marks of treebanks, the most suspicious first."""

from typing import Annotated, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.timings import phase
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
        from semipunct.cli.compiling import keep_programs
        from semipunct.files import to_json
        from semipunct.formats.conllu.records import write_texts
        from semipunct.pipelines.functions import suspects as find_suspects
        from semipunct.render import suspects as render
        from semipunct.store.checkpoint import load

    with phase("loading the model"):
        loaded = load(model)
    keep_programs()
    listed = find_suspects(loaded, *inputs, top=top)
    # Before the file is opened for writing: it may be one of the inputs.
    if form == "conllu":
        texts = list(render.annotate(listed, inputs))
    elif form == "html":
        from semipunct.files import display_name
        from semipunct.render.trees_page import suspects_page
        from semipunct.tasks.suspects import sentences_of, underlying_trees

        trees = sentences_of(listed, inputs), underlying_trees(loaded, listed)
        texts = list(suspects_page(listed, *trees, ", ".join(map(display_name, inputs))))
    elif form == "json":
        texts = [to_json(render.as_dict(listed, inputs), indent=2) + "\n"]
    elif form == "tsv":
        rows = ("\t".join(render.HEADINGS), *map(render.columns, listed))
        texts = [f"{row}\n" for row in rows]
    else:
        texts = [f"{render.line(suspect)}\n" for suspect in listed]
    with console.output(out) as stream:
        if form == "conllu":
            write_texts(texts, stream)
        else:
            stream.writelines(texts)
    console.say(f"{quantity(len(listed), 'suspect')}, the most suspicious first")
