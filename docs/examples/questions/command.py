"""The command: read, call, print."""

from typing import Annotated

import typer

from semipunct.extend import console


def questions(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Treebanks.")],
    result: Annotated[str | None, typer.Option(metavar="FILE", help="Store the result.")] = None,
) -> None:
    """Classify sentences as questions, and print the accuracy."""
    # Here and not above, so that --help answers at once.
    from questions.task import questions as run

    import semipunct
    from semipunct.evaluation import write_result

    found = run(semipunct.read(*files))
    if result:
        write_result(result, found)
    console.print_json(found.figures.as_dict())
