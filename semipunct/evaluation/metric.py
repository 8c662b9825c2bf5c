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
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self

import numpy as np
from typing_extensions import TypeVar

from semipunct.evaluation.columns import Array, Column, Floats
from semipunct.evaluation.figures import Figures
from semipunct.wording import quantity

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
            kind.check(name, self.column(name), self.marks)
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
        measure = self.measures[0]
        return float(measure.figure(self.sums(measure).sum(0), self.shared(measure).sum()))

    def evaluate_measures(self) -> dict[str, float]:
        """Return the figure of each measure of the corpus, by name; NaN where undefined."""
        return {
            measure.name: float(
                measure.figure(self.sums(measure).sum(0), self.shared(measure).sum())
            )
            for measure in self.measures
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
