"""Hypergraphs: a sum by hand, levels, and errors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution
from semipunct.structures.hypergraph import NOTHING, Room, hypergraphs, layout
from semirings import Counting


def test_a_sum_written_out():
    # Node 3 is derived from nodes 1 and 2, or from node 1 alone; node 1 in two ways.
    weights = np.log([[2.0, 3.0, 5.0, 7.0, 11.0]])
    heads = [[1, 1, 2, 3, 3]]
    tails = [[(0, 0), (0, 0), (0, 0), (1, 2), (1, NOTHING)]]
    graph = hypergraphs(jnp.asarray(weights), heads, tails, [3])
    total = (2 + 3) * 5 * 7 + (2 + 3) * 11

    @jax.jit
    def answers(graph: Any) -> tuple[Any, ...]:
        d = Distribution(graph)
        return *d.log_partition_and_marginals(), d.ask(Counting()).value, d.best().parts

    log_partition, marginals, number, best = answers(graph)
    np.testing.assert_allclose(np.exp(log_partition), [total], rtol=1e-5)
    expected = [[2 * (35 + 11), 3 * (35 + 11), 175, 175, 55]]
    np.testing.assert_allclose(marginals, np.array(expected) / total, rtol=1e-5)
    assert int(number[0]) == 4
    np.testing.assert_array_equal(best, [[0, 1, 1, 1, 0]])


def test_levels():
    levels = layout(np.array([3, 1, 2]), np.array([(1, 2), (0, 0), (1, 0)]), 3)
    assert levels.levels.tolist() == [-1, 0, 1, 2]
    assert levels.room == Room(3, 1, 1)


@pytest.mark.parametrize(
    ("heads", "tails", "roots", "complaint"),
    [
        ([[1, 2]], [[(2, 0), (1, 0)]], [1], "a node is derived from itself"),
        ([[0]], [[(0, 0)]], [0], "a number below 1"),
        ([[1]], [[(-1, 0)]], [1], "a number below 1"),
        ([[1]], [[(0, 0, 0)]], [1], "tails has shape"),
        ([[1], [1]], [[(0, 0)]], [1], "heads has shape"),
        ([[]], np.zeros((1, 0, 2)), [1], "without hyperedges"),
        # A derivation would use node 1 twice: directly, and within node 2.
        ([[1, 2]], [[(0, 0), (1, 1)]], [2], "hyperedge 1 derives node 2 from 1 and 1"),
        ([[1, 2, 3]], [[(0, 0), (1, 0), (2, 1)]], [3], "both of which may use node 1"),
    ],
)
def test_what_is_refused(heads: list, tails: list, roots: list, complaint: str):  # type: ignore[type-arg]
    with pytest.raises(UsageError, match=complaint):
        hypergraphs(jnp.zeros((1, len(heads[0]))), heads, tails, roots)


def test_too_little_room():
    with pytest.raises(UsageError, match="give at least that"):
        hypergraphs(jnp.zeros((1, 1)), [[1]], [[(0, 0)]], [1], room=Room(1, 0, 1))
