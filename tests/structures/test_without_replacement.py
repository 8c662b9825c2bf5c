"""Sampling without replacement: distinct draws, in the order of successive sampling."""

from __future__ import annotations

import itertools
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from semipunct.errors import UsageError
from semipunct.structures.chain import linear_chain
from semipunct.structures.distribution import Distribution
from semipunct.structures.grammar import pcfg
from semipunct.structures.without_replacement import sample_without_replacement

WEIGHTS = np.log(np.array([0.5, 0.3, 0.15, 0.05], np.float32))
DRAWS = 400


def one_of_four(copies: int) -> Distribution:
    """Build items with four derivations each, so that copies are independent experiments."""
    emission = jnp.tile(jnp.asarray(WEIGHTS), (copies, 1, 1))
    return Distribution(linear_chain(emission, jnp.zeros((4, 4))))


def test_pairs_are_as_frequent_as_successive_draws():
    drawn = sample_without_replacement(one_of_four(DRAWS), jax.random.key(0), 2)
    first, second = np.asarray(drawn.parts.emission[:, :, 0].argmax(-1))
    observed = Counter(zip(first.tolist(), second.tolist(), strict=True))
    p = np.exp(WEIGHTS)
    pairs = list(itertools.permutations(range(4), 2))
    expected = np.array([DRAWS * p[a] * p[b] / (1 - p[a]) for a, b in pairs])
    assert set(observed) <= set(pairs)
    observed_counts = np.array([observed[pair] for pair in pairs])
    assert stats.chisquare(observed_counts, expected, sum_check=False).pvalue > 1e-4


def test_many_derivations_are_drawn_until_they_differ():
    """There are too many to list: 2**6, with fewer for the shorter items."""
    lengths = jnp.array([6, 2, 0])
    d = Distribution(linear_chain(jnp.zeros((3, 6, 2)), jnp.zeros((2, 2)), lengths))
    drawn = sample_without_replacement(d, jax.random.key(1), 20)
    states = np.asarray(drawn.parts.emission.argmax(-1))
    for item, (length, available) in enumerate([(6, 64), (2, 4), (0, 1)]):
        count = min(20, available)
        drawn_paths = {tuple(s) for s in states[:count, item, :length].tolist()}
        assert len(drawn_paths) == count
        log_weight = np.asarray(drawn.log_weight[:, item])
        np.testing.assert_allclose(log_weight[:count], 0.0, atol=1e-5)
        assert (log_weight[count:] == -np.inf).all()
    again = sample_without_replacement(d, jax.random.key(1), 20)
    np.testing.assert_array_equal(again.parts.emission, drawn.parts.emission)


def test_bad_requests():
    with pytest.raises(UsageError, match="count is -1"):
        sample_without_replacement(one_of_four(1), jax.random.key(0), -1)
    certain = jnp.zeros((1, 5, 2)).at[:, :, 0].set(60.0)
    d = Distribution(linear_chain(certain, jnp.zeros((2, 2))))
    with pytest.raises(UsageError, match=r"item 0: 4 draws gave 1 different derivation of 2"):
        sample_without_replacement(d, jax.random.key(0), 2, patience=2)
    assert sample_without_replacement(d, jax.random.key(0), 0).parts.emission.shape[0] == 0


def test_derivations_with_the_same_parts_are_all_listed():
    """Of four parses with rules of one preterminal, two use each rule equally often."""
    rules = jnp.full((1, 2, 2), 0.0).at[0, 0, 0].set(-jnp.inf)
    d = Distribution(pcfg(jnp.zeros(1), rules, jnp.zeros((1, 4, 1))))
    drawn = sample_without_replacement(d, jax.random.key(0), 4)
    np.testing.assert_array_equal(drawn.log_weight, np.zeros((4, 1)))
