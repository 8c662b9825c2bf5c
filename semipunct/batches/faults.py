"""Rows of a part that cannot be answered: they are found by halves, and others are answered.

A row is what a corpus may be divided into: a line, a paragraph, a sentence of a treebank, or a file
of another format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from semipunct.batches.parts import divide
from semipunct.errors import ConfigError, ModelError, SemipunctError, UsageError
from semipunct.files import Section

if TYPE_CHECKING:
    from semipunct.kinds.answers import Unit

R = TypeVar("R")

SETUP = (UsageError, ModelError, ConfigError)
"""Errors of models and options, which all rows share."""

_OF_WORKER = (MemoryError, OSError)
"""Errors of the process, which another one may not have."""


@dataclass(frozen=True, slots=True)
class RowError:
    """The reason why a row has no answer.

    Attributes:
        file: its file.
        line: its first line there.
        error: the reason.
    """

    file: str
    line: int
    error: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}"
        return self.error if self.error.startswith(place) else f"{place}: {self.error}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that cannot be answered.

    Attributes:
        row: the row, with its place in the file.
        reason: what is wrong with it.
    """

    row: Section
    reason: str


def answer_apart(
    sections: Sequence[Section], unit: Unit, answer: Callable[[Sequence[Section]], R]
) -> Iterator[R | Fault]:
    """Yield the answers for consecutive rows, all at once if none of them has a fault.

    Args:
        sections: the rows.
        unit: what a row is.
        answer: answers some of them, in order, or raises an exception; it is called again for
            fewer rows.

    Raises:
        SemipunctError: if a model or an option is wrong.
    """
    try:
        yield answer(sections)
        return
    except (*SETUP, *_OF_WORKER):
        raise
    except Exception as error:  # noqa: BLE001 - a row must not end what is done with all
        rows = _rows(sections, unit)
        if len(rows) == 1:
            yield Fault(rows[0], reason_of(error))
            return
    half = len(rows) // 2
    for some in (rows[:half], rows[half:]):
        yield from answer_apart(_join(some), unit, answer)


def reason_of(error: Exception) -> str:
    """Return the message of an exception in one line, with its class if it is not ours.

    Args:
        error: the exception.
    """
    words = " ".join(str(error).split())
    return words if isinstance(error, SemipunctError) else f"{type(error).__name__}: {words}"


def _rows(sections: Sequence[Section], unit: Unit) -> list[Section]:
    """Return the rows of sections, each as a section of its own; at least one."""
    rows = [
        Section(
            str(section),
            section.content[piece.start : piece.stop],
            first_line=section.first_line + piece.first_line - 1,
            first_byte=section.first_byte + piece.start,
            first_character=section.first_character + piece.first_character,
            sentences_before=section.sentences_before + piece.sentences_before,
            is_inside=True,
        )
        for section in sections
        for part in divide([section], unit, 1)
        for piece in part.pieces
    ]
    return rows or list(sections)


def _join(rows: Sequence[Section]) -> list[Section]:
    """Return consecutive rows as sections, one for each file."""
    return [
        Section(
            str(of_file[0]),
            b"".join(row.content for row in of_file),
            first_line=of_file[0].first_line,
            first_byte=of_file[0].first_byte,
            first_character=of_file[0].first_character,
            sentences_before=of_file[0].sentences_before,
            is_inside=True,
        )
        for of_file in _by_file(rows)
    ]


def _by_file(rows: Sequence[Section]) -> Iterator[list[Section]]:
    """Yield rows of the same file that follow each other; a file may be named twice in a row."""
    number = -1
    numbered: list[tuple[int, Section]] = []
    for row in rows:
        number += not numbered or row.first_byte == 0 or str(numbered[-1][1]) != str(row)
        numbered.append((number, row))
    for _, of_file in groupby(numbered, lambda pair: pair[0]):
        yield [row for _, row in of_file]
