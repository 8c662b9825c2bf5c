"""Parses with positions against a list of all trees, which shares no code."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution, GrammarParts, pcfg

WORDS, NONTERMINALS, PRETERMINALS = 4, 2, 2
SYMBOLS = NONTERMINALS + PRETERMINALS
LENGTHS = np.array([4, 3, 2, 1, 0])


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


def all_trees(length):
    return [t for x in range(NONTERMINALS) for t in trees(x, 0, length - 1)] if length else []


def weight_of(nodes, root, rules, emission, span):
    """Return the log weight of a tree, recursively by its spans."""
    symbol = {(i, j): x for i, j, x in nodes}

    def below(i, j):
        x = symbol[i, j]
        if i == j:
            return emission[i, x - NONTERMINALS]
        (k,) = [k for k in range(i, j) if (i, k) in symbol and (k + 1, j) in symbol]
        rule = rules[x, symbol[i, k], symbol[k + 1, j]]
        return span[i, j, x] + rule + below(i, k) + below(k + 1, j)

    length = max(j for _, j, _ in nodes) + 1
    return root[symbol[0, length - 1]] + below(0, length - 1)


@cache
def weights():
    generator = np.random.default_rng(4)
    root = generator.normal(size=NONTERMINALS).astype(np.float32)
    rules = generator.normal(size=(NONTERMINALS, SYMBOLS, SYMBOLS)).astype(np.float32)
    rules[0, 1, 3] = -np.inf
    emission = generator.normal(size=(5, WORDS, PRETERMINALS)).astype(np.float32)
    span = generator.normal(size=(5, WORDS, WORDS, NONTERMINALS)).astype(np.float32)
    span[0, 1, 2, 0] = -np.inf
    for item, length in enumerate(LENGTHS):
        span[item, length:] = span[item, :, length:] = np.nan
    span[:, *np.tril_indices(WORDS)] = np.nan
    return root, rules, emission, span


@jax.jit
def answers(grammar, key):
    d = Distribution(grammar)
    total, marginals = d.log_partition_and_marginals()
    risk = Distribution(
        grammar.with_log_weights(
            GrammarParts(*(jnp.zeros_like(x) for x in grammar.weights[:3]), marginals.span)
        )
    )
    return total, marginals.span, d.best(), d.top(2), d.sample(key, 400), risk.best()


def spans(nodes):
    return {(i, j, x) for i, j, x in nodes if i < j}


def test_equals_list_of_all_trees():
    root, rules, emission, span = weights()
    grammar = pcfg(root, rules, emission, LENGTHS, span)
    total, marginals, best, top, drawn, risk = answers(grammar, jax.random.key(0))
    frequency = np.asarray(drawn.parts.span).mean(0)
    for item, length in enumerate(LENGTHS):
        listed = [
            (weight_of(t, root, rules, emission[item], span[item]), t) for t in all_trees(length)
        ]
        listed = sorted((x for x in listed if x[0] > -np.inf), reverse=True)
        if not listed:
            assert length < 2
            assert total[item] == best.log_weight[item] == -np.inf
            assert not marginals[item].any()
            continue
        log_total = np.logaddexp.reduce([w for w, _ in listed])
        assert total[item] == pytest.approx(log_total, abs=1e-5)
        expected = np.zeros((WORDS, WORDS, NONTERMINALS))
        for w, t in listed:
            for place in spans(t):
                expected[place] += np.exp(w - log_total)
        np.testing.assert_allclose(marginals[item], expected, atol=1e-5)
        # Five standard deviations of a mean of 400 draws.
        np.testing.assert_allclose(frequency[item], expected, atol=0.125)
        for rank, answer in enumerate((listed[0], listed[1])):
            assert top.log_weight[rank, item] == pytest.approx(answer[0], abs=1e-5)
            places = np.argwhere(np.asarray(top.parts.span[rank, item]) > 0).tolist()
            assert {*map(tuple, places)} == spans(answer[1])
        assert {*map(tuple, np.argwhere(np.asarray(best.parts.span[item])).tolist())} == spans(
            listed[0][1]
        )
        # Minimum Bayes risk: the most expected spans among all trees of the grammar's symbols.
        most = max(sum(expected[place] for place in spans(t)) for t in all_trees(length))
        assert risk.log_weight[item] == pytest.approx(most, abs=1e-5)


@pytest.mark.exhaustive
def test_gradient_of_total_is_marginal_of_span():
    root, rules, emission, span = weights()

    def total(span):
        each = Distribution(pcfg(root, rules, emission, LENGTHS, span)).log_partition()
        return jnp.sum(jnp.where(each > -jnp.inf, each, 0.0))

    gradient = jax.jit(jax.grad(total))(span)
    grammar = pcfg(root, rules, emission, LENGTHS, span)
    expected = answers(grammar, jax.random.key(0))[1]
    np.testing.assert_allclose(gradient, expected, atol=1e-5)


@pytest.mark.exhaustive
def test_same_rules_at_other_positions():
    """Of four words, (t ((t t) t)) and ((t (t t)) t) use the same rules."""
    rules = np.full((1, 2, 2), -np.inf, np.float32)
    rules[0, 0, 1] = rules[0, 1, 0] = rules[0, 1, 1] = 0.0
    root, emission = np.zeros(1, np.float32), np.zeros((1, 4, 1), np.float32)
    span = np.zeros((1, 4, 4, 1), np.float32)
    span[0, 0, 2], span[0, 1, 3] = np.log(2), np.log(3)
    top = jax.jit(lambda g: Distribution(g).top(4))
    plain, with_spans = top(pcfg(root, rules, emission)), top(pcfg(root, rules, emission, None, 0))
    # Chains of three rules: x to x t or t x, twice, then t t.
    np.testing.assert_array_equal(plain.log_weight, 0.0)
    np.testing.assert_array_equal(plain.log_weight, with_spans.log_weight)
    used = [tuple(np.asarray(x).ravel()) for x in plain.parts.rules]
    assert len(set(used)) == 3
    placed = {tuple(np.asarray(x).ravel()) for x in with_spans.parts.span}
    assert len(placed) == 4
    weighed = top(pcfg(root, rules, emission, None, span))
    # Spans 1 to 3 come with 1 to 2 or 2 to 3, spans 0 to 2 with 0 to 1 or 1 to 2.
    np.testing.assert_allclose(np.exp(weighed.log_weight[:, 0]), [3, 3, 2, 2], rtol=1e-6)
    assert weighed.parts.span[0, 0, 1, 3, 0] == weighed.parts.span[2, 0, 0, 2, 0] == 1


def test_bad_spans():
    root, rules, emission = jnp.zeros(1), jnp.zeros((1, 2, 2)), jnp.zeros((2, 3, 1))
    with pytest.raises(UsageError, match=r"spans has shape \(2, 3, 3, 2\)"):
        pcfg(root, rules, emission, None, jnp.zeros((2, 3, 3, 2)))
    wrong = jnp.zeros((2, 3, 3, 1)).at[1, 0, 1, 0].set(jnp.nan)
    with pytest.raises(UsageError, match=r"spans\[1, 0, 1, 0\] is nan"):
        pcfg(root, rules, emission, None, wrong)
    pcfg(root, rules, emission, np.array([3, 0]), wrong)
