"""Report of ``semipunct parse --gold``: a parser's trees and tags compared with a treebank's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.cli.treebanks import omissions

if TYPE_CHECKING:
    from semipunct.corpus import Sentence, Treebank


def report(
    model: str,
    signature: str,
    treebank: "Treebank",
    found: "Sequence[Sentence]",
    *,
    json: bool,
    path: str | None,
) -> None:
    """Print the figures of a parser, and store them.

    Args:
        model: the name of the parser in the stored result.
        signature: of the figures.
        treebank: the sentences with their own trees and tags.
        found: the same sentences with those of the parser.
        json: print one JSON object instead of a table.
        path: the file to store the figures in, if any.
    """
    from semipunct.evaluation.parsing import parsing_statistics
    from semipunct.evaluation.results import Result, write_result

    statistics = parsing_statistics(treebank.sentences, found)
    if path:
        write_result(path, Result(model, signature, statistics))
    figures = statistics.figures()
    if json:
        from semipunct.render.outputs import output
        from semipunct.render.outputs.figures import ParsesCompared

        omitted = treebank.omitted_by_reason()
        values = {**figures.as_dict(), "omitted": omitted, "signature": signature}
        console.print_json(output(ParsesCompared, values))
        return
    console.print_figures(figures.rows(), signature)
    if treebank.omitted:
        console.say(omissions(treebank))
