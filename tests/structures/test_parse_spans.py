"""Parses with positions against a list of all trees, which shares no code."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution, pcfg

WORDS, NONTERMINALS, PRETERMINALS = 4, 2, 2
SYMBOLS = NONTERMINALS + PRETERMINALS


@cache
def trees(symbol, first, last):
    """Return the nodes (first word, last word, symbol) and the rules of all trees."""
    if first == last:
        return [((first, last, symbol),)] if symbol >= NONTERMINALS else []
    if symbol >= NONTERMINALS:
        return []
    return [
        ((first, last, symbol), *left, *right)
        for split in range(first, last)
        for y in range(SYMBOLS)
        for z in range(SYMBOLS)
        for left in trees(y, first, split)
        for right in trees(z, split + 1, last)
    ]


def spans(nodes):
    return {(i, j, x) for i, j, x in nodes if i < j}


def test_same_rules_at_other_positions():
    """Of four words, (t ((t t) t)) and ((t (t t)) t) use the same rules."""
    rules = np.full((1, 2, 2), -np.inf, np.float32)
    rules[0, 0, 1] = rules[0, 1, 0] = rules[0, 1, 1] = 0.0
    root, emission = np.zeros(1, np.float32), np.zeros((1, 4, 1), np.float32)
    span = np.zeros((1, 4, 4, 1), np.float32)
    span[0, 0, 2], span[0, 1, 3] = np.log(2), np.log(3)
    top = jax.jit(lambda g: Distribution(g).top_k_parts(4))
    plain, with_spans = top(pcfg(root, rules, emission)), top(pcfg(root, rules, emission, None, 0))
    # Chains of three rules: x to x t or t x, twice, then t t.
    np.testing.assert_array_equal(plain[1], 0.0)
    np.testing.assert_array_equal(plain[1], with_spans[1])
    used = [tuple(np.asarray(x).ravel()) for x in plain[0].rules]
    assert len(set(used)) == 3
    placed = {tuple(np.asarray(x).ravel()) for x in with_spans[0].span}
    assert len(placed) == 4
    weighed = top(pcfg(root, rules, emission, None, span))
    # Spans 1 to 3 come with 1 to 2 or 2 to 3, spans 0 to 2 with 0 to 1 or 1 to 2.
    np.testing.assert_allclose(np.exp(weighed[1][:, 0]), [3, 3, 2, 2], rtol=1e-6)
    assert weighed[0].span[0, 0, 1, 3, 0] == weighed[0].span[2, 0, 0, 2, 0] == 1


def test_bad_spans():
    root, rules, emission = jnp.zeros(1), jnp.zeros((1, 2, 2)), jnp.zeros((2, 3, 1))
    with pytest.raises(UsageError, match=r"spans has shape \(2, 3, 3, 2\)"):
        pcfg(root, rules, emission, None, jnp.zeros((2, 3, 3, 2)))
    wrong = jnp.zeros((2, 3, 3, 1)).at[1, 0, 1, 0].set(jnp.nan)
    with pytest.raises(UsageError, match=r"spans\[1, 0, 1, 0\] is nan"):
        pcfg(root, rules, emission, None, wrong)
    pcfg(root, rules, emission, np.array([3, 0]), wrong)
