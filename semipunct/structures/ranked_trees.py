"""The k best non-projective trees, best first, on the host."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from semipunct.structures.arborescences import best_heads


def top_heads(arcs: Any, lengths: Any, single_root: bool, k: int) -> tuple[Any, Any]:
    """Find the k best trees of each item: heads ``[k, batch, n]`` and log weights ``[k, batch]``.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights from head to dependent; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.
        k: the number of trees. Ranks beyond the number of trees have heads -1 and log weight minus
            infinity; an item with a weight that is not one has NaN.
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
    """A set of trees, in the order of a heap.

    Attributes:
        negative: minus a bound of their log weights, or that of the best one if it is known.
        number: decides ties.
        is_known: whether ``tree`` is the best one; otherwise it is the best of a larger set, and
            the set is those of its trees whose first other head is that of the word after the fixed
            ones.
        left: ``[n + 1, n + 1]`` log weights, minus infinity where an arc is forbidden, of the set
            or of the larger one.
        fixed: the number of words, from the first, whose heads are those of the tree.
        tree: ``[n]`` heads.
    """

    negative: float
    number: int
    is_known: bool
    left: Any
    fixed: int
    tree: Any


def _ranked(weight: Any, single_root: bool) -> Iterator[tuple[Any, float]]:
    """Yield all trees of an item, best first.

    The trees other than the best are divided by the first word whose head differs from it: sets of
    trees in which some heads are fixed and some arcs forbidden, whose best trees are found in the
    same way (Lawler 1972). A set waits with a bound, the sum of the best arc to each word; its best
    tree is found only when no other set promises more.

    Args:
        weight: ``[n + 1, n + 1]`` log weights in float64.
        single_root: whether the root has exactly one child.
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
