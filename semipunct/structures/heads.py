"""Dependency trees in the form of heads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    within,
)
from semipunct.structures.draws import Places
from semipunct.structures.readable import (
    Readable,
    as_form,
    check,
    mask_places,
    modules_of,
    used_entry,
)


class ArcParts(NamedTuple):
    """Parts of a tree.

    Attributes:
        arc: ``[batch, n + 1, n + 1]`` from head to dependent; node 0 is the root.
    """

    arc: Any


@dataclass(frozen=True)
class HeadTrees(Readable[ArcParts]):
    """Base class of dependency trees.

    Usual form: heads ``[..., batch, n]`` of words 1 to n, where 0 is the root.
    """

    single_root: bool = field(default=True, metadata={"static": True})

    projective: ClassVar[bool]

    def places(self, derivations: Any) -> ArcParts:
        words, lengths = self.weights.arc.shape[1] - 1, self.lengths
        heads = as_form(derivations, (len(lengths), words), "heads")
        used = within(lengths, words)
        xp = modules_of(heads, used)
        head = xp.where(used, heads, 0)
        valid = _are_trees(xp, head, used, lengths, self.single_root)
        if self.projective:
            valid = valid & ~_cross(xp, head, used)

        def explain(at: tuple[int, ...]) -> str:
            item = at[-1]
            row = [int(h) for h in heads[at][: int(lengths[item])]]
            return f"item {item}: {_fault(row, self.single_root)}"

        check(valid, heads, explain)
        word = np.arange(1, words + 1)
        return ArcParts(*mask_places(valid, xp.where(used, head * (words + 1) + word, -1)))

    def from_parts(self, parts: ArcParts) -> jax.Array:
        arc = parts.arc
        if not isinstance(arc, Places):
            return used_entry(jnp.swapaxes(jnp.asarray(arc), -1, -2))[..., 1:]
        index, size = arc.index, arc.shape[-1]
        transposed = jnp.where(index < 0, index, index % size * size + index // size)
        return used_entry(replace(arc, index=transposed))[..., 1:]


def checked_arcs(arcs: Any, lengths: Any) -> tuple[ArcParts, jax.Array]:
    """Return checked arcs and lengths."""
    arcs = as_log_weights(arcs)
    check_shapes(arcs=(arcs, "batch words words"))
    words = arcs.shape[1] - 1
    lengths = checked_lengths(lengths, words, arcs=arcs)
    check_log_weights({"arcs": used_arcs(within(lengths + 1, words + 1))}, arcs=arcs)
    return ArcParts(arcs), lengths


def used_arcs(words: Any) -> Any:
    """Return a mask of possible arcs, given a mask ``[batch, n + 1]`` of words, root included."""
    size = words.shape[1]
    between = ~np.eye(size, dtype=bool) & (np.arange(size) > 0)
    return words[:, :, None] & words[:, None, :] & between[None]


def _are_trees(xp: Any, head: Any, used: Any, lengths: Any, single_root: bool) -> Any:
    """Return a mask ``[..., batch]`` of trees, found by pointer doubling."""
    last = lengths[:, None] if isinstance(lengths, Tracer) else np.asarray(lengths)[:, None]
    inside = xp.all(((head >= 0) & (head <= last)) | ~used, -1)
    above = xp.concatenate([xp.zeros_like(head[..., :1]), xp.clip(head, 0, head.shape[-1])], -1)
    for _ in range(above.shape[-1].bit_length()):
        above = xp.take_along_axis(above, above, -1)
    valid = inside & xp.all(above == 0, -1)
    return valid & (xp.sum(used & (head == 0), -1) <= 1) if single_root else valid


def _cross(xp: Any, head: Any, used: Any) -> Any:
    """Return a mask ``[..., batch]`` of items with crossing arcs, arcs from the root included."""
    word = np.arange(1, head.shape[-1] + 1)
    low, high = xp.minimum(head, word), xp.maximum(head, word)
    first, second = (..., slice(None), None), (..., None, slice(None))
    crossed = (low[first] < low[second]) & (low[second] < high[first])
    crossed = crossed & (high[first] < high[second]) & used[first] & used[second]
    return xp.any(crossed, (-2, -1))


def _fault(heads: list[int], single_root: bool) -> str:
    words, length = [0, *heads], len(heads)
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= length or head == word:
            return (
                f"the head of word {word} is {head}; it must be another of the words 1 to "
                f"{length}, or 0 for the root"
            )
    if single_root and heads.count(0) > 1:
        several = [m for m, h in enumerate(heads, 1) if h == 0]
        return (
            f"words {several} are children of the root, which has one child; allow several with "
            "single_root=False"
        )
    for word in range(1, length + 1):
        above = word
        for _ in words:
            above = words[above]
        if above:
            return f"the heads from word {word} upwards form a cycle"
    arcs = [(*sorted((h, m)), m) for m, h in enumerate(heads, 1)]
    crossed = [(a[2], b[2]) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
    return (
        f"the arcs to words {crossed[0][0]} and {crossed[0][1]} cross; use nonprojective_trees for "
        "such trees"
    )
