"""Draws that agree so far share what follows: telling the different ones apart, and choosing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
T = TypeVar("T", bound=Hashable)

_LARGEST = 1 << 62


class Numbering(Generic[T]):
    """Things numbered in the order in which they come up, from 0."""

    def __init__(self, first: T) -> None:
        """Number the first one."""
        self.things = [first]
        self._number = {first: 0}

    def number(self, thing: T) -> int:
        """The number of a thing, a new one if it has none."""
        found = self._number.setdefault(thing, len(self.things))
        if found == len(self.things):
            self.things.append(thing)
        return found


class Codes(Generic[T]):
    """Something that is read off numbered things, once for each."""

    def __init__(self, numbering: Numbering[T], read: Callable[[list[T]], Ints]) -> None:
        """Prepare to read; ``read`` returns a row for each thing."""
        self._numbering, self._read = numbering, read
        self._rows = read(numbering.things)

    def __getitem__(self, numbers: Ints) -> Ints:
        """The rows of some things."""
        new = self._numbering.things[len(self._rows) :]
        if new:
            self._rows = np.concatenate([self._rows, self._read(new)])
        return self._rows[numbers]


def kinds(*columns: Ints) -> tuple[Ints, Ints]:
    """Tell rows of numbers apart.

    Args:
        columns: ``[draws]`` each, not negative.

    Returns:
        ``[kinds]`` the number of some draw of each kind, and ``[draws]`` the kind of each.
    """
    code, codes = columns[0].astype(np.int64), int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        size = int(column.max(initial=0)) + 1
        if codes * size > _LARGEST:
            first, code = _kinds(code)
            codes = len(first)
        code = code * size + column
        codes *= size
    return _kinds(code)


def _kinds(code: Ints) -> tuple[Ints, Ints]:
    order = np.argsort(code)
    ascending = code[order]
    new = np.ones(len(code), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    kind = np.empty_like(order)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind


class Choice(NamedTuple):
    """What each draw chooses from.

    Attributes:
        weight: ``[columns, kinds]`` of the alternatives, unnormalised.
        kind: ``[draws]`` which of these each draw goes by.
    """

    weight: Floats
    kind: Ints

    @classmethod
    def of(cls, scores: npt.NDArray[np.float32], kind: Ints) -> Choice:
        """From ``[kinds, columns]`` log weights."""
        by_column = np.ascontiguousarray(scores.T)
        by_column -= by_column.max(0)
        return cls(np.exp(by_column, out=by_column).astype(np.float64), kind)

    def draw(self, points: Floats) -> Ints:
        """``[draws]`` columns, each chosen by a point that is uniform between 0 and 1."""
        drawn = np.zeros(len(points), np.int64)
        still, kind = np.arange(len(points)), self.kind
        points = points * self.weight.sum(0).take(kind)
        passed = np.zeros(self.weight.shape[1])
        for column, weight in enumerate(self.weight):
            if not len(still):
                break
            passed += weight
            drawn[still] = column
            beyond = (passed.take(kind) <= points).nonzero()[0]
            still, kind, points = still[beyond], kind[beyond], points[beyond]
        return drawn

    def probability(self, column: int) -> Floats:
        """``[draws]`` the probability that each draw gives to a column."""
        return (self.weight[column] / self.weight.sum(0)).take(self.kind)
