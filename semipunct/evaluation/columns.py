"""Columns of per-sentence statistics: the validation and the JSON form of each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, ClassVar, cast

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.files import finite
from semipunct.wording import quantity

Array = npt.NDArray[Any]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LARGEST = 2**53
"""Larger counts cannot be represented exactly by all JSON readers."""

POSITIVE = 1e-3
"""Tolerance for log probabilities above 0, which result from rounding in float32."""

JsonCount = Annotated[int, msgspec.Meta(gt=-LARGEST, lt=LARGEST)]


class Column(ABC):
    """A kind of column with one entry for each sentence.

    Attributes:
        given: whether the entries depend only on the sentences, not on a system; the given columns
            of two results must agree if they are of the same sentences.
    """

    entry: ClassVar[Any]
    """The type of an entry in JSON."""
    given: bool

    @abstractmethod
    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        """Convert entries from JSON to a column.

        Args:
            name: the name of the column, for messages.
            entries: one value per sentence, already checked by ``check_entries``.
            marks: the marks that are counted by a column by mark.
        """

    @abstractmethod
    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        """Convert a column to entries for JSON; the inverse of ``read``.

        Args:
            column: ``[sentences, ...]`` the column.
            marks: the marks that are counted by a column by mark.
        """

    @abstractmethod
    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        """Check the shape of a column and its entries.

        Args:
            name: the name of the column, for messages.
            column: ``[sentences, ...]`` the column.
            marks: the marks that are counted by a column by mark.

        Raises:
            ValueError: if the shape is wrong or an entry is impossible.
        """

    def complaint(self, entry: Any) -> str:
        """Describe an entry of the wrong type, for messages."""
        return f"{entry!r}, not a count"

    def check_entries(self, name: str, entries: Sequence[Any]) -> None:
        """Check that entries from JSON are of the right type.

        Args:
            name: the name of the column, for messages.
            entries: one value per sentence.

        Raises:
            ValueError: at the first entry of another type.
        """
        for number, entry in enumerate(entries, 1):
            try:
                msgspec.convert(entry, self.entry)
            except msgspec.ValidationError as error:
                message = f"sentence {number}: {name} is {self.complaint(entry)}"
                raise ValueError(message) from error

    def marks(self, entries: Sequence[Any]) -> set[str]:
        """Return the marks that occur in checked entries."""
        return set()

    def on_marks(self, column: Array, marks: Sequence[str], more: Sequence[str]) -> Array:
        """Extend a column to a superset of its marks.

        Args:
            column: ``[sentences, ...]`` the column.
            marks: the marks that it counts, if it is a column by mark.
            more: a superset of ``marks``.
        """
        return column

    def disagreement(self, name: str, a: Array, b: Array, marks: Sequence[str]) -> str | None:
        """Describe the first difference between two columns for messages; None if they are equal.

        Args:
            name: the name of the column.
            a: ``[sentences, ...]`` the column of one result.
            b: ``[sentences, ...]`` the column of the other result.
            marks: the marks that are counted by a column by mark.
        """
        for number in np.flatnonzero(a != b)[:1]:
            count_in_a = quantity(int(a[number]), name.removesuffix("s"), name)
            return f"sentence {number + 1} has {count_in_a} in A and {b[number]} in B"
        return None


@dataclass(frozen=True, slots=True)
class Count(Column):
    """Counts, ``[sentences]``."""

    entry = JsonCount
    given: bool = False

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        return np.array(entries, np.int64)

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        return column.tolist()

    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        check_shape(name, column, ())
        refuse(column < 0, f"{name} is negative")


@dataclass(frozen=True, slots=True)
class SlotCount(Count):
    """Counts of slots, ``[sentences]``: n + 1 for n words, so at least one."""

    given: bool = True

    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        check_shape(name, column, ())
        refuse(column < 1, "there is no slot")


@dataclass(frozen=True, slots=True)
class CountRow(Column):
    """Rows of a fixed number of counts, ``[sentences, width]``."""

    entry = list[JsonCount]
    width: int
    given: bool = False

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        for number, entry in enumerate(entries, 1):
            if len(entry) != self.width:
                raise ValueError(f"sentence {number}: {name} is {self.complaint(entry)}")
        return np.array(entries, np.int64).reshape(-1, self.width)

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        return column.tolist()

    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        check_shape(name, column, (self.width,))
        refuse(column < 0, f"{name} is negative")

    def complaint(self, entry: Any) -> str:
        whole = isinstance(entry, list) and len(cast(list[object], entry)) == self.width
        return f"{entry!r}, not {'a count' if whole else f'{self.width} counts'}"


@dataclass(frozen=True, slots=True)
class CountByMark(Column):
    """Counts of each mark, ``[sentences, marks]``.

    In JSON, each sentence has an object; the count of a mark that is not in it is 0.
    """

    entry = dict[str, JsonCount]
    given: bool = False

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        rows = [[counts.get(mark, 0) for mark in marks] for counts in entries]
        return np.array(rows, np.int64).reshape(len(entries), len(marks))

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        rows = column.tolist()
        return [{mark: n for mark, n in zip(marks, row, strict=True) if n} for row in rows]

    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        check_shape(name, column, (len(marks),))
        refuse(column < 0, f"{name} is negative")

    def complaint(self, entry: Any) -> str:
        return "no object of counts by mark"

    def marks(self, entries: Sequence[Any]) -> set[str]:
        return set(chain.from_iterable(entries))

    def on_marks(self, column: Array, marks: Sequence[str], more: Sequence[str]) -> Array:
        wider = np.zeros((len(column), len(more)), np.int64)
        wider[:, [more.index(mark) for mark in marks]] = column
        return wider

    def disagreement(self, name: str, a: Array, b: Array, marks: Sequence[str]) -> str | None:
        for number, mark in np.argwhere(a != b)[:1].tolist():
            return (
                f"sentence {number + 1} has the mark {marks[mark]} "
                f"{quantity(int(a[number, mark]), 'time')} in the {name} punctuation of A and "
                f"{quantity(int(b[number, mark]), 'time')} in that of B"
            )
        return None


@dataclass(frozen=True, slots=True)
class LogLikelihood(Column):
    """Natural logarithms of probabilities, ``[sentences]``; minus infinity is null in JSON."""

    entry = int | float | None
    given: bool = False

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        column = np.array([-np.inf if value is None else value for value in entries], np.float64)
        for number in np.flatnonzero(np.isinf(column)).tolist():
            if entries[number] is not None:  # JSON's 1e400
                message = f"{name} is {self.complaint(entries[number])}"
                raise ValueError(f"sentence {number + 1}: {message}")
        return column

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        return [finite(value) for value in column.tolist()]

    def check(self, name: str, column: Array, marks: Sequence[str]) -> None:
        check_shape(name, column, ())
        refuse(np.isnan(column), f"{name} is NaN")
        refuse(column > POSITIVE, f"{name} is positive")

    def complaint(self, entry: Any) -> str:
        return f"{entry!r}, not a number"


def check_shape(name: str, column: Array, entry: tuple[int, ...]) -> None:
    """Check the shape of the entries of a column.

    Args:
        name: the name of the column, for messages.
        column: ``[sentences, ...]`` the column.
        entry: the expected shape of an entry.

    Raises:
        ValueError: if the shape is different.
    """
    if column.shape[1:] != entry:
        raise ValueError(f"{name} has shape {column.shape}")


def refuse(bad: npt.NDArray[np.bool_], problem: str) -> None:
    """Raise an error for the first sentence with an invalid entry, if there is one.

    Args:
        bad: ``[sentences, ...]`` true for invalid entries.
        problem: a description of the error.

    Raises:
        ValueError: if an entry is invalid.
    """
    if bad.any():
        raise ValueError(f"sentence {np.argwhere(bad)[0, 0] + 1}: {problem}")
