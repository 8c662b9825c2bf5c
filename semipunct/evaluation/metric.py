"""Metrics: counts for each sentence, and figures computed from their sums over a corpus.

A metric is one class derived from ``Statistics`` and one line in ``registry.METRICS``.  The class
declares its columns and measures; storing, reading, adding up, and comparing results read that
declaration.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from semipunct.evaluation.columns import Array, Column, Floats
from semipunct.wording import counted


class Figures(Protocol):
    """The figures of a corpus."""

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON; null stands for an infinite or undefined one."""
        ...

    def rows(self) -> list[tuple[str, str]]:
        """Return the main figures for a table: names, and values as text."""
        ...


def ratio(part: float, whole: float) -> float:
    """Return the quotient of two numbers; a denominator of 0 leaves it undefined: NaN, never 0.

    Args:
        part: the numerator.
        whole: the denominator.
    """
    return part / whole if whole else math.nan


def quotient(totals: Floats, shared: Floats) -> Floats:
    """Return the first of some sums over a shared one.

    Args:
        totals: ``[..., columns]`` sums of a system.
        shared: ``[...]`` the sum that is the same for all systems.
    """
    return totals[..., 0] / shared


def identity(score: Floats) -> Floats:
    """Return the scores themselves."""
    return score


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a system, as a function of sums over sentences.

    Permutations are tested on the score.  The link takes the score to the figure, such as a
    surprisal to a perplexity; it must grow, so that both have the same p.

    Attributes:
        name: its name in JSON.
        label: its name in tables.
        columns: the columns of a system that are summed; an entry of several counts contributes
            their sum.
        shared: the given column that is summed once for all systems; by default each sentence
            contributes 1.
        score: the function that takes the sums ``[..., columns]`` and the shared sum ``[...]`` to
            the score ``[...]``; it may divide by zero where it is undefined.
        link: the function that takes the score to the figure.
        of_finite: whether sentences are left out of which a compared system has an infinite entry;
            such a measure is itself left out where there are none.
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
            totals: ``[..., columns]`` sums of a system.
            shared: ``[...]`` the sum that is the same for all systems.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.link(self.score(totals, shared))


@dataclass(frozen=True, slots=True)
class Setting:
    """A choice made in counting, the same for all sentences of a result.

    Attributes:
        entry: the type of its value in JSON.
        noun: the name of that type, for messages.
        counted: the name of what depends on the choice, for messages.
        read: the function that takes the value from JSON.
        write: the inverse of ``read``.
    """

    entry: Any
    noun: str
    counted: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Statistics(ABC):
    """The contribution of each sentence of a corpus to the figures of one metric.

    Derived classes are frozen dataclasses with ``slots`` and without ``eq``, which declare:

    * ``task``: the name of the metric, in files and signatures.
    * ``columns``: the columns in the order of the file; each is an attribute, an array.
    * ``derived``: counts that follow from columns, which measures may name; each is a property.
    * ``settings``: choices made in counting; each is an attribute.
    * ``measures``: those that results are compared by, the most important one first.
    * ``conditions``: parts of the signature that decide what is predicted, beside task and
      treebank: results that differ in them cannot be compared.

    Attributes:
        marks: the marks that the columns by mark count, sorted.

    Raises:
        ValueError: if the shapes or the entries contradict each other; names the sentence.
    """

    task: ClassVar[str]
    columns: ClassVar[Mapping[str, Column]]
    measures: ClassVar[tuple[Measure, ...]]
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    derived: ClassVar[tuple[str, ...]] = ()
    conditions: ClassVar[tuple[str, ...]] = ()

    marks: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        first, *others = (f.name for f in fields(self) if f.name in self.columns)
        for name in others:
            if len(self.column(name)) != len(self.column(first)):
                raise ValueError(
                    f"{first} is there for {counted(len(self.column(first)), 'sentence')} and "
                    f"{name} for {len(self.column(name))}"
                )
        for name, kind in self.columns.items():
            kind.check(name, self.column(name), self.marks)
        self.check()

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.column(next(iter(self.columns))))

    @abstractmethod
    def figures(self) -> Figures:
        """Return the figures of the corpus."""

    def check(self) -> None:
        """Check that columns that are sound alone do not contradict each other.

        Raises:
            ValueError: if they do; names the sentence.
        """
        return

    @property
    def score(self) -> float:
        """The figure of the first measure."""
        measure = self.measures[0]
        return float(measure.figure(self.sums(measure).sum(0), self.shared(measure).sum()))

    def column(self, name: str) -> Array:
        """Return a column, or derived counts, by name."""
        return getattr(self, name)

    def sums(self, measure: Measure) -> Floats:
        """Return the summands of a measure, ``[sentences, columns]``."""
        return np.stack([self._total(name) for name in measure.columns], -1)

    def shared(self, measure: Measure) -> Floats:
        """Return the summands of a measure that all systems share, ``[sentences]``."""
        return np.ones(len(self)) if measure.shared is None else self._total(measure.shared)

    def on_marks(self, marks: Sequence[str]) -> Self:
        """Return the same statistics with a place for each of some more marks."""
        columns = {
            name: kind.on_marks(self.column(name), self.marks, marks)
            for name, kind in self.columns.items()
        }
        return replace(self, marks=tuple(marks), **columns)

    def _total(self, name: str) -> Floats:
        column = self.column(name)
        return column.sum(tuple(range(1, column.ndim))).astype(np.float64)
