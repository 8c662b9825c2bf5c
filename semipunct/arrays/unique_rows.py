"""Unique rows of numbers, numbering of items, and rows cached by item."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
T = TypeVar("T", bound=Hashable)

# Possible codes per row up to which rows are marked instead of sorted.
_SPREAD = 16


class Numbering(Generic[T]):
    """Numbers from 0, assigned to items in order of first occurrence."""

    def __init__(self, first: T) -> None:
        self.items = [first]
        self._number = {first: 0}

    def number(self, item: T) -> int:
        """Return the number of an item, assigning a new one if necessary."""
        number = self._number.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


class RowCache(Generic[T]):
    """Rows computed from numbered items, once for each."""

    def __init__(self, numbering: Numbering[T], read: Callable[[list[T]], Ints]) -> None:
        self._numbering, self._read = numbering, read
        self._rows = read(numbering.items)

    def __getitem__(self, numbers: Ints) -> Ints:
        return self.all().take(numbers, 0)

    def all(self) -> Ints:
        new_items = self._numbering.items[len(self._rows) :]
        if new_items:
            self._rows = np.concatenate([self._rows, self._read(new_items)])
        return self._rows


def unique_rows(*columns: Ints) -> tuple[Ints, Ints]:
    """Find the distinct rows of a table of numbers, not negative, given as ``[rows]`` columns.

    Returns:
        ``[unique rows]`` the index of one occurrence of each, and ``[rows]`` the number of each
        row's distinct row.
    """
    code, codes = columns[0], _size(columns[0])
    for column in columns[1:]:
        size = _size(column)
        # Few of the possible rows occur, so codes are renumbered before they grow: marking them in
        # an array is many times as fast as sorting.
        if codes * size > _SPREAD * len(code) and codes > 1:
            first, code = _unique(code, codes)
            codes = len(first)
        code = code * size + column if codes > 1 else column
        codes *= size
    return _unique(code, codes)


def _size(column: Ints) -> int:
    return int(column.max(initial=0)) + 1


def _unique(code: Ints, codes: int) -> tuple[Ints, Ints]:
    """Find the distinct codes, all below ``codes``, in ascending order."""
    if codes <= _SPREAD * len(code):
        place = np.full(codes, -1)
        place[code] = np.arange(len(code))
        occurring = np.flatnonzero(place >= 0)
        first = place[occurring]
        place[occurring] = np.arange(len(first))
        return first, place[code]
    order = np.argsort(code)
    ascending = code[order]
    is_first = np.ones(len(code), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(is_first) - 1
    return order[is_first], inverse
