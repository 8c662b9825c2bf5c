"""Alignments agree with enumerated paths."""

from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np
import pytest
from alignments import Alignments, Steps

from semipunct.structures import testing

LENGTHS = ((0, 0), (2, 1), (1, 3), (2, 3), (5, 9))
MOVES = ((1, 1), (1, 0), (0, 1))


def visits(item: int, i: int, j: int) -> bool:
    """Return whether paths may visit a cell: paths of the last item stay near its diagonal."""
    return item < 4 or abs(9 * i - 5 * j) <= 6


def build() -> Alignments:
    """Build five items of at most five rows and nine columns; the last one restricts its steps."""
    steps = Steps(np.zeros((5, 5, 9)), np.zeros((5, 5, 10)), np.zeros((5, 6, 9)))
    for log_weights, (down, right) in zip(steps, MOVES, strict=True):
        for i, j in np.ndindex(log_weights.shape[1:]):
            if not (visits(4, i, j) and visits(4, i + down, j + right)):
                log_weights[4, i, j] = -np.inf
    return Alignments(Steps(*map(jnp.asarray, steps)), jnp.array(LENGTHS))


def paths(item: int, i: int, j: int) -> Iterator[list[tuple[int, int, int]]]:
    """Enumerate the paths to a cell: for each step its kind, and the cell where it begins."""
    if i == j == 0:
        yield []
    for kind, (down, right) in enumerate(MOVES):
        if i >= down and j >= right and visits(item, i, j):
            for path in paths(item, i - down, j - right):
                yield [*path, (kind, i - down, j - right)]


def derivations(item: int) -> Iterator[testing.Event]:
    """Enumerate the alignments of an item as indicators of their steps."""
    for path in paths(item, *LENGTHS[item]):
        parts = Steps(np.zeros((5, 9)), np.zeros((5, 10)), np.zeros((6, 9)))
        for kind, i, j in path:
            parts[kind][i, j] = 1
        yield testing.Event(parts)


CASE = testing.Case("alignments", build, derivations)


@pytest.mark.parametrize("name", testing.CHECKS)
def test_alignments(name: str):
    """Run one test for each check."""
    testing.check(CASE, [name])
