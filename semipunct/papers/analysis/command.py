"""``semipunct analyse``: a model's grammar, compared with Nunberg's and the paper's."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console, pictures
from semipunct.cli.commands import Command
from semipunct.errors import SemipunctError
from semipunct.marks import shown_string
from semipunct.wording import figure, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from semipunct.corpus import Treebank
    from semipunct.papers.analysis.task import PunctuationGrammar, RelationRow, Row
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
    from semipunct.cli.phases import keep_programs
    from semipunct.papers.analysis.task import analyse as run
    from semipunct.pipelines.notices import UnseenValues, omissions, read_usable_examples
    from semipunct.pipelines.trained import punctuation_model
    from semipunct.store.checkpoint import load

    loaded = load(model)
    punctuation_model(loaded)
    read: Any = None
    if treebanks:
        read = read_usable_examples("sentences", treebanks, "sentence")
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
        analysed, *parts = grammar.as_dict().items()
        console.print_json(
            {
                "schema": "semipunct.analyse/1",
                **dict([analysed]),
                "language": next(iter(languages), None),
                **dict(parts),
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


COMMAND = Command(analyse, "model dev.conllu --plot rules.svg")


def _languages(loaded: "SavedModel[Any]", treebanks: "Sequence[str]") -> list[str]:
    """Return the languages of the model and the treebanks, by their file names."""
    from semipunct.corpus.language import language_of
    from semipunct.store.card import data_names
    from semipunct.store.folder import CARD

    card = (loaded.path / CARD).read_text("utf-8")
    by_names = (language_of(data_names(card)), language_of(treebanks))
    return list(dict.fromkeys(language for language in by_names if language))


def _signature(loaded: "SavedModel[Any]", read: "Treebank | None") -> str:
    from semipunct.corpus.examples import treebank_digest
    from semipunct.evaluation.results import figures_signature

    return figures_signature(
        "analyse",
        loaded.digest[:12],
        treebank_digest(read.sentences) if read else "none",
        {"channel": loaded.model.options.channel, "passes": str(len(loaded.model.directions))},
    )


PANELS = 6

COLOURS = {
    "keep": "#9a9a9a",
    "absorb_left": "#1b9e77",
    "absorb_right": "#3b6fb6",
    "transpose": "#c2428f",
}


def rules_to_draw(grammar: "PunctuationGrammar") -> "list[Row]":
    """Choose the rules of ``nunberg.FIGURE_3``, then the most frequent other ones."""
    from semipunct.papers.analysis.nunberg import FIGURE_3
    from semipunct.papers.analysis.task import rewriting

    rows = list(rewriting(grammar.channel, grammar.counts, FIGURE_3))
    drawn = {(row.a, row.b) for row in rows}
    panels = [*rows, *(row for row in grammar.rewriting if (row.a, row.b) not in drawn)][:PANELS]
    if not panels:
        raise SemipunctError(
            "nothing to plot: the model lacks the marks of Figure 3; leave out --plot"
        )
    return panels


def draw_bars(figure: Any, rows: "Sequence[Row]") -> None:
    """Draw a panel for each rule, with a bar for every edit, Nunberg's outlined (Figure 3)."""
    from semipunct.marks import shown_string
    from semipunct.marks.edits import apply_edit

    panels = figure.subplots(-(-len(rows) // 3), min(3, len(rows)), sharey=True, squeeze=False)
    for panel, row in zip(panels.flat, rows, strict=False):
        for place, (edit, p) in enumerate(row.probabilities.items()):
            panel.bar(place, p, color=COLOURS[edit], label=edit.replace("_", " "))
            if row.rule and row.rule.edit == edit:
                panel.bar(place, p, fill=False, edgecolor="black", linewidth=2)
        names = [shown_string(apply_edit(edit, row.a, row.b)) for edit in row.probabilities]
        panel.set_xticks(range(len(names)), names, fontsize=13)
        panel.set_ylim(0, 1)
        times = "" if row.times is None else f"   {quantity(row.times, 'time')}"
        panel.set_title(f"{shown_string((row.a, row.b))}{times}")
    for panel in panels.flat[len(rows) :]:
        panel.set_visible(False)
    figure.legend(
        *panels.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(COLOURS)
    )
    figure.supylabel("probability (outlined: Nunberg's, for English)")


SHOWN_ROWS, SHOWN_RELATIONS = 20, 5

PAPER = {"changed": 0.621, "changed_decided": 0.836}
"""Mean reciprocal ranks of the paper's English model (section 5.1)."""


def print_tables(grammar: "PunctuationGrammar") -> None:
    """Print all tables on standard output."""
    more = len(grammar.rewriting) - SHOWN_ROWS
    parts = [
        (
            "Rewriting of two underlying marks: the probabilities that both stay, that the left "
            "or the right one is absorbed, and that they are swapped; the most probable result, "
            "and the result by Nunberg's rules of English"
            + (f" ({more} more with --json)" if more > 0 else ""),
            _rewriting(grammar),
        ),
        (
            "Confident edits (p > 0.75), and how many agree with Nunberg's rules (English)",
            _confident(grammar),
        ),
        (
            "Nunberg's rules of English, by the rank of their result in the model (decided: one "
            "result has p > 0.5; stated: without our interpretation; MRR: mean reciprocal rank; "
            "all: with rules of marks that the model lacks, at the last rank; paper: MRR of its "
            "English model)",
            _ranks(grammar),
        ),
    ]
    if grammar.inverted.ranked:
        parts.append(
            ("Spanish inverted marks, treated as Nunberg treats ( in English", _inverted(grammar))
        )
    if grammar.relations is not None:
        parts.append(
            (
                "Relations with the highest probability of symmetric punctemes, strings of marks "
                "on both sides of a constituent that mirror each other (Table 4)",
                _relations(grammar),
            )
        )
    screen = console.tables()
    for title, table in parts:
        screen.print(title, style="bold", markup=False)
        screen.print(table)
    console.explain(_printed_tokens(grammar))


def _printed_tokens(grammar: "PunctuationGrammar") -> "Iterator[str]":
    for row in grammar.rewriting[:SHOWN_ROWS]:
        yield from (row.a, row.b)
    for relation in _frequent(grammar)[:SHOWN_RELATIONS]:
        for pair in relation.pairs:
            yield from (*pair.left, *pair.right)


def _rewriting(grammar: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    from semipunct.marks.edits import apply_edit

    headings = ("underlying", "times", "stay", "left", "right", "swap", "becomes", "Nunberg")
    table = console.table(*headings)
    for row in grammar.rewriting[:SHOWN_ROWS]:
        table.add_row(
            Text(shown_string((row.a, row.b)), "bold"),
            "" if row.times is None else f"{row.times:,}",
            *(
                Text(f"{p:.2f}", "bold" if edit == row.edit else "")
                for edit, p in row.probabilities.items()
            ),
            Text(shown_string(apply_edit(row.edit, row.a, row.b))),
            Text(shown_string(row.rule.result) if row.rule else ""),
        )
    return table


def _confident(grammar: "PunctuationGrammar") -> "Table":
    from semipunct.papers.analysis.task import FREQUENT

    headings = ("bigrams", "number", "confident", "his marks", "his edits", "precision")
    table = console.table(*headings)
    scopes = [("of Nunberg's marks", grammar.confidence)]
    if grammar.frequent:
        scopes.append((f"met {FREQUENT} times", grammar.frequent))
    for name, scope in scopes:
        for label, some in ((name, scope), ("  changes only", scope.changing)):
            numbers = (some.bigrams, len(some.edits), some.considered, some.agreeing)
            table.add_row(label, *(f"{n}" for n in numbers), figure(some.precision, ".3f"))
    return table


def _ranks(grammar: "PunctuationGrammar") -> "Table":
    table = console.table("rules", "ranked", "1st", "2nd", "worse", "MRR", "MRR, all", "paper")
    for name, label, some in grammar.recalls():
        number = len(some.ranked) + len(some.missing)
        means = (some.mean_reciprocal_rank, some.mean_over_all, PAPER.get(name, math.nan))
        counts = (len(some.ranked), *some.ranks)
        table.add_row(
            f"{number:3} {label}",
            *(f"{n}" for n in counts),
            *(figure(mean, ".3f") for mean in means),
        )
    return table


def _inverted(grammar: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    table = console.table("underlying", "should become", "p", "rank")
    for ranked in grammar.inverted.ranked:
        rule = ranked.rule
        bigram, outcome = Text(f"{rule.a} {rule.b}", "bold"), Text(" ".join(rule.result))
        table.add_row(bigram, outcome, f"{ranked.probability:.2f}", f"{ranked.rank}")
    return table


def _relations(grammar: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    table = console.table("relation", "words", "symmetric", "entropy (nats)")
    table.add_column("most probable pairs")
    for row in _frequent(grammar)[:SHOWN_RELATIONS]:
        pairs: list[Text] = []
        for pair in row.pairs:
            sides = " · ".join(shown_string(side, "ε") for side in (pair.left, pair.right))
            style = "bold" if pair.symmetric else ""
            pairs.append(Text(f"{100 * pair.probability:5.1f}%  {sides}", style))
        table.add_row(
            row.relation,
            f"{row.words:,}",
            f"{100 * row.symmetric:.1f}%",
            f"{row.entropy:.2f}",
            Text("\n").join(pairs),
        )
    return table


def _frequent(grammar: "PunctuationGrammar") -> "list[RelationRow]":
    from semipunct.papers.analysis.task import FREQUENT

    return [row for row in grammar.relations or () if row.words >= FREQUENT]
