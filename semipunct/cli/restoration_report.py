"""The comparison of restored punctuation with the input: figures, marks, confusions."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.errors import TreebankError
from semipunct.marks import shown, shown_string

if TYPE_CHECKING:
    from rich.table import Table

    from semipunct.evaluation.confusion import Confusion
    from semipunct.tasks.restore import Restoration, RestoreOptions


def report(
    model: str,
    digest: str,
    found: "Sequence[Restoration]",
    options: "RestoreOptions",
    most: int,
    *,
    json: bool,
    path: str | None,
) -> None:
    """Print how restored sentences compare with their input, and store it.

    Args:
        model: the model folder.
        digest: of the model.
        found: the restored sentences.
        options: of the restoration.
        most: confusions to list.
        json: print one JSON object, not tables.
        path: the file to store the result in, if any.

    Raises:
        TreebankError: if there are no sentences.
    """
    from semipunct.evaluation.confusion import confusions
    from semipunct.evaluation.restoration import restoration_statistics
    from semipunct.evaluation.results import Result, write_result
    from semipunct.tasks.restore import restoration_signature

    if not found:
        raise TreebankError("no sentence could be restored: there is nothing to compare")
    from rich.markup import escape

    sentences, slots = [f.sentence for f in found], [f.slots for f in found]
    statistics = restoration_statistics([s.slots for s in sentences], slots)
    line = restoration_signature(digest, sentences, options)
    if path:
        write_result(path, Result(model, line, statistics))
    figures = statistics.figures()
    mistakes = confusions(sentences, slots)[:most] if most else []
    if json:
        listed = {"confusions": [mistake.as_dict() for mistake in mistakes]} if most else {}
        from semipunct.render.outputs import Compared, output

        console.print_json(output(Compared, {**figures.as_dict(), **listed, "signature": line}))
        return
    table = console.table("figure", "value")
    for name, value in figures.rows():
        table.add_row(name, value)
    by_mark = console.table("mark", "precision", "recall", "F1", "in the input")
    for mark, score in sorted(figures.marks.items(), key=lambda item: -item[1].gold):
        ratios = (score.precision, score.recall, score.f1)
        by_mark.add_row(escape(shown(mark)), *(f"{x:.4f}" for x in ratios), f"{score.gold:,}")
    screen = console.tables()
    screen.print(table)
    screen.print(by_mark)
    if mistakes:
        screen.print(_confusion_table(mistakes))
    console.explain(
        chain(figures.marks, *(string for m in mistakes for string in (m.gold, m.predicted)))
    )
    screen.print(line, style="dim", markup=False, soft_wrap=True)


def _confusion_table(mistakes: "Sequence[Confusion]") -> "Table":
    from rich.markup import escape

    table = console.table("in the input", "restored", "slots", "edits", "for example")
    table.columns[-1].no_wrap = False
    for mistake in mistakes:
        example = mistake.examples[0]
        place = f"{' '.join(example.before)} ▁ {' '.join(example.after)}"
        strings = (shown_string(s, "nothing") for s in (mistake.gold, mistake.predicted))
        counts = (f"{mistake.count:,}", f"{mistake.edits:,}")
        table.add_row(*map(escape, strings), *counts, escape(place))
    return table
