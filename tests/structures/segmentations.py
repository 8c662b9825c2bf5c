"""All segmentations, enumerated in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator


def widths(length: int, widest: int) -> Iterator[tuple[int, ...]]:
    """Return all ordered ways to write a length as a sum of widths."""
    if length == 0:
        yield ()
    for first in range(1, min(length, widest) + 1):
        for further in widths(length - first, widest):
            yield (first, *further)


def segmentations(length: int, widest: int, states: int) -> Iterator[list[tuple[int, int, int]]]:
    """Return all lists of segments: the position of the end, the width, the state."""
    for cut in widths(length, widest):
        ends = [end - 1 for end in itertools.accumulate(cut)]
        for chosen in itertools.product(range(states), repeat=len(cut)):
            yield list(zip(ends, cut, chosen, strict=True))
