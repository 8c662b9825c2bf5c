"""Report on corrected punctuation compared with references: figures and errors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.errors import TreebankError

if TYPE_CHECKING:
    from semipunct.corpus import Sentence, Words
    from semipunct.corpus.parallel import ParallelSentence
    from semipunct.tasks.correction import Corrected, CorrectOptions


def report(
    model: str,
    digest: str,
    pairs: "Sequence[tuple[Corrected | None, ParallelSentence[Sentence | Words] | None]]",
    options: "CorrectOptions",
    most: int,
    *,
    json: bool,
    path: str | None,
) -> None:
    """Print how corrected sentences compare with references, and store it.

    Args:
        model: the model folder.
        digest: of the model.
        pairs: corrected sentences with their references, None for those left unchanged.
        options: of the correction.
        most: errors to list.
        json: print one JSON object, not tables.
        path: the file to store the result in, if any.

    Raises:
        TreebankError: if there are no sentences.
    """
    from rich.markup import escape

    from semipunct.corpus.sentences import open_slots
    from semipunct.evaluation.correction import correction_statistics
    from semipunct.evaluation.results import Result, write_result
    from semipunct.tasks.correct import correction_signature

    both = [(found, pair) for found, pair in pairs if found is not None and pair is not None]
    if not both:
        raise TreebankError("no sentence could be corrected, so there is nothing to compare")
    statistics = correction_statistics(
        [open_slots(found.sentence, found.sentence.slots) for found, _ in both],
        [open_slots(found.sentence, found.slots) for found, _ in both],
        [[open_slots(found.sentence, one) for one in pair.references] for found, pair in both],
    )
    line = correction_signature(digest, [pair for _, pair in both], options)
    if path:
        write_result(path, Result(model, line, statistics))
    figures = statistics.figures()
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import CorrectionsCompared

        console.print_json(output(CorrectionsCompared, {**figures.as_dict(), "signature": line}))
        return
    table = console.table("figure", "value")
    for name, value in figures.rows():
        table.add_row(name, value)
    by_error = console.table("error", "corrected", "wrong corrections", "in the input")
    ranked = sorted(figures.errors.items(), key=lambda item: (-item[1].needed, -item[1].proposed))
    for error, score in ranked[:most]:
        counts = (score.correct, score.proposed - score.correct, score.needed)
        by_error.add_row(escape(error), *(f"{count:,}" for count in counts))
    screen = console.tables()
    screen.print(table)
    if most:
        screen.print(by_error)
    screen.print(line, style="dim", markup=False, soft_wrap=True)
