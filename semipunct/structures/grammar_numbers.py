"""The inside recursion of a grammar in numbers, relative to the largest symbol of each span.

In logarithms the sums over splits would be exponentiated in every step, which takes several times
as long as the two products of matrices. Here a span is a vector of numbers, the largest of which is
one, and the log of their unit.

A term is lost if it is below the smallest float in these units. Sums that are so small that this
matters are marked, and the caller repeats the recursion in logarithms if one is part of a whole
sentence (docs/decisions/recursions.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.chart import next_ends, with_newest, with_row
from semirings.numerics import log_times, matmul, relative, safe_log


class Spans(NamedTuple):
    """The symbols of spans.

    Attributes:
        number: ``[..., symbols]`` weights relative to the largest.
        unit: ``[...]`` the log weight of the largest; minus infinity where there is no symbol.
        low: ``[...]`` whether a number is so small that products of it may be lost.
        unsure: ``[...]`` whether terms of a sum were lost that may matter to the span.
    """

    number: Any
    unit: Any
    low: Any
    unsure: Any


class _Vectors:
    """The operations that charts need, for ``Spans``; a shape is the shape of the numbers."""

    def zeros(self, shape: Sequence[int]) -> Spans:
        """Return spans without symbols."""
        false = jnp.zeros(shape[:-1], bool)
        return Spans(jnp.zeros(shape), jnp.full(shape[:-1], -jnp.inf), false, false)

    def zeros_like(self, a: Spans) -> Spans:
        """Return spans without symbols, with the dtypes of others."""
        return jax.tree.map(lambda x, y: x.astype(y.dtype), self.zeros(a.number.shape), a)

    def concatenate(self, values: Sequence[Spans], axis: int) -> Spans:
        """Concatenate along an axis other than the symbols."""
        return jax.tree.map(lambda *xs: jnp.concatenate(xs, axis), *values)


VECTORS: Any = _Vectors()


def widening(rules: jax.Array, words: jax.Array) -> tuple[Any, Spans]:
    """Return the step of the recursion over span widths, and the row of single words.

    Charts have nonterminals only. Words are the left part of a span at its first split only, and
    the right part at its last, so they need no sum over splits: the rules with a word on one side
    are matrices of nonterminals, which are made before the first step.

    A step outputs the log weights of the nonterminals of its width.

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
    # To repeat a step takes less time than to store its products.
    again = jax.checkpoint(step, prevent_cse=False)
    return again, jax.tree.map(lambda x: x[:, None], single)


def _by_words(words: jax.Array, rules: jax.Array) -> jax.Array:
    """Return for each word a matrix ``[batch, n, other, nonterminals]`` of the rules with it.

    Args:
        words: ``[batch, n, preterminals]`` numbers.
        rules: ``[batch or 1, preterminals, other, nonterminals]`` numbers.
    """
    columns = rules.reshape(*rules.shape[:2], math.prod(rules.shape[2:]))
    return matmul(words, columns).reshape(*words.shape[:2], *rules.shape[2:])


def _applied(others: jax.Array, matrices: jax.Array) -> jax.Array:
    """Multiply vectors ``[batch, places, other]`` by the matrices of their places."""
    return jnp.squeeze(matmul(others[..., None, :], matrices), -2)


def _flat(rules: jax.Array) -> jax.Array:
    """Return ``[batch or 1, left * right, nonterminals]``."""
    _, left, right, nonterminals = rules.shape
    return rules.reshape(len(rules), left * right, nonterminals)


def spanning(starts: Spans, lengths: jax.Array) -> Spans:
    """Select the span of all words of each item.

    Args:
        starts: ``[batch, rows, places]`` spans by width less one and by start.
    """
    chosen = jnp.arange(starts.unit.shape[1]) == lengths[:, None] - 1
    number, unit, low, unsure = (x[:, :, 0] for x in starts)
    return Spans(
        jnp.sum(jnp.where(chosen[..., None], number, 0.0), 1),
        jnp.sum(jnp.where(chosen, unit, 0.0), 1),
        jnp.any(chosen & low, 1),
        jnp.any(chosen & unsure, 1),
    )


def with_root(root: jax.Array, whole: Spans) -> tuple[jax.Array, jax.Array]:
    """Sum over the symbols of whole sentences.

    Args:
        root: ``[batch or 1, nonterminals]`` log weights.
        whole: ``[batch]`` the spans of the sentences.

    Returns:
        ``[batch]`` log totals, and whether they may be wrong.
    """
    weight, unit = relative(root, 1)
    total = jnp.sum(weight * whole.number[:, : root.shape[1]], 1)
    low = whole.low | jnp.any(_is_low(root, weight), 1)
    lost = (jax.lax.stop_gradient(total) < _least(root.shape[1], total.dtype)) & low
    log_total = log_times(log_times(safe_log(total), unit[:, 0]), whole.unit)
    return log_total, lost | whole.unsure


def _spans(weights: jax.Array, unsure: jax.Array) -> Spans:
    """Return spans with log weights ``[..., symbols]``."""
    number, unit = relative(weights, -1)
    unit = jnp.where(jnp.any(weights != -jnp.inf, -1), unit[..., 0], -jnp.inf)
    return Spans(number, unit, jnp.any(_is_low(weights, number), -1), unsure)


def _is_low(weights: jax.Array, numbers: jax.Array) -> jax.Array:
    """Return whether numbers are so small that a product of four of them may be lost."""
    fourth_root = float(jnp.finfo(numbers.dtype).tiny) ** 0.25
    return (weights > -jnp.inf) & (numbers < fourth_root)


def _least(terms: int, dtype: Any) -> float:
    """Return a sum of which lost terms are less than an eighth of a unit in the last place."""
    limits = jnp.finfo(dtype)
    return 8 * terms * float(limits.tiny) / float(limits.eps)
