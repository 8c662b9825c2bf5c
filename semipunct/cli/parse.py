"""``semipunct parse``: tag and parse words."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from semipunct.cli import arguments, console
from semipunct.cli.completion import complete_models
from semipunct.cli.options import with_options
from semipunct.cli.parts import check_parts, run_parts
from semipunct.cli.run import run
from semipunct.cli.timings import phase
from semipunct.errors import UsageError
from semipunct.tasks import limits
from semipunct.tasks.options import ParseOptions, PartOptions

if TYPE_CHECKING:
    from semipunct.tasks.run import Outcome


@with_options
def parse(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Folder of a parser.", autocompletion=complete_models),
    ],
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
    tokeniser: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENISER",
            autocompletion=complete_models,
            help="Folder of a tokeniser, which splits running text into sentences and words. "
            "Without it, each line is a sentence, and blanks separate words.",
        ),
    ] = None,
    trees: Annotated[
        int, typer.Option(metavar="K", min=0, max=limits.TREES, help="Draw K trees per sentence.")
    ] = 0,
    nbest: Annotated[
        int,
        typer.Option(metavar="K", min=0, max=limits.RANKS, help="Write the K most probable trees."),
    ] = 0,
    punctuation: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Folder of a punctuation model, which reranks the parser's most probable trees by "
            "the punctuation of the input.",
        ),
    ] = None,
    weight: Annotated[
        float, typer.Option(metavar="W", min=0, help="With --punctuation: weight of its score.")
    ] = 1.0,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="Add probabilities of heads, relations and tags to MISC."
        ),
    ] = False,
    gold: Annotated[
        bool, typer.Option("--gold", help="Evaluate against the trees and tags of the input.")
    ] = False,
    json: arguments.GoldJson = False,
    result: arguments.GoldResult = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Tag words and parse them into dependency trees, or with a parser of phrases into phrases.

    Punctuation is attached by rule. It influences the parse only with --punctuation, or if the
    parser was trained with model.marks. Tags and trees of the input are ignored; with --gold, those
    of the parser are evaluated against them, without punctuation. A model of the kind beam-parser
    reads the tags and the punctuation of its input (.conllu, .dp), and one of the kind ccg-parser
    reads words with tags (.auto) and writes derivations.
    """
    if (json or result) and not gold:
        raise UsageError(f"{'--json' if json else '--result'} needs --gold; give it as well")
    if trees and nbest:
        raise UsageError("--trees and --nbest cannot be combined; give one of the two")
    if (trees or nbest) and (gold or probabilities):
        raise UsageError(
            f"{'--gold' if gold else '--probabilities'} needs one tree per sentence; leave out "
            "--trees and --nbest"
        )
    if punctuation is not None and (trees or nbest or probabilities):
        raise UsageError(
            "--punctuation chooses one tree for each sentence; leave out --trees, --nbest and "
            "--probabilities"
        )
    if weight != 1 and punctuation is None:
        raise UsageError("--weight needs --punctuation; give a punctuation model as well")
    if tokeniser is not None and gold:
        raise UsageError(
            "--tokeniser reads text, which has no trees; --gold needs a treebank to compare with"
        )
    check_parts(parts, inputs, {"--output": out is not None, "--gold": gold})
    arguments.check_figures(out, result, printed=json)
    console.check_targets(out, figures=result, inputs=inputs, kept=(model, tokeniser, punctuation))
    with phase("importing"):
        from semipunct.cli.compiling import keep_programs
        from semipunct.kinds.answers import answer_of
        from semipunct.kinds.requests import ParseRequest
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.models.segmentation.tokeniser import Tokeniser
        from semipunct.store.checkpoint import load

    with phase("loading the model"):
        loaded = load(model)
        prepare = answer_of(loaded.model, "parse", model)
        request = ParseRequest(
            system=model,
            inputs=inputs,
            options=options,
            tokeniser=None if tokeniser is None else load(tokeniser, Tokeniser),
            punctuation=None if punctuation is None else load(punctuation, PunctuationModel),
            weight=weight,
            trees=trees,
            nbest=nbest,
            probabilities=probabilities,
            gold=gold,
        )
    keep_programs()
    with phase("reading"):
        work = prepare(loaded, request)

    def write(outcomes: "Iterator[Outcome[Any]]", stream: TextIO) -> None:
        work.write(chain.from_iterable(map(work.texts, outcomes)), stream)

    if parts.folder is not None:
        models = (loaded, request.tokeniser, request.punctuation)
        run_parts(
            parts,
            work,
            lambda sections, first: prepare(loaded, replace(request, inputs=sections, first=first)),
            lambda sections, outcomes, stream: write(outcomes, stream),
            inputs=inputs,
            settings={
                "command": "parse",
                "models": [each and each.digest for each in models],
                "options": {
                    **asdict(options), "trees": trees, "nbest": nbest, "weight": weight,
                    "probabilities": probabilities,
                },
            },
            quiet=quiet,
        )  # fmt: skip
        return
    run(
        work, write, doing="parsing", inputs=inputs, out=out, gold=gold, json=json, path=result,
        quiet=quiet,
    )  # fmt: skip
