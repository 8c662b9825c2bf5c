"""Maximum spanning trees by contraction of cycles (Chu and Liu 1965; Edmonds 1967).

``best_heads`` and ``top_heads`` run on the host in double precision, ``traced_best_heads`` on the
device with fixed shapes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


def best_heads(arcs: Any, lengths: Any, single_root: bool) -> tuple[Any, Any]:
    """Find the best tree of each item: heads ``[batch, n]``, log weights ``[batch]``.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights from head to dependent; node 0 is the root.
    """
    batch, size, _ = arcs.shape
    heads = np.full((batch, size - 1), -1, np.int32)
    log_weight = np.zeros(batch)
    for item, length in enumerate(int(x) for x in lengths):
        weight = arcs[item, : length + 1, : length + 1].astype(np.float64)
        log_weight[item] = -np.inf
        used = ~np.eye(length + 1, dtype=bool)
        used[:, 0] = False
        if np.isnan(weight[used]).any() or (weight[used] == np.inf).any():
            log_weight[item] = np.nan
            continue
        possible = used & (weight > -np.inf)
        # Compare trees by number of forbidden arcs, then by children of a single root, then by
        # weight. A forbidden arc counts for more than all children of the root. Small integers add
        # exactly, unlike a large penalty, and need no second search, unlike Zmigrod et al. (2020),
        # section 3.
        rank = np.where(possible, 0.0, -(length + 1.0))
        rank[0] -= single_root
        rank[~used] = -np.inf
        chosen = _arborescence(np.stack([rank, np.where(possible, weight, 0.0)]))
        words = np.arange(1, length + 1)
        above = chosen[1:]
        if possible[above, words].all() and (not single_root or (above == 0).sum() <= 1):
            heads[item, :length] = above
            log_weight[item] = weight[above, words].sum()
    return heads, log_weight


def _arborescence(arcs: Any) -> Any:
    """Return heads ``[n + 1]`` of the best tree by rank, then weight, ``[2, n + 1, n + 1]``."""

    def best(values: Any, axis: int) -> Any:
        highest = values[0] == values[0].max(axis, keepdims=True)
        return np.where(highest, values[1], -np.inf).argmax(axis)

    heads = best(arcs, 0)
    heads[0] = 0
    cycle = np.array(_cycle(heads), int)
    if not len(cycle):
        return heads
    rest = np.setdiff1d(np.arange(len(heads)), cycle)
    # The cycle becomes the last node. An arc into it replaces one of its arcs.
    gain = arcs[:, rest[:, None], cycle] - arcs[:, None, heads[cycle], cycle]
    out = arcs[:, cycle[:, None], rest]
    entry, leave, index = best(gain, 1), best(out, 0), np.arange(len(rest))
    smaller = np.zeros((2, len(rest) + 1, len(rest) + 1))
    smaller[0] = -np.inf
    smaller[:, :-1, :-1] = arcs[:, rest[:, None], rest]
    smaller[:, :-1, -1], smaller[:, -1, :-1] = gain[:, index, entry], out[:, leave, index]
    above = _arborescence(smaller)
    for place, node in enumerate(rest[1:], 1):
        head = above[place]
        heads[node] = cycle[leave[place]] if head == len(rest) else rest[head]
    heads[cycle[entry[above[-1]]]] = rest[above[-1]]
    return heads


def _cycle(heads: Any) -> list[int]:
    state = [0] * len(heads)
    state[0] = -1
    for start in range(1, len(heads)):
        node = start
        while not state[node]:
            state[node] = start
            node = int(heads[node])
        if state[node] == start:
            cycle, after = [node], int(heads[node])
            while after != node:
                cycle.append(after)
                after = int(heads[after])
            return cycle
    return []


def top_heads(arcs: Any, lengths: Any, single_root: bool, k: int) -> tuple[Any, Any]:
    """Find the k best trees of each item: heads ``[k, batch, n]``, log weights ``[k, batch]``.

    Beyond the last tree, heads are -1 and log weights minus infinity; NaN weights give NaN.
    """
    batch, size, _ = arcs.shape
    heads = np.full((k, batch, size - 1), -1, np.int32)
    log_weight = np.full((k, batch), -np.inf)
    for item, length in enumerate(int(x) for x in lengths):
        weight = arcs[item, : length + 1, : length + 1].astype(np.float64)
        for rank, (tree, value) in zip(range(k), _ranked(weight, single_root), strict=False):
            if np.isnan(value):
                log_weight[:, item] = np.nan
                break
            heads[rank, item, :length] = tree
            log_weight[rank, item] = value
    return heads, log_weight


class _Trees(NamedTuple):
    """An entry of the heap: a set of trees.

    Unless ``is_known``, the trees of the set first differ from ``tree`` at the word after the fixed
    ones.
    """

    negative: float  # minus an upper bound of the log weight, exact if known
    number: int  # tie-breaker
    is_known: bool  # whether `tree` is the best tree of the set
    left: Any  # [n + 1, n + 1] log weights, minus infinity if forbidden
    fixed: int  # number of initial words with fixed heads
    tree: Any  # [n] heads


def _ranked(weight: Any, single_root: bool) -> Iterator[tuple[Any, float]]:
    """Yield trees, best first.

    The other trees are partitioned by the first word whose head differs (Lawler 1972). A set is
    solved only when its bound, from the best arc to each word, tops the heap.
    """
    words = np.arange(1, len(weight))
    left = weight.copy()
    left[words, words] = -np.inf
    numbers = count()
    waiting: list[_Trees] = []

    def find(left: Any, fixed: int) -> None:
        (heads,), (value,) = best_heads(left[None], [len(words)], single_root)
        if value != -np.inf:
            heapq.heappush(waiting, _Trees(-value, next(numbers), True, left, fixed, heads))

    find(left, 0)
    while waiting:
        trees = heapq.heappop(waiting)
        left, fixed, tree = trees.left, trees.fixed, trees.tree
        if not trees.is_known:
            left, word = left.copy(), fixed + 1
            left[tree[fixed], word] = -np.inf
            at = words[:fixed]
            chosen = left[tree[:fixed], at]
            left[:, at] = -np.inf
            left[tree[:fixed], at] = chosen
            find(left, fixed)
            continue
        yield tree, -trees.negative
        if np.isnan(trees.negative) or not len(words):
            return
        of_tree = left[tree, words]
        other = left[:, 1:].copy()
        other[tree, words - 1] = -np.inf
        best = left[:, 1:].max(0)
        after = np.append(np.cumsum(best[::-1])[::-1], 0.0)[1:]
        before = np.append(0.0, np.cumsum(of_tree))[:-1]
        bounds = np.minimum(before + other.max(0) + after, -trees.negative)
        for place in range(fixed, len(words)):
            if bounds[place] > -np.inf:
                entry = _Trees(-bounds[place], next(numbers), False, left, place, tree)
                heapq.heappush(waiting, entry)


class _Graph(NamedTuple):
    """A contracted graph with s nodes and its history."""

    rank: Any  # [s, s], compared first; minus infinity for absent arcs
    weight: Any  # [s, s], compared second
    arc: Any  # [2, s, s] head and dependent in the sentence
    node: Any  # [s] representative of each word, the lowest node of its cycle
    heads: Any  # [s] best heads
    cycle: Any  # [s] mask of a cycle; empty at the end
    level: Any  # number of contractions
    cycles: Any  # [s, s] contracted cycles by level
    nodes: Any  # [s, s] by level, `node` before contraction
    arcs: Any  # [s, 2, s] by level, arcs of the sentence to each node


def traced_best_heads(arcs: jax.Array, lengths: jax.Array, single_root: bool) -> jax.Array:
    """Find the best tree of each item, heads ``[batch, n]``, in the precision of the weights.

    Heads are -1 in the padding, and for items without a tree or with a weight of NaN or infinity.
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
    # As in `best_heads`.
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
    """Return the index of the largest (rank, weight)."""
    highest = jnp.max(rank, axis, keepdims=True)
    return jnp.argmax(jnp.where(rank == highest, weight, -jnp.inf), axis)


def _heads_and_cycle(rank: jax.Array, weight: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the best head of each node and the mask of a cycle among them."""
    size = len(rank)
    exists = jnp.any(rank > -jnp.inf, 0)
    heads = jnp.where(exists, _first_best(rank, weight, 0), 0)
    # Pointer doubling: nodes on or below a cycle never reach the root.
    doubled = [heads]
    for _ in range(size.bit_length()):
        doubled.append(doubled[-1][doubled[-1]])
    start = jnp.argmax(doubled[-1] > 0)
    cycle = jnp.zeros(size, bool).at[doubled[-1][start]].set(jnp.any(doubled[-1] > 0))
    for above in doubled:
        cycle = cycle.at[jnp.where(cycle, above, size)].set(True, mode="drop")
    return heads, cycle


def _contract(g: _Graph) -> _Graph:
    size = len(g.rank)
    words = jnp.arange(size)
    merged = jnp.argmax(g.cycle)
    within = (g.heads, words)
    # An arc into the cycle replaces one of its arcs.
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
    """Return the arcs ``[2, s]`` of the sentence, heads and dependents."""
    words = jnp.arange(len(g.rank))

    def expand(number: jax.Array, chosen: jax.Array) -> jax.Array:
        level = g.level - 1 - number
        cycle = g.cycles[level]
        from_outside = chosen[:, jnp.argmax(cycle)]
        entered = words == g.nodes[level, from_outside[1]]
        inner = jnp.where(entered, from_outside[:, None], g.arcs[level])
        return jnp.where(cycle, inner, chosen)

    return jax.lax.fori_loop(0, g.level, expand, g.arc[:, g.heads, words])
