"""Sums over groups of columns, against sums written out."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp

from semipunct.arrays.groups import ColumnGroups, log_sums, spread

GROUP = np.array([2, 0, 0, 3, 2, 0], np.int32)
"""The group of each column; group 1 has none."""
GROUPS = ColumnGroups.of(GROUP, 4)


def written_out(scores: np.ndarray) -> np.ndarray:
    columns = [scores[:, group == GROUP] for group in range(4)]
    return np.stack([logsumexp(x, 1) if x.size else [-np.inf] * len(x) for x in columns], 1)


@pytest.mark.parametrize("scale", [1.0, 40.0, 1000.0])
def test_log_sums_of_groups_far_apart(scale):
    scores = np.random.default_rng(3).normal(size=(50, 6)) * scale
    scores[7, 1:3] = scores[8, [0, 4]] = scores[9] = -np.inf
    expected = written_out(scores)
    sums, pull = jax.vjp(lambda x: log_sums(x, GROUPS), jnp.float32(scores))
    np.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)
    cotangent = np.random.default_rng(4).normal(size=(50, 4))
    shares = np.exp(scores - np.where(np.isneginf(expected), 0, expected)[:, GROUP])
    (gradient,) = pull(jnp.float32(cotangent))
    np.testing.assert_allclose(gradient, cotangent[:, GROUP] * shares, rtol=1e-3, atol=1e-4)


def test_a_score_that_is_no_number_is_not_lost():
    scores = jnp.zeros((2, 6)).at[1, 3].set(jnp.nan)
    sums = log_sums(scores, GROUPS)
    assert jnp.isfinite(sums[0, GROUP]).all()
    assert jnp.isnan(sums[1, 3])


def test_accelerators_multiply_in_full_precision():
    """By default, they would round the factors."""

    def pull(scores: jax.Array, values: jax.Array) -> jax.Array:
        return log_sums(scores, GROUPS).sum() + (spread(values, GROUPS) * scores).sum()

    shapes = (jnp.zeros((2, 6)), jnp.zeros((2, 4)))
    program = jax.jit(jax.grad(pull, (0, 1))).lower(*shapes).as_text()
    products = [line for line in program.splitlines() if "dot_general" in line]
    assert len(products) >= 3  # sums, their shares, and sums of tangents
    assert all("[HIGHEST, HIGHEST]" in line for line in products)


def test_spreading_is_indexing_with_infinities_too():
    values = np.array([[1.0, 2.0, -np.inf, 4.0]], np.float32)
    spread_values, pull = jax.vjp(lambda x: spread(x, GROUPS), jnp.asarray(values))
    np.testing.assert_array_equal(spread_values, values[:, GROUP])
    (gradient,) = pull(jnp.ones((1, 6)))
    np.testing.assert_array_equal(gradient, [[3.0, 0.0, 2.0, 1.0]])
