"""Unique rows of numbers, numbering of items, and rows cached by item."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
T = TypeVar("T", bound=Hashable)

_LARGEST = 1 << 62


class Numbering(Generic[T]):
    """Numbers, from 0, assigned to items in the order of their first occurrence.

    Attributes:
        items: the items by number.
    """

    def __init__(self, first: T) -> None:
        """Give the first item number 0."""
        self.items = [first]
        self._number = {first: 0}

    def number(self, item: T) -> int:
        """Return the number of an item, assigning a new one if necessary."""
        found = self._number.setdefault(item, len(self.items))
        if found == len(self.items):
            self.items.append(item)
        return found


class RowCache(Generic[T]):
    """Rows computed from numbered items, once for each."""

    def __init__(self, numbering: Numbering[T], read: Callable[[list[T]], Ints]) -> None:
        """Compute the rows of the items numbered so far.

        Args:
            numbering: the numbering of the items.
            read: computes the rows of items.
        """
        self._numbering, self._read = numbering, read
        self._rows = read(numbering.items)

    def __getitem__(self, numbers: Ints) -> Ints:
        """Return the rows of items by their numbers."""
        return self.all().take(numbers, 0)

    def all(self) -> Ints:
        """Return the rows of all items numbered so far."""
        new = self._numbering.items[len(self._rows) :]
        if new:
            self._rows = np.concatenate([self._rows, self._read(new)])
        return self._rows


def unique_rows(*columns: Ints) -> tuple[Ints, Ints]:
    """Find the distinct rows of a table of numbers.

    Args:
        *columns: ``[rows]`` each, not negative.

    Returns:
        ``[unique rows]`` the index of one occurrence of each distinct row, and ``[rows]`` the
        number of the distinct row that each row equals.
    """
    if len(columns) == 1:
        (code,) = columns
        return _unique(code, int(code.max(initial=0)) + 1)
    table = np.array(columns, np.int64)
    sizes = [size + 1 for size in table.max(1, initial=0).tolist()]
    if math.prod(sizes) <= _LARGEST:
        units = [*accumulate(reversed(sizes[1:]), operator.mul, initial=1)][::-1]
        return _unique(np.array(units) @ table, math.prod(sizes))
    code, codes = table[0], sizes[0]
    for column, size in zip(table[1:], sizes[1:], strict=True):
        if codes * size > _LARGEST:
            first, code = _unique(code, codes)
            codes = len(first)
        code = code * size + column
        codes *= size
    return _unique(code, codes)


def _unique(code: Ints, codes: int) -> tuple[Ints, Ints]:
    if codes <= 4 * len(code):
        # If most codes occur, marking them is faster than sorting.
        place = np.full(codes, -1)
        place[code] = np.arange(len(code))
        occurs = place >= 0
        return place[occurs], (np.cumsum(occurs) - 1)[code]
    order = np.argsort(code)
    ascending = code[order]
    new = np.ones(len(code), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(new) - 1
    return order[new], inverse
