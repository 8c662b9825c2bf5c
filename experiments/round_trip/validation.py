"""Errors of the validator of Universal Dependencies (``udtools``) before and after a command."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections import Counter

from round_trip.reading import split_file

LEVEL = 3
"""All tests of format and guidelines that do not depend on the language."""

NO_PACKAGE = (
    "the package udtools is not installed: pip install 'semipunct[validation]', or compare "
    "without it by --without-validator"
)


def validation_errors(content: str) -> list[Counter[str]]:
    """Count the errors of each sentence of a treebank by the name of the test.

    Args:
        content: the treebank.

    Raises:
        SystemExit: if the package is not installed.
    """
    try:
        from udtools.validator import Validator  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise SystemExit(NO_PACKAGE) from error
    blocks, gaps = split_file(content)
    starts: list[int] = []
    line = 1
    for gap, block in zip(gaps, [*blocks, ""], strict=True):
        line += gap.count("\n")
        starts.append(line)
        line += block.count("\n")
    validator = Validator(lang="ud", level=LEVEL, output=None)
    state = validator.validate_file_handle(io.StringIO(content, newline=None))
    counts = [Counter[str]() for _ in blocks]
    for incident in state.error_tracker:
        if incident.is_error() and blocks:
            number = min(max(bisect_right(starts, incident.lineno) - 1, 0), len(blocks) - 1)
            counts[number][incident.testid] += 1
    return counts


def new_errors(before: list[Counter[str]], after: list[Counter[str]]) -> Counter[str]:
    """Count by test the errors that sentences have more often after a command than before.

    Args:
        before: the errors of each sentence of the input.
        after: of the output; all of them are new if there is another number of sentences.
    """
    if len(before) != len(after):
        before, after = [sum(before, Counter())], [sum(after, Counter())]
    return sum(
        (
            errors_after - errors_before
            for errors_before, errors_after in zip(before, after, strict=True)
        ),
        Counter(),
    )
