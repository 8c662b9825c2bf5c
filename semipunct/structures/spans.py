"""Span trees: binary bracketings, where a span of two words or more consists of two smaller ones.

| Part | Shape                     | Entry                                                   |
| ---- | ------------------------- | ------------------------------------------------------- |
| span | ``[batch, n, n, labels]`` | ``[b, i, j, l]``: words i to j, both included, are an l |

Entries with i > j are ignored.

Source: Stern, Andreas and Klein (2017); sums over trees as in Zhang, Zhou and Li (2020), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import check_lengths, check_log_weights, check_shapes
from semipunct.structures.base import PartWise, Total, lifted
from semipunct.structures.chart import (
    by_width,
    diagonals,
    next_ends,
    spanning,
    with_newest,
    with_row,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring


class SpanParts(NamedTuple):
    """An entry for each part of a tree; the module's table has their shapes."""

    span: Any


@partial(jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=[])
@dataclass(frozen=True)
class SpanTrees(PartWise[SpanParts]):
    """A batch of sets of bracketings; see ``span_trees``."""

    def total(
        self,
        semiring: Semiring,
        feature: SpanParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """Run the inside recursion by width; arguments as in ``Structure.total``."""
        s, span = semiring, self.weights.span
        batch, length = span.shape[:2]
        if length == 0:
            return Total(s.ones((batch,)), jnp.zeros((batch,), span.dtype))
        words = jnp.arange(length)
        used = words[None, :, None] <= words[None, None, :]
        used &= words[None, None, :] < self.lengths[:, None, None]
        span = jnp.where(used[..., None], span, -jnp.inf)
        # Labels of different spans are independent: their sum comes first.
        spans = s.sum(lifted(s, span, None if feature is None else feature.span), axis=3)
        # Each tree has all words as spans, and one wider span less than words.
        single, factors = s.balance(jax.tree.map(_diagonal, spans), ())
        wider, factor = s.balance(diagonals(s, spans), (1, 2))
        log_scale = jnp.sum(jnp.where(words[None] < self.lengths[:, None], factors, 0.0), 1)
        log_scale = log_scale + jnp.maximum(self.lengths - 1, 0).astype(span.dtype) * factor

        def step(chart: Any, width: jax.Array, weight: Any) -> Any:
            starts, ends = chart
            ends = next_ends(s, ends)
            new = s.times(weight, s.sum(s.times(starts, ends), axis=1))
            return with_row(starts, width, new), with_newest(s, ends, new)

        row = jax.tree.map(lambda x: x[:, None], single)
        starts, _ = by_width(s, step, (row, row), wider, length - 1, recursion)
        whole = spanning(s, starts, self.lengths)
        whole = s.where(self.lengths > 0, whole, s.ones((batch,)))
        return Total(whole, log_scale.astype(span.dtype))


def span_trees(spans: jax.Array, lengths: jax.Array | None = None) -> SpanTrees:
    """Make binary trees with labelled spans, where a tree weighs the product of its spans.

    Every span of a tree, single words included, has exactly one label, so that a tree of n words
    has 2 n - 1 of them. A product has a span before those that it consists of, left before right.

    Args:
        spans: ``[batch, n, n, labels]`` log weight of the constituent from word i (axis 1) to word
            j (axis 2), both included, with each label. Entries with i > j are ignored.
        lengths: ``[batch]`` words of each sentence, 0 to n; n by default. The empty sentence has
            one tree, of weight one.

    Raises:
        UsageError: if shapes do not fit, a length is out of range or a log weight is not one.
    """
    spans = jnp.asarray(spans)
    check_shapes(spans=(spans, "batch words words labels"))
    check_log_weights(spans=spans)
    batch, words = spans.shape[:2]
    lengths = jnp.full(batch, words, jnp.int32) if lengths is None else jnp.asarray(lengths)
    check_shapes(spans=(spans, "batch words words labels"), lengths=(lengths, "batch"))
    check_lengths(lengths, words)
    return SpanTrees(SpanParts(spans), lengths)


def _diagonal(x: jax.Array) -> jax.Array:
    """Return ``[batch, n]`` of ``[batch, n, n]``: without a gather, as a column of longer rows."""
    batch, size, _ = x.shape
    flat = jnp.concatenate([x.reshape(batch, size * size), x[:, 0]], 1)
    return flat.reshape(batch, size, size + 1)[:, :, 0]
