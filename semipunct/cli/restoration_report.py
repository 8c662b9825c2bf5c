"""Report on restored punctuation compared with the input: figures, marks, confusions."""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from semipunct.cli import console
from semipunct.marks import Puncteme, display_form, shown_string
from semipunct.wording import figure

if TYPE_CHECKING:
    from rich.table import Table

    from semipunct.evaluation.confusion import Confusion
    from semipunct.tasks.restoration import Restoration


def report(
    model: str,
    line: str,
    found: "Sequence[Restoration[Any]]",
    most: int,
    *,
    marks: "Set[str] | None",
    json: bool,
    path: str | None,
) -> None:
    """Print how restored sentences compare with their input, and store it.

    Args:
        model: the model folder.
        line: the signature.
        found: the restored sentences.
        most: confusions to list.
        marks: the marks to compare; None for all.
        json: print one JSON object, not tables.
        path: the file to store the result in, if any.
    """
    from rich.markup import escape

    from semipunct.corpus.sentences import open_slots
    from semipunct.evaluation.confusion import confusions
    from semipunct.evaluation.restoration import restoration_statistics
    from semipunct.evaluation.results import Result, write_result

    sentences = [f.sentence for f in found]
    if marks is not None:
        sentences = [replace(s, slots=_only(s.slots, marks)) for s in sentences]
    slots = [f.slots if marks is None else _only(f.slots, marks) for f in found]
    statistics = restoration_statistics(
        [open_slots(s, s.slots) for s in sentences],
        [open_slots(s, own) for s, own in zip(sentences, slots, strict=True)],
    )
    if path:
        write_result(path, Result(model, line, statistics))
    figures = statistics.figures()
    mistakes = confusions(sentences, slots)[:most] if most else []
    if json:
        listed = {"confusions": [mistake.as_dict() for mistake in mistakes]} if most else {}
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import Compared

        console.print_json(output(Compared, {**figures.as_dict(), **listed, "signature": line}))
        return
    table = console.table("figure", "value")
    for name, value in figures.rows():
        table.add_row(name, value)
    by_mark = console.table("mark", "precision", "recall", "F1", "in the input")
    for mark, score in sorted(figures.marks.items(), key=lambda item: -item[1].gold):
        ratios = (score.precision, score.recall, score.f1)
        by_mark.add_row(escape(display_form(mark)), *map(figure, ratios), f"{score.gold:,}")
    screen = console.tables()
    screen.print(table)
    screen.print(by_mark)
    if mistakes:
        screen.print(_confusion_table(mistakes))
    console.explain(
        chain(figures.marks, *(string for m in mistakes for string in (m.gold, m.predicted)))
    )
    screen.print(line, style="dim", markup=False, soft_wrap=True)


def _only(slots: "Sequence[Puncteme]", marks: "Set[str]") -> "tuple[Puncteme, ...]":
    return tuple(tuple(token for token in slot if token in marks) for slot in slots)


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
