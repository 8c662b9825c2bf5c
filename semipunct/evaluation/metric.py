"""Metrics: counts for each sentence, and figures computed from their sums over a corpus.

A metric is one class derived from ``Statistics`` and one line in ``registry.METRICS``.  The class
declares its columns and measures; storing, reading, aggregating and comparing results are based on
that declaration.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Self, cast

import msgspec
import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from semipunct.evaluation.figures import Figures
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


@dataclass(frozen=True, slots=True)
class Column:
    """A kind of column with one entry for each sentence: counts, unless a subclass differs.

    Attributes:
        given: whether the entries depend only on the sentences, not on a system; the given columns
            of two results must agree if they are of the same sentences.
    """

    entry: ClassVar[Any] = JsonCount
    """The type of an entry in JSON."""
    given: bool = field(default=False, kw_only=True)

    def shape(self, marks: Sequence[str]) -> tuple[int, ...]:
        """Return the shape of an entry, where some marks are counted by the columns by mark."""
        return ()

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        """Convert entries from JSON to a column.

        Args:
            name: the name of the column, for messages.
            entries: one value per sentence, already checked by ``check_entries``.
            marks: the marks that are counted by a column by mark.
        """
        return np.array(entries, np.int64).reshape(len(entries), *self.shape(marks))

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        """Convert a column to entries for JSON; the inverse of ``read``.

        Args:
            column: ``[sentences, ...]`` the column.
            marks: the marks that are counted by a column by mark.
        """
        return column.tolist()

    def check(self, name: str, column: Array) -> None:
        """Check the entries of a column of the right shape.

        Args:
            name: the name of the column, for messages.
            column: ``[sentences, ...]`` the column.

        Raises:
            ValueError: if an entry is impossible.
        """
        refuse(column < 0, f"{name} is negative")

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


@dataclass(frozen=True, slots=True)
class SlotCount(Column):
    """Counts of slots, ``[sentences]``: n + 1 for n words, so at least one."""

    given: bool = field(default=True, kw_only=True)

    def check(self, name: str, column: Array) -> None:
        refuse(column < 1, "there is no slot")


@dataclass(frozen=True, slots=True)
class CountRow(Column):
    """Rows of a fixed number of counts, ``[sentences, width]``."""

    entry = list[JsonCount]
    width: int

    def shape(self, marks: Sequence[str]) -> tuple[int, ...]:
        return (self.width,)

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        for number, entry in enumerate(entries, 1):
            if len(entry) != self.width:
                raise ValueError(f"sentence {number}: {name} is {self.complaint(entry)}")
        return Column.read(self, name, entries, marks)

    def complaint(self, entry: Any) -> str:
        whole = isinstance(entry, list) and len(cast(list[object], entry)) == self.width
        return f"{entry!r}, not {'a count' if whole else f'{self.width} counts'}"


@dataclass(frozen=True, slots=True)
class CountByMark(Column):
    """Counts of each mark, ``[sentences, marks]``.

    In JSON, each sentence has an object; the count of a mark that is not in it is 0.
    """

    entry = dict[str, JsonCount]

    def shape(self, marks: Sequence[str]) -> tuple[int, ...]:
        return (len(marks),)

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        rows = [[counts.get(mark, 0) for mark in marks] for counts in entries]
        return Column.read(self, name, rows, marks)

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        rows = column.tolist()
        return [{mark: n for mark, n in zip(marks, row, strict=True) if n} for row in rows]

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

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        column = np.array([-np.inf if value is None else value for value in entries], np.float64)
        for number in np.flatnonzero(np.isinf(column)).tolist():
            if entries[number] is not None:  # JSON's 1e400
                message = f"{name} is {self.complaint(entries[number])}"
                raise ValueError(f"sentence {number + 1}: {message}")
        return column

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        return [finite(value) for value in column.tolist()]

    def check(self, name: str, column: Array) -> None:
        refuse(np.isnan(column), f"{name} is NaN")
        refuse(column > POSITIVE, f"{name} is positive")

    def complaint(self, entry: Any) -> str:
        return f"{entry!r}, not a number"


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


F_co = TypeVar("F_co", bound=Figures, default=Figures, covariant=True)


def ratio(part: float, whole: float) -> float:
    """Return the quotient of two numbers; NaN if the denominator is 0.

    Args:
        part: the numerator.
        whole: the denominator.
    """
    return part / whole if whole else math.nan


def quotient(totals: Floats, shared: Floats) -> Floats:
    """Return the first of a system's sums divided by a shared sum.

    Args:
        totals: ``[..., columns]`` the sums of a system.
        shared: ``[...]`` the sum that is the same for all systems.
    """
    return totals[..., 0] / shared


def identity(score: Floats) -> Floats:
    """Return the scores unchanged."""
    return score


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a system, as a function of sums over sentences.

    The permutation test uses the score.  The link maps the score to the figure, such as surprisal
    to perplexity; it must be increasing, so that both have the same p-value.

    Attributes:
        name: the name in JSON.
        label: the name in tables.
        columns: the columns of a system that are summed; an entry of several counts contributes
            their sum.
        shared: the given column that is summed once for all systems; by default each sentence
            contributes 1.
        score: the function from the sums ``[..., columns]`` and the shared sum ``[...]`` to the
            score ``[...]``; it may divide by zero if the score is undefined.
        link: the function from the score to the figure.
        of_finite: whether to exclude sentences for which a compared system has an infinite entry;
            if there are none, the measure itself is left out.
    """

    name: str
    label: str
    columns: tuple[str, ...]
    shared: str | None = None
    score: Callable[[Floats, Floats], Floats] = quotient
    link: Callable[[Floats], Floats] = identity
    of_finite: bool = False

    def figure(self, totals: Floats, shared: Floats) -> Floats:
        """Return the figures of sums, ``[...]``; NaN where undefined.

        Args:
            totals: ``[..., columns]`` the sums of a system.
            shared: ``[...]`` the sum that is the same for all systems.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.link(self.score(totals, shared))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the counting, which is the same for all sentences of a result.

    Attributes:
        entry: the type of its value in JSON.
        noun: the name of that type, for messages.
        counted: the name of the counts that depend on the setting, for messages.
        read: the function that converts the value from JSON.
        write: the inverse of ``read``.
    """

    entry: Any
    noun: str
    counted: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Statistics(ABC, Generic[F_co]):
    """The contribution of each sentence of a corpus to the figures of one metric.

    ``F_co`` is the type of these figures.

    Derived classes are frozen dataclasses with ``slots`` and without ``eq``, which declare:

    * ``task``: the name of the metric, in files and signatures.
    * ``columns``: the columns in the order of the file; each is an attribute, an array.
    * ``derived``: counts computed from columns, which measures may refer to; each is a property.
    * ``settings``: settings of the counting; each is an attribute.
    * ``measures``: the measures by which results are compared, the most important one first.
    * ``conditions``: parts of the signature that define the prediction task, in addition to task
      and treebank: results that differ in them cannot be compared.

    Attributes:
        marks: the marks counted by the columns by mark, sorted.

    Raises:
        ValueError: if shapes or entries are inconsistent; the message names the sentence.
    """

    task: ClassVar[str]
    columns: ClassVar[Mapping[str, Column]]
    measures: ClassVar[tuple[Measure, ...]]
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    derived: ClassVar[tuple[str, ...]] = ()
    conditions: ClassVar[tuple[str, ...]] = ()

    marks: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        first, *further = (f.name for f in fields(self) if f.name in self.columns)
        for name in further:
            if len(self.column(name)) != len(self.column(first)):
                raise ValueError(
                    f"{first} has {quantity(len(self.column(first)), 'sentence')} and {name} has "
                    f"{len(self.column(name))}"
                )
        for name, kind in self.columns.items():
            if self.column(name).shape[1:] != kind.shape(self.marks):
                raise ValueError(f"{name} has shape {self.column(name).shape}")
            kind.check(name, self.column(name))
        self.check()

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.column(next(iter(self.columns))))

    @abstractmethod
    def figures(self) -> F_co:
        """Return the figures of the corpus."""

    def check(self) -> None:
        """Check that columns, each of which is valid, are consistent with each other.

        Raises:
            ValueError: if they are inconsistent; the message names the sentence.
        """
        return

    @property
    def score(self) -> float:
        """The figure of the first measure."""
        return next(iter(self.evaluate_measures().values()))

    def evaluate_measures(self) -> dict[str, float]:
        """Return the figure of each measure of the corpus, by name; NaN where undefined."""
        return {
            measure.name: float(
                measure.figure(self.sums(measure).sum(0), self.shared(measure).sum())
            )
            for measure in self.measures
        }

    def usual_figures(self, kind: type[Figures]) -> dict[str, Any]:
        """Return what a struct of figures has of measures and of sums of columns, by name.

        Args:
            kind: of the figures; ``sentences`` is the number of sentences.
        """
        measures = self.evaluate_measures()
        counts = {"sentences": len(self)} | {
            name: int(self.column(name).sum()) for name in (*self.columns, *self.derived)
        }
        return {
            name: v for name, v in (counts | measures).items() if name in kind.__struct_fields__
        }

    def column(self, name: str) -> Array:
        """Return a column, or derived counts, by name."""
        return getattr(self, name)

    def sums(self, measure: Measure) -> Floats:
        """Return the summands of a measure, ``[sentences, columns]``."""
        return np.stack([self._total(name) for name in measure.columns], -1)

    def shared(self, measure: Measure) -> Floats:
        """Return the summands of a measure that are the same for all systems, ``[sentences]``."""
        return np.ones(len(self)) if measure.shared is None else self._total(measure.shared)

    def on_marks(self, marks: Sequence[str]) -> Self:
        """Return the same statistics with columns by mark extended to a superset of the marks."""
        columns = {
            name: kind.on_marks(self.column(name), self.marks, marks)
            for name, kind in self.columns.items()
        }
        return replace(self, marks=tuple(marks), **columns)

    def _total(self, name: str) -> Floats:
        column = self.column(name)
        return column.sum(tuple(range(1, column.ndim))).astype(np.float64)
