"""Context-free grammars (PCFG) in Chomsky normal form; see Baker (1979), Lari and Young (1990)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from semipunct.errors import UsageError
from semipunct.structures import grammar_numbers as numbers
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
from semipunct.structures.products import decides, settle
from semipunct.structures.readable import Readable, as_marks, check, mask_places, modules_of
from semipunct.structures.recursion import Recursion
from semipunct.structures.spans import children, spans_of_trees, trees_of
from semirings.base import Semiring, Value, take
from semirings.log import Log
from semirings.numerics import log_matmul, log_matmul_of_terms, log_times, maximum

Multiply = Callable[[Value, Value], Value]

# The most steps per block. A step of a grammar is costly, so blocks pay early.
_UNDIVIDED = 16


class GrammarParts(NamedTuple):
    """Parts of a parse. Symbols are nonterminals, then preterminals.

    Attributes:
        root: ``[batch, nonterminals]``; the batch axis may be 1.
        rules: ``[batch, nonterminals, symbols, symbols]``; ``[b, x, y, z]``: x to y z, anywhere.
            The batch axis may be 1.
        emission: ``[batch, n, preterminals]``; ``[b, i, t]``: word i is a t.
        span: ``[batch, n, n, nonterminals]``; ``[b, i, j, x]``: words i to j, inclusive, i < j, are
            an x. None to save time and memory.
    """

    root: Any
    rules: Any
    emission: Any
    span: Any = None


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class PCFG(Readable[GrammarParts], Traceable):
    """A batch of sentences with grammars; build with ``pcfg``.

    Usual form: ``[..., batch, spans, 3]``, first word, last word and symbol of all spans, single
    words included, padded with -1.
    """

    form_axes: ClassVar[int] = 2

    def places(self, derivations: Any) -> GrammarParts:
        words, preterminals = self.weights.emission.shape[1:]
        nonterminals = self.weights.root.shape[1]
        symbols = nonterminals + preterminals
        first, last, symbol, used, valid = spans_of_trees(derivations, self.lengths, words, 2)
        xp = modules_of(symbol, used)
        single = used & (first == last)
        least, count = xp.where(single, nonterminals, 0), xp.where(single, symbols, nonterminals)
        wrong = used & ((symbol < least) | (symbol >= count))

        def explain(place: tuple[int, ...]) -> str:
            row = [int(x[place][wrong[place]][0]) for x in (first, last, symbol, least, count)]
            return (
                f"item {place[-1]}: span {row[:3]}: a {'word' if row[0] == row[1] else 'phrase'} "
                f"has one of the symbols {row[3]} to {row[4] - 1}"
            )

        fits = ~wrong.any(-1)
        check(fits, xp.asarray(derivations), explain)
        left, right = (xp.take_along_axis(symbol, x, -1) for x in children(first, last, used))
        wide, length = used & ~single, xp.max(xp.where(used, last + 1, 0), -1, initial=0)
        top = wide & (first == 0) & (last == length[..., None] - 1)
        span = xp.where(wide, (first * words + last) * nonterminals + symbol, -1)
        root, rules, emission, spans = mask_places(
            valid & fits,
            xp.where(top, symbol, -1),
            xp.where(wide, (symbol * symbols + left) * symbols + right, -1),
            xp.where(single, first * preterminals + symbol - nonterminals, -1),
            span,
        )
        positions = None if self.weights.span is None else spans
        return GrammarParts(root, rules, emission, positions)

    def from_parts(self, parts: GrammarParts) -> jax.Array:
        """Return spans in preorder.

        Raises:
            UsageError: if the parts have no spans.
        """
        if parts.span is None:
            raise UsageError(
                "a parse without spans has no positions; give pcfg(..., spans=0.0), or take parts"
            )
        span, emission = as_marks(parts.span), as_marks(parts.emission)
        words = jnp.eye(emission.shape[-2], dtype=emission.dtype)[..., None]
        return trees_of(jnp.concatenate([span, words * emission[..., None, :]], -1))

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion over widths."""
        s, emission = semiring, self.weights.emission
        batch, length, _ = emission.shape
        if length == 0:
            return Total(s.zeros((batch,)), jnp.zeros((batch,), emission.dtype))
        (root, rules, words, wider), log_scale = _lifted(self, s, feature)

        def run(by_terms: bool, how: Recursion) -> tuple[Value, jax.Array]:
            undivided = length if by_terms else _UNDIVIDED
            if decides(s) and not by_terms:
                step, first = numbers.widening(rules, words)
                chart = by_width(
                    numbers.VECTORS, step, (first, first), wider, how, undivided=undivided
                )
                return numbers.with_root(root, numbers.spanning(chart[0], self.lengths))
            step, row = _widening(s, rules, words, by_terms)
            chart = by_width(s, step, (row, row), wider, how, undivided=undivided)
            whole = spanning(s, chart[0], self.lengths)
            return s.sum(s.times(root, whole), axis=1), jnp.zeros((batch,), bool)

        return Total(settle(s, run, recursion), log_scale)

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[GrammarParts, jax.Array]:
        """Sample top down (Johnson, Griffiths and Goldwater 2007, section 3)."""
        batch, length, _ = self.weights.emission.shape
        if length < 2:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            total = jnp.full((batch,), -jnp.inf, self.weights.emission.dtype)
            positions = None if self.weights.span is None else nothing
            return GrammarParts(nothing, nothing, nothing, positions), total
        (root, rules, words, wider), _ = _lifted(self, Log(), None)
        by_logs, row = _widening(Log(), rules, words, by_terms=True)
        by_numbers, first = numbers.widening(rules, words)

        def run(by_terms: bool, how: Recursion) -> tuple[jax.Array, jax.Array]:
            if by_terms:
                _, rows = rows_by_width(Log(), by_logs, (row, row), wider, how, undivided=length)
                return rows, jnp.zeros((batch,), bool)
            (starts, _), rows = rows_by_width(
                numbers.VECTORS, by_numbers, (first, first), wider, how, undivided=_UNDIVIDED
            )
            return rows, numbers.spanning(starts, self.lengths).unsure

        nonterminals = root.shape[1]
        preterminals = words.shape[-1]
        single, wide = (
            jnp.pad(x, ((0, 0), (0, 0), (0, 0), other), constant_values=-jnp.inf)
            for x, other in (
                (words[:, None], (nonterminals, 0)),
                (settle(Log(), run, recursion), (0, preterminals)),
            )
        )
        spans = square(jnp.concatenate([single, wide], 1))
        whole = spans[jnp.arange(batch), 0, self.lengths, :nonterminals] + root
        at_root, descent = jax.random.split(key)
        uniform = jax.random.uniform(at_root, (count, batch), whole.dtype)
        top = choose(uniform, jnp.broadcast_to(whole, (count, *whole.shape)))
        ends = jnp.broadcast_to(self.lengths, top.shape)
        first = jnp.stack([top, jnp.zeros_like(top), ends], -1).reshape(count * batch, 1, 3)
        positions = wider is not None
        drawn = _descend(spans, rules, first.astype(jnp.int32), descent, length, positions)
        places = jnp.swapaxes(drawn, 0, 1).reshape(drawn.shape[1], count, batch, length - 1)
        emitted = jnp.concatenate([places[1], places[2]], -1)
        span = places[3] if positions else None
        parts = GrammarParts(top[..., None], places[0], emitted, span)
        return parts, maximum(whole, 1)


def _widening(s: Semiring, rules: Value, words: Value, by_terms: bool) -> tuple[Any, Value]:
    """Return the step of the recursion over widths and the initial row.

    Charts have only nonterminals: words are added at the first and last split of a span.
    """
    multiply = log_matmul_of_terms if by_terms else s.matmul
    length = jax.tree.leaves(words)[0].shape[1]
    count = jax.tree.leaves(rules)[0].shape[1]

    def of_pairs(left: slice, right: slice) -> Value:
        return jax.tree.map(lambda x: _flat(x[:, :, left, right]), rules)

    spans, of_words = slice(None, count), slice(count, None)
    of_wider = s.concatenate(
        [of_pairs(spans, spans), of_pairs(of_words, spans), of_pairs(spans, of_words)], 2
    )
    padded = s.concatenate([words, s.zeros_like(words)], 1)
    word_pairs = _pairs(s, words, take[:, 1 : length + 1](padded))
    two_words = _applied(multiply, of_pairs(of_words, of_words), word_pairs)

    def step(chart: Any, width: jax.Array, weight: Any) -> tuple[Any, Value]:
        starts, ends = chart
        places = jax.tree.leaves(starts)[0].shape[2]
        without_last = take[:, 0](ends)
        ends = next_ends(s, ends)
        without_first = take[:, 0](ends)
        first, of_two = take[:, :places]((words, two_words))
        last = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, width, places, 1), padded)
        # Sums over splits, [batch, places, symbols, symbols].
        left = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 3), starts)
        splits = multiply(left, jax.tree.map(lambda x: jnp.moveaxis(x, 1, 2), ends))
        words_aside = _pairs(s, first, without_first), _pairs(s, without_last, last)
        pairs = s.concatenate([jax.tree.map(_flat, splits), *words_aside], 2)
        wide = _applied(multiply, of_wider, pairs)
        wide = s.where(width == 1, of_two, wide)
        wide = wide if weight is None else s.times(weight, wide)
        return (with_row(starts, width, wide), with_newest(s, ends, wide)), wide

    # The terms of one step take more memory than the charts.
    run = jax.checkpoint(step, prevent_cse=False) if by_terms else step
    row = jax.tree.map(lambda x: jnp.repeat(x[:, None, :, :1], count, 3), words)
    return run, s.zeros_like(row)


def _descend(
    spans: jax.Array,
    rules: jax.Array,
    first: jax.Array,
    key: jax.Array,
    length: int,
    positions: bool,
) -> jax.Array:
    """Sample the rules and preterminals below spans ``first``, of symbol, start and end.

    Returns:
        Flat indices of rules, left and right preterminals and, with ``positions``, spans.
    """
    _, nonterminals, symbols, _ = rules.shape
    batch = spans.shape[0]
    preterminals = symbols - nonterminals
    spans_by_end = jnp.swapaxes(spans, 1, 2)
    item = jnp.tile(jnp.arange(batch), first.shape[0] // max(batch, 1))

    def split(part: jax.Array, uniform: jax.Array) -> tuple[jax.Array, jax.Array]:
        x, i, j = part.T
        pairs = log_matmul(jnp.swapaxes(spans[item, i], 1, 2), spans_by_end[item, j])
        chosen = log_times(pairs, rules[item % len(rules), x])
        pair = choose(uniform[:, 0], chosen.reshape(len(x), symbols**2))
        y, z = pair // symbols, pair % symbols
        left = jnp.take_along_axis(spans[item, i], y[:, None, None], 2)[..., 0]
        right = jnp.take_along_axis(spans_by_end[item, j], z[:, None, None], 2)[..., 0]
        k = choose(uniform[:, 1], log_times(left, right))
        one_left, one_right = k == i + 1, k == j - 1
        below = jnp.stack(
            [
                jnp.stack([jnp.where(one_left, -1, y), i, k], 1),
                jnp.stack([jnp.where(one_right, -1, z), k, j], 1),
            ],
            1,
        )
        word_left = jnp.where(one_left, i * preterminals + y - nonterminals, -1)
        word_right = jnp.where(one_right, k * preterminals + z - nonterminals, -1)
        places = [x * symbols**2 + pair, word_left, word_right]
        if positions:
            places.append((i * length + j - 1) * nonterminals + x)
        report = jnp.stack(places, 1)
        return below, jnp.where(x[:, None] < 0, -1, report)

    reports = descend(split, first, key, length - 1, length, 2)
    return jnp.swapaxes(reports, 1, 2)


@any_batch(emission=2, root=1, rules=3, lengths=0, spans=3)
def pcfg(
    root: jax.Array,
    rules: jax.Array,
    emission: jax.Array,
    lengths: jax.Array | None = None,
    spans: jax.Array | float | None = None,
) -> PCFG:
    """Parse sentences with a grammar in Chomsky normal form.

    Sentences of fewer than two words have no parse. In ``Log``, sums are products of rescaled
    probabilities, repeated in log space only if underflow may matter.

    Args:
        root: ``[*batch, nonterminals]`` log weights.
        rules: ``[*batch, nonterminals, symbols, symbols]`` log weights by parent, left and right
            child; symbols are nonterminals, then preterminals. Batch axes of ``root`` and ``rules``
            may be 1 or missing.
        emission: ``[*batch, n, preterminals]`` log weights.
        lengths: ``[*batch]`` numbers of words; n by default.
        spans: ``[*batch, n, n, nonterminals]`` log weights of words i to j, inclusive, i < j; or
            one number. 0.0 for trees; None (faster) for parts without positions.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    root, rules = as_log_weights(root, 2), as_log_weights(rules, 4)
    emission = as_log_weights(emission)
    sizes = check_shapes(
        emission=(emission, "batch words preterminals"),
        root=(root, "batch? nonterminals"),
        rules=(rules, "batch? nonterminals symbols symbols"),
    )
    if sizes["symbols"] != sizes["nonterminals"] + sizes["preterminals"]:
        raise UsageError(
            f"rules has shape {rules.shape}, for {sizes['symbols']} symbols; root has shape "
            f"{root.shape} and emission has shape {emission.shape}, for {sizes['nonterminals']} "
            f"nonterminals and {sizes['preterminals']} preterminals"
        )
    batch, words = emission.shape[:2]
    if spans is not None:
        spans = as_log_weights(jnp.asarray(spans, jnp.result_type(spans, emission)))
        if not spans.ndim:
            spans = jnp.full((batch, words, words, sizes["nonterminals"]), spans)
        check_shapes(
            emission=(emission, "batch words preterminals"),
            spans=(spans, f"batch words words {sizes['nonterminals']}"),
        )
    lengths = checked_lengths(lengths, words, emission=emission)
    inside, parsed = within(lengths, words), within(lengths - 1, 1)
    used = {
        "root": used_by_any(parsed[:, 0], root.shape),
        "rules": used_by_any(parsed[:, 0], rules.shape),
        "emission": (inside & parsed)[..., None],
    }
    check_log_weights(used, root=root, rules=rules, emission=emission)
    if spans is not None:
        check_log_weights({"spans": _wide(inside)}, spans=spans)
    return PCFG(GrammarParts(root, rules, emission, spans), lengths)


def _wide(words: Any) -> Any:
    """Return a mask ``[batch, n, n, 1]`` of spans a parse may have, given words ``[batch, n]``."""
    upper = np.triu(np.ones((words.shape[1],) * 2, bool), 1)
    return (words[:, None, :] & upper)[..., None]


def _lifted(
    grammar: PCFG, s: Semiring, feature: GrammarParts | None
) -> tuple[GrammarParts, jax.Array]:
    """Return lifted, rescaled parts, spans by width (see ``diagonals``), and log scales."""
    features = GrammarParts(None, None, None) if feature is None else feature
    # Sentences of fewer than two words have no parse.
    parsed = grammar.lengths > 1
    used = within(grammar.lengths, grammar.weights.emission.shape[1]) & parsed[:, None]
    emission = mask_padding(used, grammar.weights.emission, -jnp.inf)
    words = lift_weights(s, emission, mask_padding(used, features.emission))
    words, by_word = s.balance(words, (2,))

    def of_grammar(weights: jax.Array, feature: Any) -> Value:
        used = used_by_any(parsed, weights.shape[:1])
        return lift_weights(s, *mask_padding(used, (weights, feature)))

    rules, by_rule = s.balance(of_grammar(grammar.weights.rules, features.rules), (1, 2, 3))
    root, by_root = s.balance(of_grammar(grammar.weights.root, features.root), (1,))
    # A parse has one rule fewer than words.
    uses = jnp.maximum(grammar.lengths - 1, 0).astype(emission.dtype)
    log_scale = jnp.sum(jnp.where(used, by_word, 0.0), 1) + uses * by_rule + by_root
    wider = None
    if grammar.weights.span is not None:
        wide = _wide(used)
        span = mask_padding(wide[..., 0], grammar.weights.span, -jnp.inf)
        spans = lift_weights(s, span, mask_padding(wide[..., 0], features.span))
        wider, by_span = s.balance(diagonals(s, spans), (1, 2, 3))
        log_scale = log_scale + uses * by_span
    return GrammarParts(root, rules, words, wider), log_scale.astype(emission.dtype)


def _pairs(s: Semiring, left: Value, right: Value) -> Value:
    """Return products of adjacent symbols, ``[batch, places, left * right]``."""
    return jax.tree.map(_flat, s.times(take[..., None](left), take[..., None, :](right)))


def _applied(multiply: Multiply, rules: Value, pairs: Value) -> Value:
    """Apply rules to pairs of symbols: ``[batch, places, nonterminals]``."""
    applied = multiply(rules, jax.tree.map(lambda x: jnp.swapaxes(x, 1, 2), pairs))
    return jax.tree.map(lambda x: jnp.swapaxes(x, 1, 2), applied)


def _flat(x: jax.Array) -> jax.Array:
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
