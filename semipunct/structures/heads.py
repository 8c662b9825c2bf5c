"""Dependency trees as arrays of heads: their places among arcs, and checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.draws import Places
from semipunct.structures.readable import (
    as_form,
    check,
    mask_places,
    modules_of,
    used_entry,
    used_places,
)


def places_of_heads(
    heads: Any, lengths: jax.Array, words: int, single_root: bool, projective: bool
) -> jax.Array:
    """Return the places ``[..., batch, n]`` of the arcs of trees among ``[n + 1, n + 1]``.

    Args:
        heads: ``[..., batch, n]`` the head of word m at m - 1; 0 is the root.
        lengths: ``[batch]`` numbers of words.
        words: the number n.
        single_root: whether the root has exactly one child.
        projective: whether arcs may not cross.

    Raises:
        UsageError: if the heads of an item are no such tree.
    """
    heads = as_form(heads, (len(lengths), words), "heads")
    used = used_places(lengths, words)
    xp = modules_of(heads, used)
    head = xp.where(used, heads, 0)
    valid = are_trees(xp, head, used, lengths, single_root)
    if projective:
        valid = valid & ~_cross(xp, head, used)
    check(valid, heads, lambda at: _fault(heads[at], int(lengths[at[-1]]), at[-1], single_root))
    word = np.arange(1, words + 1)
    (index,) = mask_places(valid, xp.where(used, head * (words + 1) + word, -1))
    return index


def heads_of(arc: Any) -> jax.Array:
    """Return the heads ``[..., n]`` of trees, -1 for words without an arc.

    Args:
        arc: ``[..., n + 1, n + 1]`` the uses of arcs from head to dependent, or their places.
    """
    if not isinstance(arc, Places):
        return used_entry(jnp.swapaxes(jnp.asarray(arc), -1, -2))[..., 1:]
    index, size = arc.index, arc.shape[-1]
    transposed = jnp.where(index < 0, index, index % size * size + index // size)
    return used_entry(replace(arc, index=transposed))[..., 1:]


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


def are_trees(xp: Any, head: Any, used: Any, lengths: Any, single_root: bool) -> Any:
    """Return ``[..., batch]`` whether heads are trees: steps upwards, doubled, reach the root.

    Args:
        xp: the module of arrays, numpy or jax.numpy.
        head: ``[..., batch, n]`` heads, 0 in the padding.
        used: ``[batch, n]`` the words.
        lengths: ``[batch]`` numbers of words.
        single_root: whether the root has exactly one child.
    """
    last = lengths[:, None] if isinstance(lengths, Tracer) else np.asarray(lengths)[:, None]
    inside = xp.all(((head >= 0) & (head <= last)) | ~used, -1)
    above = xp.concatenate([xp.zeros_like(head[..., :1]), xp.clip(head, 0, head.shape[-1])], -1)
    for _ in range(above.shape[-1].bit_length()):
        above = xp.take_along_axis(above, above, -1)
    valid = inside & xp.all(above == 0, -1)
    return valid & (xp.sum(used & (head == 0), -1) <= 1) if single_root else valid


def _cross(xp: Any, head: Any, used: Any) -> Any:
    """Return ``[..., batch]`` whether two arcs cross, that from the root included."""
    word = np.arange(1, head.shape[-1] + 1)
    low, high = xp.minimum(head, word), xp.maximum(head, word)
    first, second = (..., slice(None), None), (..., None, slice(None))
    crossed = (low[first] < low[second]) & (low[second] < high[first])
    crossed = crossed & (high[first] < high[second]) & used[first] & used[second]
    return xp.any(crossed, (-2, -1))


def _fault(row: Any, length: int, item: int, single_root: bool) -> str:
    """Return why the heads of an item are no tree."""
    check_trees([row], [length], single_root, first=item)
    arcs = [(*sorted((int(h), m)), m) for m, h in enumerate(row[:length], 1)]
    crossed = [(a[2], b[2]) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
    return (
        f"item {item}: the arcs to words {crossed[0][0]} and {crossed[0][1]} cross; use "
        "nonprojective_trees for such trees"
    )
