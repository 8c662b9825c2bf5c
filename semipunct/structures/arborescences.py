"""The best non-projective tree, by contraction of cycles, and checks of trees, on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from semipunct.errors import UsageError


def best_heads(arcs: Any, lengths: Any, single_root: bool) -> tuple[Any, Any]:
    """Find the best tree of each item: heads ``[batch, n]`` and log weights ``[batch]``.

    Trees are compared first by the number of forbidden arcs, then, with a single root, by the
    number of children of the root, then by weight. Such triples are added and compared like
    numbers, which is all that the contraction needs: the result is exact, unlike that of a large
    penalty on the root, and needs no second search, unlike that of Zmigrod et al. (2020), section
    3, at the same cost of n**3 at worst.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights from head to dependent; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.

    Source: Chu and Liu (1965); Edmonds (1967).
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
        # Forbidden arcs outnumber the children of the root; both are small integers, added exactly.
        rank = np.where(possible, 0.0, -(length + 1.0))
        rank[0] -= single_root
        rank[~used] = -np.inf
        chosen = _arborescence(rank, np.where(possible, weight, 0.0))
        words = np.arange(1, length + 1)
        above = chosen[1:]
        if possible[above, words].all() and (not single_root or (above == 0).sum() <= 1):
            heads[item, :length] = above
            log_weight[item] = weight[above, words].sum()
    return heads, log_weight


def check_trees(heads: Any, lengths: Any, single_root: bool, first: int = 0) -> None:
    """Check that heads are trees.

    Args:
        heads: ``[batch, n]`` the head of word m at m - 1; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.
        first: the number of the first item, for messages.

    Raises:
        UsageError: for the first item whose heads are not a tree.
    """
    for item, (row, length) in enumerate(zip(heads, lengths, strict=True), first):
        words = [0, *(int(h) for h in row[:length])]
        for word, head in enumerate(words[1:], 1):
            if not 0 <= head <= length or head == word:
                raise UsageError(
                    f"item {item}: the head of word {word} is {head}; it must be another of the "
                    f"words 1 to {length}, or 0 for the root"
                )
        if single_root and words[1:].count(0) > 1:
            several = [m for m, h in enumerate(words) if m and h == 0]
            raise UsageError(
                f"item {item}: words {several} are children of the root, which has one child; "
                "allow several with single_root=False"
            )
        for word in range(1, len(words)):
            above = word
            for _ in words:
                above = words[above]
            if above:
                raise UsageError(f"item {item}: the heads from word {word} upwards form a cycle")


def _arborescence(rank: Any, weight: Any) -> Any:
    """Return the heads ``[n + 1]`` of the best tree from node 0; that of node 0 is 0.

    Args:
        rank: ``[n + 1, n + 1]`` compared first; minus infinity where there is no arc.
        weight: ``[n + 1, n + 1]`` compared second.
    """
    size = len(rank)
    top = rank.max(0)
    heads = np.where(rank == top, weight, -np.inf).argmax(0)
    heads[0] = 0
    cycle = _cycle(heads)
    if not cycle:
        return heads
    inside = np.isin(np.arange(size), cycle)
    rest = np.flatnonzero(~inside)
    cycle = np.array(cycle)
    # The cycle becomes the last node. An arc to it replaces the arc within the cycle.
    gain = rank[np.ix_(rest, cycle)] - rank[heads[cycle], cycle]
    gain_weight = weight[np.ix_(rest, cycle)] - weight[heads[cycle], cycle]
    entry = np.where(gain == gain.max(1, keepdims=True), gain_weight, -np.inf).argmax(1)
    out = rank[np.ix_(cycle, rest)]
    out_weight = weight[np.ix_(cycle, rest)]
    leave = np.where(out == out.max(0), out_weight, -np.inf).argmax(0)
    columns, rows = np.arange(len(rest)), np.arange(len(rest))
    smaller = np.full((len(rest) + 1,) * 2, -np.inf)
    smaller_weight = np.zeros_like(smaller)
    smaller[:-1, :-1], smaller_weight[:-1, :-1] = (
        rank[np.ix_(rest, rest)],
        weight[np.ix_(rest, rest)],
    )
    smaller[:-1, -1], smaller_weight[:-1, -1] = gain[rows, entry], gain_weight[rows, entry]
    smaller[-1, :-1], smaller_weight[-1, :-1] = out[leave, columns], out_weight[leave, columns]
    above = _arborescence(smaller, smaller_weight)
    for place, node in enumerate(rest[1:], 1):
        head = above[place]
        heads[node] = cycle[leave[place]] if head == len(rest) else rest[head]
    heads[cycle[entry[above[-1]]]] = rest[above[-1]]
    return heads


def _cycle(heads: Any) -> list[int]:
    """Return the nodes of a cycle, or none."""
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
