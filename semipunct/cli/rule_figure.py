"""Figure 3 of the paper: rewriting rules as panels of bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import SemipunctError
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.tasks.analyse import PunctuationGrammar, Row

PANELS = 6

COLOURS = {
    "keep": "#9a9a9a",
    "absorb_left": "#1b9e77",
    "absorb_right": "#3b6fb6",
    "transpose": "#c2428f",
}


def rules_to_draw(grammar: "PunctuationGrammar") -> "list[Row]":
    """Choose the rules of ``nunberg.FIGURE_3``, then the most frequent other ones.

    Raises:
        SemipunctError: if there is none.
    """
    from semipunct.marks.nunberg import FIGURE_3
    from semipunct.tasks.analyse import rewriting

    rows = list(rewriting(grammar.channel, grammar.counts, FIGURE_3))
    drawn = {(row.a, row.b) for row in rows}
    panels = [*rows, *(row for row in grammar.rewriting if (row.a, row.b) not in drawn)][:PANELS]
    if not panels:
        raise SemipunctError(
            "nothing to plot: the model lacks the marks of Figure 3; leave out --plot"
        )
    return panels


def draw_bars(figure: Any, rows: "Sequence[Row]") -> None:
    """Draw a panel for each rule, with a bar for every edit, Nunberg's outlined (Figure 3).

    Args:
        figure: an empty figure of matplotlib.
        rows: the rules, at least one.
    """
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
