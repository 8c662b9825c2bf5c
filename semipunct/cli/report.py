"""The report of an assessment: figures as tables or JSON, and the result that is stored.

One report serves all commands: docs/decisions/0050-kinds.md.
"""

from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.errors import UsageError

if TYPE_CHECKING:
    from semipunct.pipelines.assessment import Assessment


def report(assessment: "Assessment", *, json: bool, path: str | None) -> None:
    """Print figures, and store the result.

    Args:
        assessment: the figures, with what is shown beside them.
        json: print one JSON object, not tables.
        path: the file to store the result in, if any.

    Raises:
        UsageError: if a result is to be stored, and the metric has no counts by sentence.
    """
    if path:
        if assessment.result is None:
            from semipunct.pipelines.assessment import NO_COUNTS

            raise UsageError(NO_COUNTS)
        from semipunct.evaluation.results import write_result

        write_result(path, assessment.result)
    if json:
        from semipunct.render.outputs.figures import figures_output

        console.print_json(
            figures_output(
                assessment.task, assessment.figures, assessment.extra, assessment.signature
            )
        )
    else:
        _print_tables(assessment)
    console.say_all(assessment.messages)
    if assessment.omitted and not (json and "omitted" in assessment.extra):
        console.say(assessment.omitted)


def _print_tables(assessment: "Assessment") -> None:
    from rich.markup import escape

    screen = console.tables()
    figures = console.table("figure", "value")
    for name, value in assessment.rows:
        figures.add_row(name, value)
    screen.print(figures)
    for table in assessment.tables:
        printed = console.table(*table.headings)
        printed.columns[-1].no_wrap = not table.wraps
        for row in table.rows:
            printed.add_row(*map(escape, row))
        screen.print(printed)
    console.explain(assessment.tokens)
    screen.print(assessment.signature, style="dim", markup=False, soft_wrap=True)
