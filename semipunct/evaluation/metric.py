"""Metrics: counts for each sentence, and figures computed from their sums over a corpus.

Storing, aggregating and comparing results are based on the columns and measures of ``Statistics``.
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
"""Larger counts are not represented exactly by all JSON readers."""

POSITIVE = 1e-3
"""Tolerance for log probabilities above 0, due to rounding in float32."""

JsonCount = Annotated[int, msgspec.Meta(gt=-LARGEST, lt=LARGEST)]


@dataclass(frozen=True, slots=True)
class Column:
    """A column with one entry for each sentence: counts, unless a subclass differs.

    Attributes:
        given: whether the entries depend only on the sentences, not on a system.
    """

    entry: ClassVar[Any] = JsonCount
    """The type of an entry in JSON."""
    given: bool = field(default=False, kw_only=True)

    def shape(self, marks: Sequence[str]) -> tuple[int, ...]:
        """Return the shape of an entry."""
        return ()

    def read(self, name: str, entries: Sequence[Any], marks: Sequence[str]) -> Array:
        """Convert checked entries from JSON to a column."""
        return np.array(entries, np.int64).reshape(len(entries), *self.shape(marks))

    def write(self, column: Array, marks: Sequence[str]) -> list[Any]:
        """Convert a column to entries for JSON; the inverse of ``read``."""
        return column.tolist()

    def check(self, name: str, column: Array) -> None:
        """Raise ``ValueError`` for an impossible entry."""
        refuse(column < 0, f"{name} is negative")

    def complaint(self, entry: Any) -> str:
        """Describe an entry of the wrong type."""
        return f"{entry!r}, not a count"

    def check_entries(self, name: str, entries: Sequence[Any]) -> None:
        """Raise ``ValueError`` for a JSON entry of the wrong type."""
        for number, entry in enumerate(entries, 1):
            try:
                msgspec.convert(entry, self.entry)
            except msgspec.ValidationError as error:
                message = f"sentence {number}: {name} is {self.complaint(entry)}"
                raise ValueError(message) from error

    def marks(self, entries: Sequence[Any]) -> set[str]:
        return set()

    def on_marks(self, column: Array, marks: Sequence[str], more: Sequence[str]) -> Array:
        """Extend a column from ``marks`` to a superset, ``more``."""
        return column

    def disagreement(self, name: str, a: Array, b: Array, marks: Sequence[str]) -> str | None:
        """Describe the first difference between two columns; None if they are equal."""
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
    """Counts of each mark, ``[sentences, marks]``; in JSON, objects without zero counts."""

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
    """Raise ``ValueError`` for the first sentence with an invalid entry, ``[sentences, ...]``."""
    if bad.any():
        raise ValueError(f"sentence {np.argwhere(bad)[0, 0] + 1}: {problem}")


F_co = TypeVar("F_co", bound=Figures, default=Figures, covariant=True)


def ratio(part: float, whole: float) -> float:
    """Return a quotient; NaN if the denominator is 0."""
    return part / whole if whole else math.nan


def quotient(totals: Floats, shared: Floats) -> Floats:
    """Return the first of a system's sums, ``[..., columns]``, over the shared sum."""
    return totals[..., 0] / shared


def identity(score: Floats) -> Floats:
    """Return the scores."""
    return score


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a system, as a function of sums over sentences.

    The permutation test uses the score. The link, which must be increasing, maps the score to the
    figure, such as surprisal to perplexity.

    Attributes:
        label: the name in tables.
        columns: the columns of a system that are summed.
        shared: a given column that is summed once for all systems; by default sentences are
            counted.
        score: a function of the sums ``[..., columns]`` and the shared sum ``[...]``; it may divide
            by zero.
        of_finite: whether to exclude sentences with an infinite entry.
    """

    name: str
    label: str
    columns: tuple[str, ...]
    shared: str | None = None
    score: Callable[[Floats, Floats], Floats] = quotient
    link: Callable[[Floats], Floats] = identity
    of_finite: bool = False

    def figure(self, totals: Floats, shared: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.link(self.score(totals, shared))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the counting, which is the same for all sentences of a result.

    Attributes:
        entry: the type of its value in JSON.
        noun: the name of that type, for messages.
        counted: the name of the counts that depend on it, for messages.
    """

    entry: Any
    noun: str
    counted: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Statistics(ABC, Generic[F_co]):
    """The contribution of each sentence of a corpus to the figures of one metric.

    Subclasses are frozen dataclasses with ``slots`` and without ``eq``, which declare:

    * ``task``: the name of the metric.
    * ``columns``: the columns in file order; each is an attribute, an array.
    * ``derived``: counts computed from columns; each is a property.
    * ``settings``: settings of the counting; each is an attribute.
    * ``measures``: the measures to compare, the most important one first.
    * ``conditions``: parts of the signature, beside task and treebank, that must agree.

    Attributes:
        marks: the marks counted by the columns by mark, sorted.
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
        return len(self.column(next(iter(self.columns))))

    @abstractmethod
    def figures(self) -> F_co:
        """Return the figures of the corpus."""

    def check(self) -> None:
        """Raise ``ValueError``, which names the sentence, if columns are inconsistent."""

    @property
    def score(self) -> float:
        """The figure of the first measure."""
        return next(iter(self.evaluate_measures().values()))

    def evaluate_measures(self) -> dict[str, float]:
        """Return the figure of each measure, by name."""
        return {
            measure.name: float(
                measure.figure(self.sums(measure).sum(0), self.shared(measure).sum())
            )
            for measure in self.measures
        }

    def usual_figures(self, kind: type[Figures]) -> dict[str, Any]:
        """Return the fields of a struct of figures that are measures or sums of columns."""
        measures = self.evaluate_measures()
        counts = {"sentences": len(self)} | {
            name: int(self.column(name).sum()) for name in (*self.columns, *self.derived)
        }
        return {
            name: v for name, v in (counts | measures).items() if name in kind.__struct_fields__
        }

    def column(self, name: str) -> Array:
        """Return a column, or derived counts."""
        return getattr(self, name)

    def sums(self, measure: Measure) -> Floats:
        """Return the summands of a measure, ``[sentences, columns]``."""
        return np.stack([self._total(name) for name in measure.columns], -1)

    def shared(self, measure: Measure) -> Floats:
        """Return the summands that are the same for all systems, ``[sentences]``."""
        return np.ones(len(self)) if measure.shared is None else self._total(measure.shared)

    def on_marks(self, marks: Sequence[str]) -> Self:
        columns = {
            name: kind.on_marks(self.column(name), self.marks, marks)
            for name, kind in self.columns.items()
        }
        return replace(self, marks=tuple(marks), **columns)

    def _total(self, name: str) -> Floats:
        column = self.column(name)
        return column.sum(tuple(range(1, column.ndim))).astype(np.float64)
