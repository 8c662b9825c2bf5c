"""Hypergraphs: a sum by hand, levels, and errors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution
from semipunct.structures.hypergraph import NOTHING, HyperedgeParts, Room, hypergraphs, layout
from semirings import Counting
from tests.semirings.strings import Strings


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
        return *d.log_partition_and_marginals(), d.sum_in(Counting()).value, d.argmax()

    log_partition, marginals, number, best = answers(graph)
    np.testing.assert_allclose(np.exp(log_partition), [total], rtol=1e-5)
    expected = [[2 * (35 + 11), 3 * (35 + 11), 175, 175, 55]]
    np.testing.assert_allclose(marginals.edge, np.array(expected) / total, rtol=1e-5)
    assert int(number[0]) == 4
    np.testing.assert_array_equal(best, [[1, 2, 3, -1, -1]])


def test_hyperedges_of_any_number_of_tails():
    # Node 4 is derived from nodes 1, 2 and 3, in this order, or from nothing; node 1 in two ways.
    weights = jnp.log(jnp.array([[2.0, 3.0, 5.0, 7.0, 11.0, 13.0], [1.0, 1, 1, 1, 1, 1]]))
    heads = [[1, 1, 2, 3, 4, 4]] * 2
    tails = [[(0, 0, 0)] * 4 + [(1, 2, 3), (0, 0, 0)]] * 2
    graph = hypergraphs(weights, heads, tails, [4, 0], [6, 0])
    d = Distribution(graph)
    log_partition, marginals = jax.jit(lambda d: d.log_partition_and_marginals())(d)
    total = (2 + 3) * 5 * 7 * 11 + 13
    np.testing.assert_allclose(np.exp(log_partition), [total, 1], rtol=1e-5)
    np.testing.assert_allclose(marginals.edge[0, 0], 2 * 5 * 7 * 11 / total, rtol=1e-5)
    # The hyperedge comes first, then its tails in their order.
    one = hypergraphs(jnp.zeros((1, 4)), [[1, 2, 3, 4]], [[(0, 0, 0)] * 3 + [(3, 1, 2)]], [4])
    letters = (
        Distribution(one).sum_in(Strings(4, 5), HyperedgeParts(jnp.array([[1, 2, 3, 4]]))).value
    )
    assert np.base_repr(int(letters.code[0]), 5) == "4312"


def test_derivations_as_lists_of_hyperedges():
    heads, tails = [[1, 1, 2, 3, 3]] * 2, [[(0, 0), (0, 0), (0, 0), (1, 2), (1, NOTHING)]] * 2
    graph = hypergraphs(jnp.zeros((2, 5)), heads, tails, [3, NOTHING], [5, 0])
    edges = jnp.array([[[3, 0, 2], [-1, -1, -1]], [[1, 4, -1], [-1, -1, -1]]])
    parts = graph.to_parts(edges)
    assert parts.edge[:, 0].tolist() == [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1]]
    assert graph.from_parts(parts)[:, 0].tolist() == [[0, 2, 3, -1, -1], [1, 4, -1, -1, -1]]
    drawn = Distribution(graph).sample(jax.random.key(0), 20)
    np.testing.assert_array_equal(graph.from_parts(graph.to_parts(drawn)), drawn)


@pytest.mark.parametrize(
    ("edges", "complaint"),
    [
        ([3, 0], r"derivation \[0\] form none: no hyperedge leads to a tail of hyperedge 3"),
        ([0, 1, 4], "hyperedges 0 and 1 lead to the same node"),
        ([0, 0, 4], "form none"),
        ([0, 2, 4], "hyperedge 2 leads to a node that is neither the root nor a tail of another"),
        ([], "no hyperedge leads to the root"),
        ([5], "a number is not that of one of its 5 hyperedges"),
    ],
)
def test_hyperedges_that_are_no_derivation(edges: list[int], complaint: str):
    tails = [[(0, 0), (0, 0), (0, 0), (1, 2), (1, NOTHING)]]
    graph = hypergraphs(jnp.zeros((1, 5)), [[1, 1, 2, 3, 3]], tails, [3])
    with pytest.raises(UsageError, match=complaint):
        graph.to_parts(jnp.array([edges], int))
    assert jnp.isnan(jax.jit(graph.to_parts)(jnp.array([edges], int)).edge).all()


def test_levels():
    levels = layout(np.array([3, 1, 2]), np.array([(1, 2), (0, 0), (1, 0)]), 3)
    assert levels.levels.tolist() == [-1, 0, 1, 2]
    assert levels.room == Room(3, 1, 1)


@pytest.mark.parametrize(
    ("heads", "tails", "roots", "complaint"),
    [
        (
            [[1, 2]],
            [[(2, 0), (1, 0)]],
            [1],
            r"hypergraph 0: a node is .* itself \(1 from 2 from 1\)",
        ),
        ([[1, 2, 3]], [[(0, 0), (2, 0), (2, 0)]], [3], r"itself \(2 from 2\)"),
        ([[0]], [[(0, 0)]], [0], "a number below 1"),
        ([[1]], [[(-1, 0)]], [1], "a number below 1"),
        ([[1]], [[0]], [1], "tails has shape"),
        ([[1], [1]], [[(0, 0)]], [1], "heads has shape"),
        ([[]], np.zeros((1, 0, 2)), [1], "without hyperedges"),
        # A derivation would use node 1 twice: directly, and within node 2.
        ([[1, 2]], [[(0, 0), (1, 1)]], [2], "hyperedge 1 derives node 2 from 1 and 1"),
        ([[1, 2, 3]], [[(0, 0), (1, 0), (2, 1)]], [3], "both of which may use node 1"),
        ([[1, 2, 3]], [[(0, 0, 0), (1, 0, 0), (2, 0, 1)]], [3], "node 3 from 2 and 1, both"),
        ([[1]], [[(0, 0)]], [2], "the root, node 2, has no derivation: no hyperedge leads to it"),
        ([[1, 2]], [[(0, 0), (1, 3)]], [2], "each hyperedge into it has a tail without one"),
    ],
)
def test_what_is_refused(heads: list, tails: list, roots: list, complaint: str):  # type: ignore[type-arg]
    with pytest.raises(UsageError, match=complaint):
        hypergraphs(jnp.zeros((1, len(heads[0]))), heads, tails, roots)


def test_arrays_that_are_not_those_of_hyperedges():
    with pytest.raises(UsageError, match="weights has shape"):
        hypergraphs(jnp.zeros(()), [[1]], [[[0]]], [1])
    with pytest.raises(UsageError, match="heads must be integers"):
        hypergraphs(jnp.zeros((1, 1)), [[1.0]], [[[0]]], [1])
    with pytest.raises(UsageError, match="heads is traced"):
        jax.jit(lambda x: hypergraphs(jnp.zeros((1, 1)), x, [[[0]]], [1]))(jnp.ones((1, 1), int))


def test_too_little_room():
    with pytest.raises(UsageError, match="give at least that"):
        hypergraphs(jnp.zeros((1, 1)), [[1]], [[(0, 0)]], [1], room=Room(1, 0, 1))
