"""Alignments answer every question as a list of all paths does."""

from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np
import pytest
from alignments import Alignments, Steps

from semipunct.structures import testing

LENGTHS = ((0, 0), (2, 1), (1, 3), (2, 3))
MOVES = ((1, 1), (1, 0), (0, 1))


def build() -> Alignments:
    """Four items, of two rows and three columns at most."""
    steps = Steps(jnp.zeros((4, 2, 3)), jnp.zeros((4, 2, 4)), jnp.zeros((4, 3, 3)))
    return Alignments(steps, jnp.array(LENGTHS))


def paths(i: int, j: int) -> Iterator[list[tuple[int, int, int]]]:
    """All paths to a cell: for each step its kind, and the cell that it leaves."""
    if i == j == 0:
        yield []
    for kind, (down, right) in enumerate(MOVES):
        if i >= down and j >= right:
            for path in paths(i - down, j - right):
                yield [*path, (kind, i - down, j - right)]


def derivations(item: int) -> Iterator[testing.Event]:
    """All alignments of an item: one where a path takes a step, zero elsewhere."""
    for path in paths(*LENGTHS[item]):
        parts = Steps(np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((3, 3)))
        for kind, i, j in path:
            parts[kind][i, j] = 1
        yield testing.Event(parts)


CASE = testing.Case("alignments", build, derivations)


@pytest.mark.parametrize("name", testing.CHECKS)
def test_alignments(name: str):
    """One test for each check, from the log partition to memory budgets."""
    testing.check(CASE, [name])
