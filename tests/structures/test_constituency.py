"""Bracketings and parses compared with all of them, and with closed formulas."""

from __future__ import annotations

from math import comb
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution, projective_trees
from semipunct.structures.base import Structure
from semipunct.structures.grammar import GrammarParts, pcfg
from semipunct.structures.spans import SpanParts, span_trees
from semirings import Log, Real, Semiring
from tests.semirings.strings import Strings
from tests.structures.enumerated import (
    close,
    log_partition,
    summed,
)

WORDS = 4
ALL_LENGTHS = np.arange(WORDS + 1)
LABELS = 2
NONTERMINALS, PRETERMINALS = 2, 1
SYMBOLS = NONTERMINALS + PRETERMINALS


def test_three_words_written_out():
    spans = np.full((WORDS + 1, WORDS, WORDS, LABELS), -np.inf, np.float32)
    weights = {(0, 0): 2, (1, 1): 3, (2, 2): 5, (0, 1): 7, (1, 2): 11, (0, 2): 13}
    for (i, j), weight in weights.items():
        spans[0, i, j, 1] = np.log(weight)
    total, _ = summed(span_trees(spans, np.where(ALL_LENGTHS == 0, 3, 0)))
    expected = 2 * 3 * 5 * 13 * (7 + 11)
    np.testing.assert_allclose(np.exp(total), [expected, 1, 1, 1, 1], rtol=1e-5)


def test_two_words_by_one_rule_written_out():
    root, rules = np.full(NONTERMINALS, -np.inf), np.full((NONTERMINALS, SYMBOLS, SYMBOLS), -np.inf)
    root[0], rules[0, 2, 2] = np.log(2), np.log(3)
    emission = np.full((WORDS + 1, WORDS, PRETERMINALS), -np.inf)
    emission[0, :2, 0] = np.log([5, 7])
    weights = (x.astype(np.float32) for x in (root, rules, emission))
    total, _ = summed(pcfg(*weights, np.where(ALL_LENGTHS == 0, 2, 0)))
    np.testing.assert_allclose(np.exp(total), [2 * 3 * 5 * 7, 0, 0, 0, 0], rtol=1e-5)


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


@pytest.mark.parametrize("semiring", [Log(), Real()], ids=["log", "real"])
def test_trees_are_counted(semiring: Semiring):
    """The lengths require more than one block of widths."""
    longest = 24
    lengths = np.arange(longest + 1)
    trees = span_trees(np.zeros((longest + 1, longest, longest, 3), np.float32), lengths)
    numbers = [1] + [catalan(n - 1) * 3 ** (2 * n - 1) for n in range(1, longest + 1)]
    close(log_partition(semiring)(trees), logs(numbers))
    root, rules = np.zeros(2, np.float32), np.zeros((2, 5, 5), np.float32)
    grammar = pcfg(root, rules, np.zeros((longest + 1, longest, 3), np.float32), lengths)
    # Inner spans have one of two labels, single words one of three.
    numbers = [0, 0] + [catalan(n - 1) * 2 ** (n - 1) * 3**n for n in range(2, longest + 1)]
    close(log_partition(semiring)(grammar), logs(numbers))


def logs(numbers: list[int]) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.array(numbers, float))


@pytest.mark.usefixtures("strict_numerics")
def test_factors_come_from_the_top_and_from_the_left():
    semiring, order = Strings(6, 6), [(0, 2), (0, 1), (0, 0), (1, 1), (2, 2)]
    spans, letters = np.full((1, 3, 3, 1), -np.inf, np.float32), np.zeros((1, 3, 3, 1), np.float32)
    for letter, (i, j) in enumerate(order):
        spans[0, i, j], letters[0, i, j] = 0.0, letter
    find = jax.jit(lambda structure, feature: structure.total(semiring, feature).value)
    assert semiring.read(find(span_trees(spans), SpanParts(letters))) == [(0, 1, 2, 3, 4)]
    # There is one nonterminal, which branches to the left.
    rules = np.full((1, 1, 2, 2), -np.inf, np.float32)
    rules[0, 0, 0, 1] = rules[0, 0, 1, 1] = 0.0
    feature = GrammarParts(
        jnp.zeros((1, 1)),
        jnp.array([[[[-1.0, 1.0], [-1.0, 2.0]]]]),
        jnp.array([[[3.0], [4.0], [5.0]]]),
    )
    grammar = pcfg(np.zeros((1, 1), np.float32), rules, np.zeros((1, 3, 1), np.float32))
    assert semiring.read(find(grammar, feature)) == [(0, 1, 2, 3, 4, 5)]


@pytest.mark.parametrize(
    "shape, lengths, message",
    [
        ((2, 3, 4, 1), None, r"spans has shape \(2, 3, 4, 1\).*'words'"),
        ((2, 3), None, r"spans has shape \(2, 3\); expected 4 axes"),
        ((2, 3, 3, 1), [1], r"lengths has shape \(1,\) and spans has shape \(2, 3, 3, 1\)"),
        ((2, 3, 3, 1), [1, 4], r"lengths\[1\] is 4"),
    ],
)
def test_bad_spans(shape: tuple[int, ...], lengths: list[int] | None, message: str):
    with pytest.raises(UsageError, match=message):
        span_trees(jnp.zeros(shape), None if lengths is None else jnp.array(lengths))


@pytest.mark.parametrize(
    "root, rules, emission, message",
    [
        ((3, 2), (2, 3, 3), (2, 4, 1), r"root has shape \(3, 2\) and emission has shape"),
        ((2,), (1, 3, 3), (2, 4, 1), r"rules has shape \(1, 1, 3, 3\) and root has shape"),
        ((2,), (2, 3, 4), (2, 4, 1), r"rules has shape \(1, 2, 3, 4\).*'symbols'"),
        ((2,), (2, 3, 3), (2, 4, 2), r"rules has shape.*3 symbols; root has.*and emission has"),
    ],
)
def test_bad_grammars(
    root: tuple[int, ...], rules: tuple[int, ...], emission: tuple[int, ...], message: str
):
    with pytest.raises(UsageError, match=message):
        pcfg(jnp.zeros(root), jnp.zeros(rules), jnp.zeros(emission))


@pytest.mark.parametrize(
    ("structure", "total"),
    [
        (span_trees(jnp.full((1, 1, 1, 1), 2.0)), 2.0),
        (projective_trees(jnp.full((1, 2, 2), 2.0)), 2.0),
        (pcfg(jnp.zeros(1), jnp.zeros((1, 2, 2)), jnp.zeros((1, 1, 1))), -np.inf),
    ],
)
def test_a_batch_of_single_words(structure: Structure[Any], total: float):

    @jax.jit
    def answers(structure: Structure[Any]) -> tuple[jax.Array, ...]:
        d = Distribution(structure)
        return d.log_partition(), d.top_k_parts(1)[1], d.entropy()

    log_partition, best, entropy = answers(structure)
    assert log_partition == best == total
    assert entropy == 0


def test_improbable_words_do_not_hide_the_only_rule():
    """The sum over both halves is far below the weight of the heaviest symbols of each."""
    emission = jnp.array([[[0.0, -55.0, -55.0]] * 2])
    rules = jnp.full((1, 4, 4), -jnp.inf).at[0, 2, 2].set(0.0)
    structure = pcfg(jnp.zeros(1), rules, emission)
    d = Distribution(structure)
    weights = d.unnormalized_log_prob(d.sample_parts(jax.random.key(0), 16))
    np.testing.assert_array_equal(weights, np.full((16, 1), -110.0))


def test_a_parse_through_symbols_that_numbers_lose_is_summed_in_logarithms():
    """In each span the other symbol outweighs the only one that the root takes by e**150."""
    rules = np.full((2, 3, 3), -np.inf, np.float32)
    likely, unlikely, word = 0, 1, 2
    rules[likely, word, word] = rules[likely, likely, word] = 0
    rules[unlikely, word, word] = rules[unlikely, unlikely, word] = -150
    root = np.array([[-np.inf, 0], [0, -np.inf]], np.float32)
    d = Distribution(pcfg(root, rules, np.zeros((2, 4, 1), np.float32), spans=0.0))
    total, marginals = d.log_partition_and_marginals()
    np.testing.assert_allclose(total, [-450, 0], rtol=1e-6)
    np.testing.assert_allclose(marginals.rules[0, unlikely, unlikely, word], 2, rtol=1e-5)
    np.testing.assert_allclose(marginals.rules[1, likely, likely, word], 2, rtol=1e-5)
    drawn = d.sample(jax.random.key(0), 3)
    assert {tuple(map(tuple, tree)) for tree in np.asarray(drawn)[:, 0].tolist()} == {
        ((0, 3, 1), (0, 2, 1), (0, 1, 1), (0, 0, 2), (1, 1, 2), (2, 2, 2), (3, 3, 2))
    }
