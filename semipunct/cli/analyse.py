"""``semipunct analyse``: the grammar that a model has learned, beside Nunberg's and the paper's."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import console, pictures
from semipunct.errors import SemipunctError

if TYPE_CHECKING:
    from rich.table import Table

    from semipunct.corpus import Treebank
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.analyse import PunctuationGrammar, Row

SHOWN_ROWS, SHOWN_RELATIONS, PANELS = 20, 5, 6

COLOURS = {
    "keep": "#9a9a9a",
    "absorb_left": "#1b9e77",
    "absorb_right": "#3b6fb6",
    "transpose": "#c2428f",
}
PAPER = {"changed": 0.621, "changed_decided": 0.836}
"""Mean reciprocal ranks of the paper's English model (section 5.1)."""


def analyse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model folder.")],
    treebanks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TREEBANK]...",
            help="Treebanks in CoNLL-U, '-' for stdin: for counts of underlying marks, and for "
            "how relations are punctuated.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw rewriting rules as bars, as .svg, .png or .pdf."),
    ] = None,
) -> None:
    """Show what a model has learned: rewriting rules, Nunberg's rules among them, relations.

    Without a treebank it shows what the model alone can tell.
    """
    paint = pictures.painter(plot, 9, 5) if plot is not None else None
    from semipunct.arrays.compilation import enable_compilation_cache
    from semipunct.cli.treebanks import omissions, tell_unseen, usable
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.checkpoint import load
    from semipunct.tasks.analyse import analyse as run

    loaded = load(model, PunctuationModel)
    read = usable(treebanks) if treebanks else None
    if read:
        tell_unseen(loaded.model, read.sentences)
    enable_compilation_cache()
    # A picture that cannot be written is said before the work, not after it.
    with nullcontext() if plot is None else console.output(plot) as picture:
        found = run(loaded, read.sentences if read else None)
        if picture is not None and paint is not None:
            rows = _panels(found)
            picture.buffer.write(paint(lambda figure: bars(figure, rows)))
    line = _signature(loaded, read)
    if json:
        counted = {
            "sentences": len(read.sentences) if read else None,
            "omitted": read.omitted_by_reason() if read else None,
        }
        console.print_json({**found.as_dict(), **counted, "signature": line})
    else:
        _print_tables(found)
        console.tables().print(line, style="dim", markup=False, soft_wrap=True)
    if read is None:
        console.say(
            "counts, frequent bigrams and Table 4 need a treebank: name one after the model"
        )
        return
    if read.omitted:
        console.say(omissions(read))
    if missed := len(read.sentences) - (found.analysed or 0):
        console.say(f"{console.count(missed, 'sentence')} without an analysis: not counted above")


def _signature(loaded: "SavedModel[PunctuationModel]", read: "Treebank | None") -> str:
    """One line that says what was analysed."""
    from semipunct.corpus.digest import treebank_digest
    from semipunct.evaluation.signature import join_signature
    from semipunct.version import __version__

    parts = {
        "task": "analyse",
        "model": loaded.digest[:12],
        "treebank": treebank_digest(read.sentences)[:12] if read else "none",
        "channel": loaded.model.options.channel,
        "passes": str(len(loaded.model.directions)),
        "version": __version__,
    }
    return join_signature(parts)


def _print_tables(found: "PunctuationGrammar") -> None:
    more = len(found.rewriting) - SHOWN_ROWS
    parts = [
        (
            "What becomes of two underlying marks, by the probability that both stay, that the "
            "left or the right one is absorbed, that they change places"
            + (f" ({more} more with --json)" if more > 0 else ""),
            _rewriting(found),
        ),
        (
            "Confident edits (p > 0.75): with two marks of Nunberg's, and as he has them",
            _confident(found),
        ),
        (
            "Nunberg's rules by rank (decided: some p > 0.5; stated: without a reading of ours; "
            "MRR: mean reciprocal rank, and with marks that the model lacks in the last rank)",
            _ranks(found),
        ),
    ]
    if found.inverted.ranked:
        parts.append(("Spanish inverted marks, treated as Nunberg treats (", _inverted(found)))
    if found.relations is not None:
        parts.append(
            ("Relations that most probably take symmetric punctemes (Table 4)", _relations(found))
        )
    screen = console.tables()
    for title, table in parts:
        screen.print(title, style="bold", markup=False)
        screen.print(table)


def _rewriting(found: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    from semipunct.marks.edits import result

    headings = ("underlying", "times", "stay", "left", "right", "swap", "becomes", "Nunberg")
    table = console.table(*headings)
    for row in found.rewriting[:SHOWN_ROWS]:
        table.add_row(
            Text(f"{row.a} {row.b}", "bold"),
            "" if row.times is None else f"{row.times:,}",
            *(
                Text(f"{p:.2f}", "bold" if edit == row.edit else "")
                for edit, p in row.probabilities.items()
            ),
            Text(" ".join(result(row.edit, row.a, row.b))),
            Text(" ".join(row.rule.result) if row.rule else ""),
        )
    return table


def _confident(found: "PunctuationGrammar") -> "Table":
    from semipunct.tasks.analyse import FREQUENT

    headings = ("bigrams", "number", "confident", "his marks", "his edits", "precision")
    table = console.table(*headings)
    scopes = [("of Nunberg's marks", found.confidence)]
    if found.frequent:
        scopes.append((f"met {FREQUENT} times", found.frequent))
    for name, scope in scopes:
        for label, some in ((name, scope), ("  changes only", scope.changing)):
            numbers = (some.bigrams, len(some.edits), some.considered, some.agreeing)
            table.add_row(label, *(f"{n}" for n in numbers), _figure(some.precision))
    return table


def _ranks(found: "PunctuationGrammar") -> "Table":
    table = console.table("rules", "ranked", "1st", "2nd", "worse", "MRR", "MRR, all", "paper")
    for name, label, some in found.recalls():
        number = len(some.ranked) + len(some.missing)
        means = (some.mean_reciprocal_rank, some.mean_over_all, PAPER.get(name, math.nan))
        counts = (len(some.ranked), *some.ranks)
        table.add_row(
            f"{number:3} {label}", *(f"{n}" for n in counts), *(_figure(mean) for mean in means)
        )
    return table


def _figure(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else ""


def _inverted(found: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    table = console.table("underlying", "should become", "p", "rank")
    for ranked in found.inverted.ranked:
        rule = ranked.rule
        bigram, outcome = Text(f"{rule.a} {rule.b}", "bold"), Text(" ".join(rule.result))
        table.add_row(bigram, outcome, f"{ranked.probability:.2f}", f"{ranked.rank}")
    return table


def _relations(found: "PunctuationGrammar") -> "Table":
    """Table 4 with a row for each relation; rare relations are left to the JSON."""
    from rich.text import Text

    from semipunct.tasks.analyse import FREQUENT

    table = console.table("relation", "words", "symmetric", "entropy")
    table.add_column("most probable pairs")
    often = [row for row in found.relations or () if row.words >= FREQUENT]
    for row in often[:SHOWN_RELATIONS]:
        pairs: list[Text] = []
        for pair in row.pairs:
            sides = " · ".join(" ".join(side) or "ε" for side in (pair.left, pair.right))
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


def _panels(found: "PunctuationGrammar") -> "list[Row]":
    """The rules to draw: those of `nunberg.FIGURE_3`, then others that were met most often.

    Raises `SemipunctError` if there is none.
    """
    from semipunct.marks.nunberg import FIGURE_3
    from semipunct.tasks.analyse import rewriting

    rows = list(rewriting(found.channel, found.counts, FIGURE_3))
    drawn = {(row.a, row.b) for row in rows}
    panels = [*rows, *(row for row in found.rewriting if (row.a, row.b) not in drawn)][:PANELS]
    if not panels:
        raise SemipunctError("there is nothing to draw: the model knows no rule of Figure 3")
    return panels


def bars(figure: Any, rows: "Sequence[Row]") -> None:
    """Draw each rule as a panel with a bar for every edit, Nunberg's outlined (Figure 3).

    Args:
        figure: an empty figure of matplotlib.
        rows: the rules, at least one.
    """
    from semipunct.marks.edits import result

    panels = figure.subplots(-(-len(rows) // 3), min(3, len(rows)), sharey=True, squeeze=False)
    for panel, row in zip(panels.flat, rows, strict=False):
        for place, (edit, p) in enumerate(row.probabilities.items()):
            panel.bar(place, p, color=COLOURS[edit], label=edit.replace("_", " "))
            if row.rule and row.rule.edit == edit:
                panel.bar(place, p, fill=False, edgecolor="black", linewidth=2)
        names = [" ".join(result(edit, row.a, row.b)) for edit in row.probabilities]
        panel.set_xticks(range(len(names)), names, fontsize=13)
        panel.set_ylim(0, 1)
        times = "" if row.times is None else f"   {console.count(row.times, 'time')}"
        panel.set_title(f"{row.a} {row.b}{times}")
    for panel in panels.flat[len(rows) :]:
        panel.set_visible(False)
    figure.legend(
        *panels.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(COLOURS)
    )
    figure.supylabel("probability (outlined: Nunberg's)")
