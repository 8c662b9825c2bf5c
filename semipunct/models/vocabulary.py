"""Vocabularies of strings, collected from training sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]

V = TypeVar("V", str, tuple[str, ...])


def frequent(values: Iterable[V], minimum: int) -> tuple[V, ...]:
    """Return the distinct values with a minimum count, in ascending order."""
    counts = values if isinstance(values, Counter) else Counter(values)
    return tuple(sorted(value for value, n in counts.items() if n >= minimum))


def frequent_by_kind(
    items: Iterable[Mapping[str, Iterable[str]]], kinds: Iterable[str], minimum: int
) -> dict[str, tuple[str, ...]]:
    """Return the ``frequent`` values of each kind."""
    counts = {kind: Counter[str]() for kind in kinds}
    for item in items:
        for kind, counter in counts.items():
            counter.update(item[kind])
    return {kind: frequent(counter, minimum) for kind, counter in counts.items()}


class Vocabulary(msgspec.Struct, frozen=True, dict=True):
    """A vocabulary: value i of a kind has code i + 1, unknown values have code 0.

    A subclass has a tuple of values for each kind.
    """

    @cached_property
    def _code(self) -> dict[str, dict[Any, int]]:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            kind: {value: i for i, value in enumerate(listed, 1)}
            for kind, listed in values.items()
            if isinstance(listed, tuple)
        }

    def size(self, kind: str) -> int:
        """Return the number of codes of a kind, including the unknown value."""
        return len(getattr(self, kind)) + 1

    def sizes(self, kinds: Iterable[str]) -> dict[str, int]:
        return {kind: self.size(kind) for kind in kinds}

    def codes(self, kind: str, values: Iterable[Any]) -> Codes:
        table = self._code[kind]
        return np.array([table.get(value, 0) for value in values], np.int32)

    def rows(self, values: Mapping[str, Sequence[Any]], kinds: Iterable[str]) -> Codes:
        """Return the codes of the values of several kinds, ``[kinds, n]``."""
        return np.stack([self.codes(kind, values[kind]) for kind in kinds])
