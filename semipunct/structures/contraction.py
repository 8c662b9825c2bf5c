"""The best non-projective tree, by contraction of cycles, compiled.

On the host, ``arborescences`` does the same in double precision.

Nodes keep their numbers. The node with the smallest number of a cycle stands for all of it after
the contraction, and the others leave the graph, so that all arrays keep their shapes. Each arc of
the contracted graph remembers the arc of the sentence that it stands for: from these the heads are
read off, and expanding a cycle only decides which of its nodes the arc from outside enters.

Why on the device as well: docs/decisions/0063-crossing-arcs.md.

Source: Chu and Liu (1965); Edmonds (1967), with the order of weights of ``best_heads``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class _Graph(NamedTuple):
    """A contracted graph and its history; ``s`` is the number of nodes, the root among them.

    Attributes:
        rank: ``[s, s]`` of the arcs, compared first; minus infinity where there is no arc.
        weight: ``[s, s]`` compared second.
        arc: ``[2, s, s]`` head and dependent, in the sentence, of the arc that each stands for.
        node: ``[s]`` the node that stands for each word.
        heads: ``[s]`` the best head of each node in the graph.
        cycle: ``[s]`` the nodes of a cycle of these; none at the end.
        level: the number of contractions so far.
        cycles: ``[s, s]`` by level, the nodes of the cycle that was contracted.
        nodes: ``[s, s]`` by level, ``node`` before the contraction.
        arcs: ``[s, 2, s]`` by level, the arcs of the sentence to the nodes of the cycle.
    """

    rank: Any
    weight: Any
    arc: Any
    node: Any
    heads: Any
    cycle: Any
    level: Any
    cycles: Any
    nodes: Any
    arcs: Any


def traced_best_heads(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> jax.Array:
    """Find the heads ``[batch, n]`` of the best tree of each item, in the precision of the weights.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights from head to dependent; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.

    Returns:
        Heads; -1 in the padding, for all words of an item without a tree, and where a weight is NaN
        or plus infinity.
    """
    exact = jnp.promote_types(arcs.dtype, jnp.float32)
    return jax.vmap(lambda a, n: _best(a.astype(exact), n, single_root))(arcs, lengths)


def _best(arcs: jax.Array, length: jax.Array, single_root: bool) -> jax.Array:
    size = len(arcs)
    words = jnp.arange(size)
    inside = words <= length
    used = inside[:, None] & inside & (words > 0) & ~jnp.eye(size, dtype=bool)
    valid = jnp.all(~used | (arcs < jnp.inf))
    possible = used & (arcs > -jnp.inf) & (arcs < jnp.inf)
    # Forbidden arcs outnumber the children of the root, as in `best_heads`.
    rank = jnp.where(possible, 0.0, -(size + 1.0)).at[0].add(-float(single_root))
    rank = jnp.where(used, rank, -jnp.inf).astype(arcs.dtype)
    weight = jnp.where(possible, arcs, 0.0)
    of_sentence = jnp.stack(jnp.meshgrid(words, words, indexing="ij"))
    heads, cycle = _heads_and_cycle(rank, weight)
    graph = _Graph(
        rank, weight, of_sentence, words, heads, cycle, jnp.array(0),
        jnp.zeros((size, size), bool), jnp.zeros((size, size), words.dtype),
        jnp.zeros((size, 2, size), words.dtype),
    )  # fmt: skip
    graph = jax.lax.while_loop(lambda g: jnp.any(g.cycle), _contract, graph)
    above, _ = _expand(graph)
    is_tree = jnp.where(inside & (words > 0), possible[above, words], True)
    several = jnp.sum(inside & (words > 0) & (above == 0)) > 1
    fits = valid & jnp.all(is_tree) & ~(several & single_root)
    return jnp.where(fits & inside, above, -1)[1:]


def _first_best(rank: jax.Array, weight: jax.Array, axis: int) -> jax.Array:
    """Return the index of the largest pair along an axis."""
    highest = jnp.max(rank, axis, keepdims=True)
    return jnp.argmax(jnp.where(rank == highest, weight, -jnp.inf), axis)


def _heads_and_cycle(rank: jax.Array, weight: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the best head of each node, and the nodes of a cycle among these arcs, if any."""
    size = len(rank)
    exists = jnp.any(rank > -jnp.inf, 0)
    heads = jnp.where(exists, _first_best(rank, weight, 0), 0)
    # Steps upwards, doubled: from below or on a cycle one never reaches the root.
    doubled = [heads]
    for _ in range(size.bit_length()):
        doubled.append(doubled[-1][doubled[-1]])
    start = jnp.argmax(doubled[-1] > 0)
    cycle = jnp.zeros(size, bool).at[doubled[-1][start]].set(jnp.any(doubled[-1] > 0))
    for above in doubled:
        cycle = cycle.at[jnp.where(cycle, above, size)].set(True, mode="drop")
    return heads, cycle


def _contract(g: _Graph) -> _Graph:
    """Contract the cycle."""
    size = len(g.rank)
    words = jnp.arange(size)
    merged = jnp.argmax(g.cycle)
    within = (g.heads, words)
    # An arc to the cycle replaces the arc within the cycle.
    gain = jnp.where(g.cycle, g.rank - g.rank[within], -jnp.inf)
    gain_weight = g.weight - g.weight[within]
    entry = _first_best(gain, gain_weight, 1)
    leave = _first_best(jnp.where(g.cycle[:, None], g.rank, -jnp.inf), g.weight, 0)
    gone = g.cycle & (words != merged)

    def replaced(value: jax.Array, to_cycle: jax.Array, from_cycle: jax.Array) -> jax.Array:
        return value.at[..., :, merged].set(to_cycle).at[..., merged, :].set(from_cycle)

    rank = replaced(g.rank, gain[words, entry], g.rank[leave, words])
    rank = jnp.where(gone[:, None] | gone, -jnp.inf, rank).at[merged, merged].set(-jnp.inf)
    weight = replaced(g.weight, gain_weight[words, entry], g.weight[leave, words])
    arc = replaced(g.arc, g.arc[:, words, entry], g.arc[:, leave, words])
    heads, cycle = _heads_and_cycle(rank, weight)
    return _Graph(
        rank, weight, arc, jnp.where(g.cycle[g.node], merged, g.node), heads, cycle, g.level + 1,
        g.cycles.at[g.level].set(g.cycle), g.nodes.at[g.level].set(g.node),
        g.arcs.at[g.level].set(g.arc[:, g.heads, words]),
    )  # fmt: skip


def _expand(g: _Graph) -> jax.Array:
    """Return the arcs ``[2, s]`` of the sentence, heads and dependents, to each word."""
    words = jnp.arange(len(g.rank))

    def expand(number: jax.Array, chosen: jax.Array) -> jax.Array:
        level = g.level - 1 - number
        cycle = g.cycles[level]
        from_outside = chosen[:, jnp.argmax(cycle)]
        entered = words == g.nodes[level, from_outside[1]]
        inner = jnp.where(entered, from_outside[:, None], g.arcs[level])
        return jnp.where(cycle, inner, chosen)

    return jax.lax.fori_loop(0, g.level, expand, g.arc[:, g.heads, words])
