"""Non-projective trees drawn without replacement, on the host.

Independent draws that keep only new trees are draws without replacement. An item with few trees is
listed, perturbed and sorted instead, which gives the same distribution (the Gumbel top-k trick:
Vieira 2014; Kool et al. 2019).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.ranked_trees import top_heads
from semipunct.wording import quantity

_FEW = 16
"""The largest number of trees of an item that is listed."""


def different_heads(
    arcs: Any,
    lengths: Any,
    single_root: bool,
    draw: Callable[[jax.Array], tuple[Any, Any]],
    key: jax.Array,
    count: int,
    patience: int,
) -> tuple[Any, Any]:
    """Draw different trees of each item, in the order of drawing.

    Args:
        arcs: ``[batch, n + 1, n + 1]`` log weights from head to dependent; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.
        draw: returns independent trees for a key, heads ``[draws, batch, n]`` and log weights
            ``[draws, batch]``.
        key: a random key.
        count: the number of trees of each item.
        patience: the number of calls of ``draw`` before an error is raised.

    Returns:
        Heads ``[count, batch, n]`` and log weights ``[count, batch]``; -1 and minus infinity, or
        NaN, beyond the number of trees.

    Raises:
        UsageError: if the trees that were found have so much of the weight of an item that no other
            was drawn.
    """
    listing, key = jax.random.split(key)
    listed, weight = top_heads(arcs, lengths, single_root, _FEW + 1)
    batch, words = listed.shape[1:]
    is_listed = ~(weight[_FEW] > -np.inf)
    noise = np.asarray(jax.random.gumbel(listing, weight.shape))
    order = np.argsort(-(weight + noise), 0, kind="stable")[:count]
    heads = np.full((count, batch, words), -1)
    log_weight = np.full((count, batch), -np.inf)
    items = np.flatnonzero(is_listed)
    heads[: len(order), items] = listed[order[:, items], items]
    log_weight[: len(order), items] = weight[order[:, items], items]
    log_weight[:, np.isnan(weight[0])] = np.nan
    # Such an item has more trees than are listed, but may have fewer than are wanted.
    seen: list[set[bytes]] = [set() for _ in range(batch)]
    wanted = [0 if is_listed[item] else count for item in range(batch)]
    for item in np.flatnonzero(~is_listed & (count > _FEW + 1)).tolist():
        (_, of_item) = top_heads(
            arcs[item : item + 1], lengths[item : item + 1], single_root, count
        )
        wanted[item] = int((of_item > -np.inf).sum())
    for _ in range(patience):
        if all(len(s) >= w for s, w in zip(seen, wanted, strict=True)):
            return heads, log_weight
        key, of_round = jax.random.split(key)
        drawn, drawn_weight = (np.asarray(x) for x in draw(of_round))
        for item, (known, limit) in enumerate(zip(seen, wanted, strict=True)):
            for tree, value in zip(drawn[:, item], drawn_weight[:, item], strict=True):
                if len(known) < limit and tree.tobytes() not in known:
                    heads[len(known), item], log_weight[len(known), item] = tree, value
                    known.add(tree.tobytes())
    item = next(i for i in range(batch) if len(seen[i]) < wanted[i])
    raise UsageError(
        f"item {item}: {quantity(patience, 'round')} of {quantity(count, 'draw')} gave "
        f"{quantity(len(seen[item]), 'different tree')} of {wanted[item]} wanted; the others have "
        "too little weight. Draw fewer, or get the best ones: top"
    )
