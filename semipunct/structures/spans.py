"""Binary bracketings with labelled spans.

Source: Stern, Andreas and Klein (2017); sums as in Zhang, Zhou and Li (2020), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    used_by_any,
    within,
)
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.chart import (
    by_width,
    diagonals,
    next_ends,
    rows_by_width,
    spanning,
    square,
    with_newest,
    with_row,
)
from semipunct.structures.draws import Traceable, choose, descend
from semipunct.structures.readable import (
    Readable,
    as_form,
    as_marks,
    check,
    check_labels,
    first_rows,
    mask_places,
    modules_of,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.log import Log
from semirings.numerics import log_times


class SpanParts(NamedTuple):
    """Parts of a tree.

    Attributes:
        span: ``[batch, n, n, labels]``; ``[b, i, j, l]``: words i to j, inclusive, are an l.
    """

    span: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SpanTrees(Readable[SpanParts], Traceable):
    """A batch of sets of bracketings; build with ``span_trees``.

    Usual form: ``[..., batch, spans, 3]``, first word, last word and label of all spans, padded
    with -1.
    """

    form_axes: ClassVar[int] = 2

    def places(self, derivations: Any) -> SpanParts:
        words, _, labels = self.weights.span.shape[1:]
        first, last, label, used, valid = spans_of_trees(derivations, self.lengths, words)
        valid = valid & check_labels(label, used, labels, "labels", "labels")
        place = modules_of(label, used).where(used, (first * words + last) * labels + label, -1)
        return SpanParts(*mask_places(valid, place))

    def from_parts(self, parts: SpanParts) -> jax.Array:
        return trees_of(as_marks(parts.span))

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion over widths."""
        s, span = semiring, self.weights.span
        batch, length = span.shape[:2]
        if length == 0:
            return Total(s.ones((batch,)), jnp.zeros((batch,), span.dtype))
        row, wider, log_scale = _lifted(self, s, feature)
        starts, _ = by_width(s, partial(_step, s), (row, row), wider, recursion)
        whole = spanning(s, starts, self.lengths)
        whole = s.where(self.lengths > 0, whole, s.ones((batch,)))
        return Total(whole, log_scale.astype(span.dtype))

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[SpanParts, jax.Array]:
        """Sample top down.

        The first n entries are single words, in order.
        """
        batch, length, _, labels = self.weights.span.shape
        if length == 0:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            return SpanParts(nothing), jnp.zeros((batch,), self.weights.span.dtype)
        row, wider, _ = _lifted(self, Log(), None)
        rows = row
        if length > 1:
            _, more = rows_by_width(Log(), partial(_step, Log()), (row, row), wider, recursion)
            rows = jnp.concatenate([row, more], 1)
        spans = square(rows)
        by_end = jnp.swapaxes(spans, 1, 2)
        item = jnp.tile(jnp.arange(batch), count)

        def split(part: jax.Array, uniform: jax.Array) -> tuple[jax.Array, jax.Array]:
            i, j = part.T
            k = choose(uniform[:, 0], log_times(spans[item, i], by_end[item, j]))
            left = jnp.stack([jnp.where(k == i + 1, -1, i), k], 1)
            right = jnp.stack([jnp.where(k == j - 1, -1, k), j], 1)
            return jnp.stack([left, right], 1), jnp.where(i < 0, -1, i * length + j - 1)

        descent, labelling = jax.random.split(key)
        top = jnp.where(self.lengths > 1, 0, -1)
        first = jnp.tile(jnp.stack([top, self.lengths], 1), (count, 1))[:, None].astype(jnp.int32)
        words = jnp.arange(length)
        single = jnp.where(words < self.lengths[:, None], words * (length + 1), -1)
        place = jnp.tile(single, (count, 1))
        if length > 1:
            place = jnp.concatenate(
                [place, descend(split, first, descent, length - 1, length, 1)], 1
            )
        weights = self.weights.span.reshape(batch, length * length, labels)
        uniform = jax.random.uniform(labelling, place.shape, weights.dtype)
        label = choose(uniform, weights[item[:, None], place])
        places = jnp.where(place < 0, -1, place * labels + label)
        whole = spans[jnp.arange(batch), 0, self.lengths]
        total = jnp.where(self.lengths == 0, 0.0, whole)
        return SpanParts(places.reshape(count, batch, places.shape[1])), total


def _lifted(
    trees: SpanTrees, s: Semiring, feature: SpanParts | None
) -> tuple[Value, Value, jax.Array]:
    """Return rescaled single words ``[batch, 1, n]``, wider spans by width, and log scales."""
    span = trees.weights.span
    words = jnp.arange(span.shape[1])
    used = _used_spans(words[None] < trees.lengths[:, None])
    of_span = mask_padding(used, None if feature is None else feature.span)
    # Labels of spans are independent, so they are summed first.
    spans = s.sum(lift_weights(s, mask_padding(used, span, -jnp.inf), of_span), axis=3)
    # A tree has n single words and n - 1 wider spans.
    single, factors = s.balance(jax.tree.map(_diagonal, spans), ())
    wider, factor = s.balance(diagonals(s, spans), (1, 2))
    log_scale = jnp.sum(jnp.where(words[None] < trees.lengths[:, None], factors, 0.0), 1)
    log_scale = log_scale + jnp.maximum(trees.lengths - 1, 0).astype(span.dtype) * factor
    return take[:, None](single), wider, log_scale


def _used_spans(words: Any) -> Any:
    """Return a mask ``[batch, n, n]`` of spans in use."""
    # A span is in the sentence if its last word is.
    return words[:, None, :] & np.triu(np.ones((1, words.shape[1], words.shape[1]), bool))


def _step(s: Semiring, chart: Any, width: jax.Array, weight: Any) -> tuple[Any, Value]:
    """Sum over the splits of all spans of a width."""
    starts, ends = chart
    ends = next_ends(s, ends)
    spans = s.times(weight, s.sum(s.times(starts, ends), axis=1))
    return (with_row(starts, width, spans), with_newest(s, ends, spans)), spans


@any_batch(spans=3, lengths=0)
def span_trees(spans: jax.Array, lengths: jax.Array | None = None) -> SpanTrees:
    """Build binary trees of 2n - 1 labelled spans, single words included.

    Args:
        spans: ``[*batch, n, n, labels]`` log weight of each label of words i to j, inclusive;
            ignored for i > j.
        lengths: ``[*batch]`` numbers of words; n by default.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    spans = as_log_weights(spans)
    check_shapes(spans=(spans, "batch words words labels"))
    words = spans.shape[1]
    lengths = checked_lengths(lengths, words, spans=spans)
    used = used_by_any(_used_spans(within(lengths, words)), spans.shape)
    check_log_weights({"spans": used}, spans=spans)
    return SpanTrees(SpanParts(spans), lengths)


def _diagonal(x: jax.Array) -> jax.Array:
    """Return the diagonal ``[batch, n]`` by reshaping, without a gather."""
    batch, size, _ = x.shape
    flat = jnp.concatenate([x.reshape(batch, size * size), x[:, 0]], 1)
    return flat.reshape(batch, size, size + 1)[:, :, 0]


def spans_of_trees(
    spans: Any, lengths: jax.Array, words: int, shortest: int = 0
) -> tuple[Any, Any, Any, Any, Any]:
    """Check that spans form binary trees, and return their columns.

    A set of 2n - 1 different, non-crossing spans is always a binary tree.

    Args:
        spans: ``[..., batch, spans, 3]`` first word, last word and label, padded with -1.

    Returns:
        First words, last words, labels, a mask of used spans, and a mask ``[..., batch]`` of trees.
    """
    spans = as_form(spans, (len(lengths), None, 3), "spans")
    inside = within(lengths, words)
    xp = modules_of(spans, inside)
    length = xp.sum(inside, -1)[:, None]
    used = spans[..., 0] >= 0
    first, last, label = (xp.where(used, spans[..., i], 0) for i in range(3))
    wrong = used & ((last < first) | (last >= length))

    def explain(place: tuple[int, ...]) -> str:
        item, count = place[-1], int(length[place[-1], 0])
        rows = spans[place][used[place]].tolist()
        if wrong[place].any():
            row = spans[place][wrong[place]][0].tolist()
            return f"item {item}: span {row} is not within its words 0 to {count - 1}"
        for i, a in enumerate(rows):
            for b in rows[i + 1 :]:
                if a[:2] == b[:2]:
                    return f"item {item}: spans {a} and {b} have the same words"
                if a[0] < b[0] <= a[1] < b[1] or b[0] < a[0] <= b[1] < a[1]:
                    return f"item {item}: spans {a} and {b} cross"
        if count < shortest:
            return f"item {item}: it has {count} words, but the shortest tree has {shortest}"
        return (
            f"item {item}: {len(rows)} spans; a binary tree of {count} words has {2 * count - 1}, "
            "single words included"
        )

    one, other = (..., slice(None), None), (..., None, slice(None))
    same = (first[one] == first[other]) & (last[one] == last[other])
    crossed = (first[one] < first[other]) & (first[other] <= last[one]) & (last[one] < last[other])
    clash = (crossed | (same & ~np.eye(first.shape[-1], dtype=bool))) & used[one] & used[other]
    number = xp.maximum(2 * length[:, 0] - 1, 0)
    valid = (xp.sum(used, -1) == number) & ~xp.any(wrong, -1) & ~xp.any(clash, (-2, -1))
    valid = valid & ((length[:, 0] >= shortest) if shortest else True)
    check(valid, spans, explain)
    return first, last, label, used, valid


def children(first: Any, last: Any, used: Any) -> tuple[Any, Any]:
    """Return indices of the left and right child of each span, ``[..., spans]``.

    Indices are arbitrary for single words and unused spans.
    """
    xp = modules_of(first, last, used)
    parent, child = (..., slice(None), None), (..., None, slice(None))
    shares_first = used[child] & (first[parent] == first[child]) & (last[child] < last[parent])
    shares_last = used[child] & (last[parent] == last[child]) & (first[child] > first[parent])
    size = last[child] - first[child] + 1
    return tuple(xp.argmax(xp.where(shared, size, 0), -1) for shared in (shares_first, shares_last))


def trees_of(span: jax.Array) -> jax.Array:
    """Return spans in preorder, padded with -1: ``[..., max(2n - 1, 0), 3]``.

    Args:
        span: ``[..., n, n, labels]`` marks of spans.
    """
    words = span.shape[-2]
    # In preorder, longer spans precede shorter ones with the same first word.
    span = span[..., ::-1, :]
    flat = span.reshape(*span.shape[:-3], words * words, span.shape[-1])
    first, last = np.divmod(np.arange(words * words), max(words, 1))
    last = words - 1 - last
    label = jnp.argmax(flat, -1) if flat.shape[-1] else jnp.zeros(flat.shape[:-1], int)
    columns = (jnp.broadcast_to(x, label.shape) for x in (first, last, label))
    used = jnp.any(flat > 0, -1)
    return first_rows(jnp.stack([*columns], -1), used, max(2 * words - 1, 0))
