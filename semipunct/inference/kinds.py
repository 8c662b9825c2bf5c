"""Draws that agree so far share what follows: telling the different ones apart, and choosing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def kinds(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """The different rows of ``[draws, columns]``, and which of them each is."""
    columns = rows.shape[1]
    largest = int(rows.max()) + 1 if columns > 1 else 1
    if largest**columns > 1 << 62:
        found, kind = np.unique(rows, axis=0, return_inverse=True)
        return found, kind.ravel()
    # One number a row, which sorts much faster.
    code = rows[:, 0]
    for column in rows.T[1:]:
        code = code * largest + column
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], kind


class Choice(NamedTuple):
    """What each draw chooses from.

    Attributes:
        probability: ``[kinds, columns]``; a row sums to one.
        kind: ``[draws]`` the row that each draw goes by.
    """

    probability: npt.NDArray[np.float64]
    kind: Ints

    @classmethod
    def of(cls, scores: npt.NDArray[np.float32], kind: Ints) -> Choice:
        """From ``[kinds, columns]`` log weights, unnormalised; they are overwritten."""
        scores -= scores.max(1, keepdims=True)
        weight = np.exp(scores, out=scores).astype(np.float64)
        return cls(weight / weight.sum(1, keepdims=True), kind)

    def draw(self, generator: np.random.Generator) -> Ints:
        """``[draws]`` columns."""
        rows, columns = self.probability.shape
        # One search for all: each kind has a stretch of its own on the line.
        line = (self.probability.cumsum(1) + np.arange(rows)[:, None]).ravel()
        point = self.kind + generator.random(len(self.kind))
        drawn = np.searchsorted(line, point, "right") - self.kind * columns
        return np.clip(drawn, 0, columns - 1)

    def of_column(self, column: int) -> npt.NDArray[np.float64]:
        """``[draws]`` the probability that each draw gives to a column."""
        return self.probability[self.kind, column]
