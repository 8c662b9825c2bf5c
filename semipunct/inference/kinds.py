"""Draws that agree so far share what follows: telling the different ones apart, and drawing."""

from __future__ import annotations

from typing import Any

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


def draw(scores: npt.NDArray[np.float32], kind: Ints, generator: np.random.Generator) -> Ints:
    """Draw a column for each draw.

    Args:
        scores: ``[kinds, columns]`` log weights, unnormalised; overwritten.
        kind: ``[draws]`` the row that each draw goes by.
        generator: the source of chance.
    """
    scores -= scores.max(1, keepdims=True)
    cumulative = np.exp(scores, out=scores).cumsum(1, dtype=np.float64)
    # One search for all: each kind has a stretch of its own on the line.
    ends = cumulative[:, -1].cumsum()
    starts = ends - cumulative[:, -1]
    cumulative += starts[:, None]
    point = starts[kind] + generator.random(len(kind)) * (ends - starts)[kind]
    drawn = np.searchsorted(cumulative.ravel(), point, "right") - kind * scores.shape[1]
    return np.clip(drawn, 0, scores.shape[1] - 1)
