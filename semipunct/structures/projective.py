"""Projective dependency trees, whose arcs do not cross, in time n ** 3 (Eisner 1996; 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.chart import (
    by_width,
    diagonals,
    next_ends,
    rows_by_width,
    square,
    with_newest,
    with_row,
)
from semipunct.structures.draws import Traceable, choose, descend
from semipunct.structures.heads import ArcParts, HeadTrees, checked_arcs, used_arcs
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.log import Log
from semirings.numerics import log_times, maximum


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class ProjectiveTrees(HeadTrees, Traceable):
    """A batch of projective dependency trees; build with ``projective_trees``."""

    projective: ClassVar[bool] = True

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion over spans."""
        batch, size, _ = self.weights.arc.shape
        if size == 1:
            return Total(semiring.ones((batch,)), jnp.zeros((batch,), self.weights.arc.dtype))
        s = semiring
        arcs, log_scale = _arcs(self, s, feature)
        if not self.single_root:
            right, _, _ = _complete(s, arcs, recursion)
            return Total(take[:, size - 1](right), log_scale)
        # The only child of the root dominates all other words.
        _, left, last = _complete(s, take[:, 1:, 1:](arcs), recursion)
        root = take[:, 0, 1:](arcs)
        return Total(s.sum(s.times(s.times(left, root), last), axis=1), log_scale)

    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> tuple[ArcParts, jax.Array]:
        """Sample top down."""
        batch, size, _ = self.weights.arc.shape
        if size == 1:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            return ArcParts(nothing), jnp.zeros((batch,), self.weights.arc.dtype)
        arcs, _ = _arcs(self, Log(), None)
        top = 1 if self.single_root else 0
        spans = _spans(arcs[:, top:, top:], recursion)
        at_root, descent = jax.random.split(key)
        end = jnp.full((count, batch), size - 1 - top)
        if self.single_root:
            root = log_times(log_times(spans.left[:, 0], arcs[:, 0, 1:]), spans.right[:, :, -1])
            uniform = jax.random.uniform(at_root, (count, batch), root.dtype)
            word = choose(uniform, jnp.broadcast_to(root, (count, *root.shape)))
            total = maximum(root, 1)
            whole = [(_LEFT, jnp.zeros_like(word), word), (_RIGHT, word, end)]
        else:
            total = spans.right[:, 0, -1]
            whole = [(_RIGHT, jnp.zeros_like(end), end)]
        arc = _descend(spans, whole, descent) + top
        # Words without an arc have head 0, the root.
        heads = jnp.zeros((count * batch, size), jnp.int32)
        heads = heads.at[jnp.arange(len(arc))[:, None], arc[..., 1]].set(arc[..., 0], mode="drop")
        heads = heads.reshape(count, batch, size)[..., 1:]
        words = jnp.arange(1, size)
        used = words <= self.lengths[:, None]
        return ArcParts(jnp.where(used, heads * size + words, -1)), total


@any_batch(arcs=2, lengths=0)
def projective_trees(
    arcs: jax.Array, lengths: jax.Array | None = None, single_root: bool = True
) -> ProjectiveTrees:
    """Build projective dependency trees.

    With ``Real``, arcs are rescaled per word, so totals are below ``6.75 ** n``: in float32, up to
    45 words cannot overflow.

    Args:
        arcs: ``[*batch, n + 1, n + 1]`` log weight from head to dependent. Node 0 is the root;
            column 0 and the diagonal are ignored.
        lengths: ``[*batch]`` numbers of words; n by default.
        single_root: whether the root has exactly one child.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    return ProjectiveTrees(*checked_arcs(arcs, lengths), single_root)


def _arcs(trees: ProjectiveTrees, s: Semiring, feature: ArcParts | None) -> tuple[Value, jax.Array]:
    """Return rescaled arcs and log scales.

    Each padding word attaches to the previous word with weight one, so the recursion needs no
    lengths.
    """
    arc = trees.weights.arc
    words = jnp.arange(arc.shape[1])
    head, dependent = words[None, :, None], words[None, None, :]
    lengths = trees.lengths[:, None, None]
    used = used_arcs(words[None] <= trees.lengths[:, None])
    of_arc = mask_padding(used, None if feature is None else feature.arc)
    values = lift_weights(s, mask_padding(used, arc, -jnp.inf), of_arc)
    # Trees have one arc per word, so all have the same scale.
    values, factors = s.balance(values, (1,))
    scaled = (words[None] > 0) & (words[None] <= trees.lengths[:, None])
    log_scale = jnp.sum(jnp.where(scaled, factors, 0.0), 1)
    padding = (dependent > lengths) & (head == dependent - 1)
    fixed = s.where(padding, s.ones(arc.shape), s.zeros(arc.shape))
    return s.where(used, values, fixed), log_scale.astype(arc.dtype)


def _complete(s: Semiring, arcs: Value, recursion: Recursion) -> tuple[Value, Value, Value]:
    """Sum over complete spans ``[batch, places]``.

    Returns:
        Three values; in entry d, word 0 dominates words 1 to d, word d dominates words 0 to d - 1,
        and word d dominates all later words.
    """
    places = jax.tree.leaves(arcs)[0].shape[1]
    step, chart, slices = _widening(s, arcs)
    chart = by_width(s, step, chart, slices, recursion)
    right, left, _, right_ends, _, _ = chart
    first = (take[:, :places, 0](c) for c in (right, left, right_ends))
    return tuple(first)


def _widening(s: Semiring, arcs: Value) -> tuple[Any, Any, Any]:
    """Return step, chart and slices of the recursion over widths.

    A step outputs complete and open spans with the head left and right.
    """
    rightward = diagonals(s, arcs)
    leftward = diagonals(s, jax.tree.map(lambda x: jnp.swapaxes(x, 1, 2), arcs))

    def step(chart: Any, width: jax.Array, slices: Any) -> Any:
        # An open span ends at a head and its outermost dependent. It has at least width 1, where
        # the starts of open spans begin.
        right, left, right_open, right_ends, left_ends, left_open_ends = chart
        to_right, to_left = slices
        right_ends, left_ends = next_ends(s, right_ends), next_ends(s, left_ends)
        between = s.sum(s.times(right, left_ends), axis=1)
        right_open = with_row(right_open, width - 1, s.times(between, to_right))
        left_open = s.times(to_left, between)
        left_open_ends = with_newest(s, next_ends(s, left_open_ends), left_open)
        new_right = s.sum(s.times(right_open, right_ends), axis=1)
        new_left = s.sum(s.times(left, left_open_ends), axis=1)
        chart = (
            with_row(right, width, new_right),
            with_row(left, width, new_left),
            right_open,
            with_newest(s, right_ends, new_right),
            with_newest(s, left_ends, new_left),
            left_open_ends,
        )
        return chart, (new_right, new_left, s.times(between, to_right), left_open)

    none = take[:, :1](arcs)
    unit, zero = s.ones_like(none), s.zeros_like(none)
    return step, (unit, unit, zero, unit, unit, zero), (rightward, leftward)


class _Spans(NamedTuple):
    """Log weights of spans of words i to j, ``[batch, places, places]``."""

    right: jax.Array  # word i dominates words i + 1 to j
    left: jax.Array  # word j dominates words i to j - 1
    right_open: jax.Array  # `right`, with word j a child of word i
    left_open: jax.Array  # `left`, with word i a child of word j


# Spans: complete to the right or left, or two adjacent complete spans.
_RIGHT, _LEFT, _BETWEEN = 0, 1, 2


def _spans(arcs: jax.Array, recursion: Recursion) -> _Spans:
    batch, places, _ = arcs.shape
    nothing = jnp.full((batch, places, places), -jnp.inf, arcs.dtype)
    single = jnp.eye(places, dtype=bool)
    if places == 1:
        single_word = jnp.where(single, 0.0, nothing)
        return _Spans(single_word, single_word, nothing, nothing)
    step, chart, slices = _widening(Log(), arcs)
    _, rows = rows_by_width(Log(), step, chart, slices, recursion)
    right, left, right_open, left_open = (square(x) for x in rows)
    return _Spans(
        jnp.where(single, 0.0, right), jnp.where(single, 0.0, left), right_open, left_open
    )


def _descend(spans: _Spans, whole: Sequence[Any], key: jax.Array) -> jax.Array:
    """Sample the arcs within spans: heads and dependents ``[draws, arcs, 2]``.

    Absent arcs have a dependent beyond the last word.
    """
    count, batch = whole[0][1].shape
    places = spans.right.shape[1]
    # Parts left of a split k, by start and k; right of it, by end and k.
    after = jnp.pad(spans.left[:, 1:], ((0, 0), (0, 1), (0, 0)), constant_values=-jnp.inf)
    below = jnp.stack([spans.right_open, spans.left, spans.right], 1)
    above = jnp.swapaxes(jnp.stack([spans.right, spans.left_open, after], 1), 2, 3)
    item = jnp.tile(jnp.arange(batch), count)

    def split(part: jax.Array, uniform: jax.Array) -> tuple[jax.Array, jax.Array]:
        kind, i, j = part.T
        k = choose(uniform[:, 0], log_times(below[item, kind, i], above[item, kind, j]))
        none = jnp.full_like(k, -1)

        def unless_single(of: jax.Array, i: jax.Array, j: jax.Array) -> jax.Array:
            return jnp.stack([jnp.where(i < j, of, none), i, j], 1)

        is_right, is_left = kind == _RIGHT, kind == _LEFT
        # An arc covers two adjacent complete spans.
        between = jnp.stack(
            [
                jnp.where(is_right | is_left, _BETWEEN, none),
                jnp.where(is_right, i, k),
                jnp.where(is_right, k, j),
            ],
            1,
        )
        complete = jnp.where(is_right, _RIGHT, _LEFT)
        right_part = unless_single(complete, jnp.where(is_right, k, i), jnp.where(is_right, j, k))
        left = unless_single(jnp.full_like(k, _RIGHT), i, k)
        right = unless_single(jnp.full_like(k, _LEFT), k + 1, j)
        arc = (is_right | is_left)[:, None]
        children = jnp.stack([jnp.where(arc, between, left), jnp.where(arc, right_part, right)], 1)
        dependent = jnp.where(arc[:, 0], k, places)
        return children, jnp.stack([jnp.where(is_right, i, j), dependent], 1)

    first = [
        jnp.stack([jnp.where(i < j, kind, -1), i, j], -1).reshape(-1, 3) for kind, i, j in whole
    ]
    items = jnp.stack(first, 1).astype(jnp.int32)
    return descend(split, items, key, 2 * places, places + 2, 1)
