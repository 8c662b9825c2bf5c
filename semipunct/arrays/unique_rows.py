"""Unique rows of columns of numbers, and numbers for things: work shared by what is alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
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


class RowCache(Generic[T]):
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


def unique_rows(*columns: Ints) -> tuple[Ints, Ints]:
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
            first, code = _unique(code)
            codes = len(first)
        code = code * size + column
        codes *= size
    return _unique(code)


def _unique(code: Ints) -> tuple[Ints, Ints]:
    order = np.argsort(code)
    ascending = code[order]
    new = np.ones(len(code), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    kind = np.empty_like(order)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind
