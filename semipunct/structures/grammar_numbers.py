"""The inside recursion of a grammar in rescaled probabilities, faster than in log space.

The symbols of a span are relative to the largest, whose log weight is the unit of the span. Sums
small enough for underflow to matter are marked, and the caller repeats the recursion in log space
if the result depends on them (docs/decisions/recursions.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.chart import next_ends, with_newest, with_row
from semirings.base import take
from semirings.numerics import log_times, matmul, relative, safe_log


class Spans(NamedTuple):
    """Spans of a chart; ``number`` has weights relative to the largest symbol."""

    number: Any  # [..., symbols]
    unit: Any  # [...] log weight of the largest symbol
    low: Any  # [...] whether products of a number may underflow
    unsure: Any  # [...] whether lost terms may matter


class _Vectors:
    """The operations of a semiring that charts need, for ``Spans``."""

    def zeros(self, shape: Sequence[int]) -> Spans:
        false = jnp.zeros(shape[:-1], bool)
        return Spans(jnp.zeros(shape), jnp.full(shape[:-1], -jnp.inf), false, false)

    def zeros_like(self, a: Spans) -> Spans:
        return jax.tree.map(lambda x, y: x.astype(y.dtype), self.zeros(a.number.shape), a)

    def concatenate(self, values: Sequence[Spans], axis: int) -> Spans:
        return jax.tree.map(lambda *xs: jnp.concatenate(xs, axis), *values)


VECTORS: Any = _Vectors()


def widening(rules: jax.Array, words: jax.Array) -> tuple[Any, Spans]:
    """Return the step of the recursion over widths and the initial row.

    Charts have only nonterminals: words are added at the first and last split of a span. A step
    outputs log weights.

    Args:
        rules: ``[batch or 1, nonterminals, symbols, symbols]`` log weights.
        words: ``[batch, n, preterminals]`` log weights.
    """
    batch, length, preterminals = words.shape
    count, symbols = rules.shape[1:3]
    flat = rules.reshape(len(rules), count, symbols**2)
    by_rule, unit_of_rule = relative(flat, -1)
    low_rule = jnp.any(_is_low(flat, by_rule), -1)[:, None]
    # [batch or 1, left, right, nonterminals]
    by_rule = jnp.moveaxis(by_rule.reshape(rules.shape), 1, 3)
    unit_of_rule = jnp.swapaxes(unit_of_rule, 1, 2)
    least = _least(length * symbols**2, words.dtype)
    word = _spans(words, jnp.zeros((batch, length), bool))
    columns = _flat(by_rule[:, :count, :count])
    # A word is a left part only at the first split and a right part only at the last, so rules with
    # a word become one matrix per word.
    after_word = _by_words(word.number, by_rule[:, count:, :count])
    before_word = _by_words(word.number, jnp.swapaxes(by_rule[:, :count, count:], 1, 2))
    next_words = jnp.pad(word.number[:, 1:], ((0, 0), (0, 1), (0, 0)))
    word_pairs = word.number[..., None] * next_words[..., None, :]
    two_words = matmul(
        word_pairs.reshape(batch, length, preterminals**2), _flat(by_rule[:, count:, count:])
    )
    before_word = jnp.pad(before_word, ((0, 0), (0, length), (0, 0), (0, 0)))

    def step(chart: Any, width: jax.Array, weight: Any) -> tuple[Any, jax.Array]:
        starts, ends = chart
        places = starts.unit.shape[2]
        all_but_last_word = ends.number[:, 0]
        ends = next_ends(VECTORS, ends)
        all_but_first_word = ends.number[:, 0]
        splits = log_times(starts.unit, ends.unit)
        share, unit = relative(splits, 1)
        left = jnp.moveaxis(starts.number * share[..., None], 1, 3)
        pairs = matmul(left, jnp.moveaxis(ends.number, 1, 2))
        last_word = jax.lax.dynamic_slice_in_dim(before_word, width, places, 1)
        last_share = jax.lax.dynamic_index_in_dim(share, width - 1, 1, keepdims=False)
        total = matmul(pairs.reshape(batch, places, count**2), columns)
        total = total + _applied(all_but_first_word * share[:, 0, :, None], after_word[:, :places])
        total = total + _applied(all_but_last_word * last_share[..., None], last_word)
        total = total + jnp.where(width == 1, two_words[:, :places], 0.0)
        low = jnp.any(starts.low | ends.low | _is_low(splits, share), 1)[..., None] | low_rule
        lost = jnp.any((jax.lax.stop_gradient(total) < least) & low, 2)
        unsure = lost | jnp.any(starts.unsure | ends.unsure, 1)
        row = log_times(log_times(safe_log(total), unit_of_rule), jnp.swapaxes(unit, 1, 2))
        if weight is not None:
            row = log_times(weight, row)
        newest = _spans(row, unsure)
        return (with_row(starts, width, newest), with_newest(VECTORS, ends, newest)), row

    single = word._replace(number=jnp.zeros((batch, length, count), words.dtype))
    # Recomputing a step is faster than storing its products.
    again = jax.checkpoint(step, prevent_cse=False)
    return again, take[:, None](single)


def _by_words(words: jax.Array, rules: jax.Array) -> jax.Array:
    """Return the rules with each word as a matrix, ``[batch, n, other, nonterminals]``."""
    columns = rules.reshape(*rules.shape[:2], math.prod(rules.shape[2:]))
    return matmul(words, columns).reshape(*words.shape[:2], *rules.shape[2:])


def _applied(others: jax.Array, matrices: jax.Array) -> jax.Array:
    """Multiply vectors ``[batch, places, other]`` by the matrices of their places."""
    return jnp.squeeze(matmul(others[..., None, :], matrices), -2)


def _flat(rules: jax.Array) -> jax.Array:
    _, left, right, nonterminals = rules.shape
    return rules.reshape(len(rules), left * right, nonterminals)


def spanning(starts: Spans, lengths: jax.Array) -> Spans:
    """Select the span of all words of each item, given spans ``[batch, rows, places]``."""
    chosen = jnp.arange(starts.unit.shape[1]) == lengths[:, None] - 1
    number, unit, low, unsure = (x[:, :, 0] for x in starts)
    return Spans(
        jnp.sum(jnp.where(chosen[..., None], number, 0.0), 1),
        jnp.sum(jnp.where(chosen, unit, 0.0), 1),
        jnp.any(chosen & low, 1),
        jnp.any(chosen & unsure, 1),
    )


def with_root(root: jax.Array, whole: Spans) -> tuple[jax.Array, jax.Array]:
    """Return log totals, and whether they may be wrong, both ``[batch]``."""
    weight, unit = relative(root, 1)
    total = jnp.sum(weight * whole.number[:, : root.shape[1]], 1)
    low = whole.low | jnp.any(_is_low(root, weight), 1)
    lost = (jax.lax.stop_gradient(total) < _least(root.shape[1], total.dtype)) & low
    log_total = log_times(log_times(safe_log(total), unit[:, 0]), whole.unit)
    return log_total, lost | whole.unsure


def _spans(weights: jax.Array, unsure: jax.Array) -> Spans:
    number, unit = relative(weights, -1)
    unit = jnp.where(jnp.any(weights != -jnp.inf, -1), unit[..., 0], -jnp.inf)
    return Spans(number, unit, jnp.any(_is_low(weights, number), -1), unsure)


def _is_low(weights: jax.Array, numbers: jax.Array) -> jax.Array:
    """Return whether a product of four such numbers may underflow."""
    fourth_root = float(jnp.finfo(numbers.dtype).tiny) ** 0.25
    return (weights > -jnp.inf) & (numbers < fourth_root)


def _least(terms: int, dtype: Any) -> float:
    """Return a sum that loses less than 1/8 ulp to underflow of its terms."""
    limits = jnp.finfo(dtype)
    return 8 * terms * float(limits.tiny) / float(limits.eps)
