"""Weighted context-free grammars (PCFG) in Chomsky normal form, and the parses of sentences.

| Part     | Shape                                       | Entry                            |
| -------- | ------------------------------------------- | -------------------------------- |
| root     | ``[batch, nonterminals]``                   | ``[b, x]``: the sentence is an x |
| rules    | ``[batch, nonterminals, symbols, symbols]`` | ``[b, x, y, z]``: x to y z       |
| emission | ``[batch, n, preterminals]``                | ``[b, i, t]``: word i is a t     |

Symbols are nonterminals first, then preterminals. Rules have no position: a derivation may use one
several times. A batch axis of size 1 of the root or the rules is shared.

Source: Baker (1979); Lari and Young (1990).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import check_lengths, check_log_weights, check_shapes
from semipunct.errors import UsageError
from semipunct.structures.base import PartWise, Total, lifted
from semipunct.structures.chart import by_width, next_ends, spanning, with_newest, with_row
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value


class GrammarParts(NamedTuple):
    """An entry for each part of a parse; the module's table has their shapes."""

    root: Any
    rules: Any
    emission: Any


@partial(jax.tree_util.register_dataclass, data_fields=["weights", "lengths"], meta_fields=[])
@dataclass(frozen=True)
class PCFG(PartWise[GrammarParts]):
    """A batch of sentences with the grammar of each; see ``pcfg``."""

    def expanded(self) -> PCFG:
        root, rules, emission = self.weights
        batch = emission.shape[0]
        root = jnp.broadcast_to(root, (batch, *root.shape[1:]))
        rules = jnp.broadcast_to(rules, (batch, *rules.shape[1:]))
        return replace(self, weights=GrammarParts(root, rules, emission))

    def total(
        self,
        semiring: Semiring,
        feature: GrammarParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """Run the inside recursion by width; arguments as in ``Structure.total``."""
        s, emission = semiring, self.weights.emission
        batch, length, _ = emission.shape
        if length == 0:
            return Total(s.zeros((batch,)), jnp.zeros((batch,), emission.dtype))
        (root, rules, words), log_scale = _lifted(self, s, feature)
        nonterminals = jax.tree.leaves(root)[0].shape[1]
        none = s.zeros((batch, length, nonterminals))

        def step(chart: Any, width: jax.Array, _: None) -> Any:
            starts, ends = chart
            ends = next_ends(s, ends)
            new = s.concatenate([_applied(s, rules, _splits(s, starts, ends)), nothing(ends)], 2)
            return with_row(starts, width, new), with_newest(s, ends, new)

        def nothing(ends: Value) -> Value:
            return s.zeros_like(jax.tree.map(lambda x: x[:, 0, :, nonterminals:], ends))

        row = jax.tree.map(lambda x: x[:, None], s.concatenate([none, words], axis=2))
        starts, _ = by_width(s, step, (row, row), None, length - 1, recursion)
        whole = jax.tree.map(lambda x: x[:, :nonterminals], spanning(s, starts, self.lengths))
        return Total(s.sum(s.times(root, whole), axis=1), log_scale)


def pcfg(
    root: jax.Array,
    rules: jax.Array,
    emission: jax.Array,
    lengths: jax.Array | None = None,
) -> PCFG:
    """Make the parses by a grammar in normal form, where a parse weighs the product of its parts.

    The root and all spans of two words or more are nonterminals that expand to two symbols; a
    single word is a preterminal. Sentences of no word or of one have no parse: their total is
    zero. A product has the root, then for each span its rule, its left and its right part.

    In ``Log`` the sums over splits and over rules are matrix products. Among the parts of one
    sum, those whose weight is e**87 times less than what the two factors' largest weights allow
    are lost in float32.

    Args:
        root: ``[batch, nonterminals]`` log weight of each symbol of the whole sentence.
        rules: ``[batch, nonterminals, symbols, symbols]`` log weight of each rule; symbols are
            the nonterminals, then the preterminals. The batch axis of root and rules may have
            size 1, or be missing.
        emission: ``[batch, n, preterminals]`` log weight of each word's preterminal.
        lengths: ``[batch]`` words of each sentence, 0 to n; n by default.

    Raises:
        UsageError: if shapes do not fit, a length is out of range or a log weight is not one.
    """
    root, rules, emission = jnp.asarray(root), jnp.asarray(rules), jnp.asarray(emission)
    root = root.reshape((1,) * (2 - root.ndim) + root.shape)
    rules = rules.reshape((1,) * (4 - rules.ndim) + rules.shape)
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
    check_log_weights(root=root, rules=rules, emission=emission)
    batch, words = emission.shape[:2]
    lengths = jnp.full(batch, words, jnp.int32) if lengths is None else jnp.asarray(lengths)
    check_shapes(emission=(emission, "batch words preterminals"), lengths=(lengths, "batch"))
    check_lengths(lengths, words)
    return PCFG(GrammarParts(root, rules, emission), lengths)


def _lifted(
    grammar: PCFG, s: Semiring, feature: GrammarParts | None
) -> tuple[GrammarParts, jax.Array]:
    """Lift the parts; return them and the log of what was taken out of each parse."""
    features = GrammarParts(None, None, None) if feature is None else feature
    used = jnp.arange(grammar.weights.emission.shape[1])[None] < grammar.lengths[:, None]
    emission = jnp.where(used[..., None], grammar.weights.emission, -jnp.inf)
    words, by_word = s.balance(lifted(s, emission, features.emission), (2,))
    rules, by_rule = s.balance(lifted(s, grammar.weights.rules, features.rules), (1, 2, 3))
    root, by_root = s.balance(lifted(s, grammar.weights.root, features.root), (1,))
    # A parse has one rule less than words.
    uses = jnp.maximum(grammar.lengths - 1, 0).astype(emission.dtype)
    log_scale = jnp.sum(jnp.where(used, by_word, 0.0), 1) + uses * by_rule + by_root
    return GrammarParts(root, rules, words), log_scale.astype(emission.dtype)


def _splits(s: Semiring, starts: Value, ends: Value) -> Value:
    """Sum over splits for each two neighbours: ``[batch, places, symbols, symbols]``."""
    left = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 3), starts)
    right = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 2), ends)
    return s.matmul(left, right)


def _applied(s: Semiring, rules: Value, pairs: Value) -> Value:
    """Apply all rules to pairs of neighbours: ``[batch, places, nonterminals]``."""

    def flat(x: jax.Array) -> jax.Array:
        return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])

    columns = jax.tree.map(lambda x: jnp.swapaxes(flat(x), 1, 2), pairs)
    applied = s.matmul(jax.tree.map(flat, rules), columns)
    return jax.tree.map(lambda x: jnp.swapaxes(x, 1, 2), applied)
