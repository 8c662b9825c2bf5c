"""``semipunct analyse``: a model's grammar, compared with Nunberg's and the paper's."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console, pictures
from semipunct.wording import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semipunct.corpus import Treebank
    from semipunct.store.checkpoint import SavedModel


def analyse(
    model: arguments.Model,
    treebanks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TREEBANK]...",
            help="Treebanks in CoNLL-U, '-' for stdin. They are needed for counts of underlying "
            "marks and for the punctuation of relations.",
        ),
    ] = None,
    json: arguments.Json = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Plot rewriting rules as a bar chart (.svg, .png, .pdf)."
        ),
    ] = None,
) -> None:
    """Show what a model has learned: rewriting rules, and the punctuation of relations.

    The rules are compared with Nunberg's. Tables that need counts are omitted without a treebank.
    """
    console.check_targets(plot, kept=(model, *(treebanks or ())))
    paint = pictures.painter(plot, 9, 5) if plot is not None else None
    from semipunct.cli.grammar_tables import print_tables
    from semipunct.cli.phases import keep_programs
    from semipunct.cli.rule_figure import draw_bars, rules_to_draw
    from semipunct.store.checkpoint import load
    from semipunct.tasks.analyse import analyse as run
    from semipunct.tasks.notices import UnseenValues
    from semipunct.tasks.punctuation_models import punctuation_model
    from semipunct.tasks.reading import omissions, read_usable

    loaded = load(model)
    punctuation_model(loaded)
    read = read_usable(treebanks) if treebanks else None
    if read:
        unseen = UnseenValues(loaded.model)
        unseen.count(read.sentences)
        console.say_all(unseen.messages())
    keep_programs()
    # Opened before the work, so that an error of writing is reported at once.
    with nullcontext() if plot is None else console.output(plot) as picture:
        grammar = run(loaded, read.sentences if read else None)
        if picture is not None and paint is not None:
            rows = rules_to_draw(grammar)
            picture.buffer.write(paint(lambda figure: draw_bars(figure, rows)))
    line = _signature(loaded, read)
    languages = _languages(loaded, treebanks or [])
    if json:
        value = grammar.as_dict()
        console.print_json(
            {
                "schema": "semipunct.analyse/1",
                "analysed": value.pop("analysed"),
                "language": next(iter(languages), None),
                **value,
                "sentences": len(read.sentences) if read else None,
                "omitted": read.omitted_by_reason() if read else None,
                "signature": line,
            }
        )
    else:
        print_tables(grammar)
        console.tables().print(line, style="dim", markup=False, soft_wrap=True)
    if foreign := [language for language in languages if language != "en"]:
        console.say(
            "Nunberg's rules are stated for English, and the language here is different "
            f"({', '.join(foreign)}): deviations from the rules are not necessarily errors"
        )
    if read is None:
        console.say(
            "counts, frequent bigrams and Table 4 need a treebank; give one after the model"
        )
        return
    if read.omitted:
        console.say(omissions(read))
    if missed := len(read.sentences) - (grammar.analysed or 0):
        console.say(f"{quantity(missed, 'sentence')} without an analysis: not counted above")


def _languages(loaded: "SavedModel[Any]", treebanks: "Sequence[str]") -> list[str]:
    """Return the languages of the model and of the treebanks, as far as file names show them."""
    from semipunct.corpus.language import language_of
    from semipunct.store.card import data_names
    from semipunct.store.folder import CARD

    card = (loaded.path / CARD).read_text("utf-8")
    by_names = (language_of(data_names(card)), language_of(treebanks))
    return list(dict.fromkeys(language for language in by_names if language))


def _signature(loaded: "SavedModel[Any]", read: "Treebank | None") -> str:
    """Return the signature: one line that identifies what was analysed."""
    from semipunct.corpus.examples import treebank_digest
    from semipunct.evaluation.results import figures_signature

    return figures_signature(
        "analyse",
        loaded.digest[:12],
        treebank_digest(read.sentences) if read else "none",
        {"channel": loaded.model.options.channel, "passes": str(len(loaded.model.directions))},
    )
