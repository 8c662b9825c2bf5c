"""``semipunct restore``: restore the punctuation of trees and text."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.arguments import complete_models
from semipunct.cli.options import with_options
from semipunct.cli.parts import check_parts, run_parts
from semipunct.cli.phases import phase
from semipunct.cli.run import read_ahead, run
from semipunct.errors import UsageError
from semipunct.tasks import limits
from semipunct.tasks.options import Objective, PartOptions, RestoredForm, RestoreOptions

if TYPE_CHECKING:
    from semipunct.tasks.restoration import Restoration
    from semipunct.tasks.run import Outcome


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
        typer.Option(
            metavar="PARSER",
            autocompletion=complete_models,
            help="Folder of a parser. The input may then be text, or words without trees; trees "
            "in the input are ignored. For several parsers repeat the option, or name a folder of "
            "parsers, such as that of jackknife --models.",
        ),
    ] = None,
    trees: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=limits.TREES,
            help="With --parser: draw K trees per sentence from each parser instead of using the "
            "best one.",
        ),
    ] = 0,
    share: Annotated[
        float | None,
        typer.Option(
            "--parser-share",
            metavar="W",
            min=0,
            max=1,
            help="With --parser: weight of the marks that the parser itself predicts between "
            "words, without a tree, and of those of --text (in texts of the latter alone); 0 for "
            "the punctuation model alone [0.3 for a model of the preset parsed, 0.6 for others; "
            "with --text 0.7].",
        ),
    ] = None,
    tokeniser: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENISER",
            autocompletion=complete_models,
            help="With --parser: folder of a tokeniser, which splits running text into sentences "
            "and words. Without it, each line is a sentence, and blanks separate words.",
        ),
    ] = None,
    text: arguments.TextModel = None,
    lines: arguments.LineEnds = None,
    lower: Annotated[
        bool,
        typer.Option(
            "--lower",
            help="With a text model: read all words in lower case, as in a transcript, and restore "
            "their capitals.",
        ),
    ] = False,
    objective: Annotated[
        Objective | None,
        typer.Option(
            help="With a text model: optimise the F1 of marks, or the number of edits [f1; for "
            "treebanks with --text edits]."
        ),
    ] = None,
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
    if trees and not parser:
        raise UsageError("--trees needs --parser, from which trees are drawn; give it as well")
    if share is not None and not parser:
        raise UsageError("--parser-share needs --parser; give it as well")
    if tokeniser is not None and (not parser or gold):
        raise UsageError(
            "--tokeniser reads text, which has no trees; "
            + ("--gold needs a treebank to compare with" if gold else "give --parser as well")
        )
    arguments.check_text_model(text, parser=bool(parser), tokeniser=tokeniser is not None)
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
    with phase("importing"):
        from semipunct.batches.commands.restore import RestoreTask
        from semipunct.cli.phases import keep_programs
        from semipunct.store.folder import model_folders
        from semipunct.store.installed import folder_of

    if gold:
        # Marks that stay cannot be compared with themselves.
        options = replace(options, keep=options.keep or "replace")
    task = RestoreTask(
        model=model,
        settings=options,
        parsers=tuple(str(f) for path in parser or () for f in model_folders(folder_of(path))),
        tokeniser=tokeniser,
        text_model=text,
        trees=trees,
        share=share,
        lines=lines,
        objective=objective,
        lower=lower,
        form=form,
    )
    with phase("loading the model"):
        work = task.prepare(inputs, gold=gold, confusions=confusions)
    keep_programs()
    with phase("reading"):
        first, entries = read_ahead(work.entries, in_parts=parts.folder is not None)
    work, writer = replace(work, entries=entries), work.format.writer(first)
    if parts.folder is not None:
        run_parts(parts, task, work, writer, inputs=inputs, quiet=quiet)
        return
    run(
        work, lambda outcomes, stream: task.write(work, outcomes, stream, writer, inputs),
        doing="restoring", inputs=inputs, out=out, gold=gold, json=json, path=result, quiet=quiet,
        progress={"unit": "words", "size": _words} if work.has_capitals else None,
    )  # fmt: skip


def _words(outcome: "Outcome[Restoration[Any]]") -> int:
    return 0 if outcome[1] is None else len(outcome[1].sentence.forms)
