"""Choices under noise against what is known of single choices; temperatures and hard choices."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import (
    Distribution,
    linear_chain,
    nonprojective_trees,
    perturb,
    perturb_and_map,
    projective_trees,
    straight_through,
    temper,
)
from tests.structures.cases import CASES

WEIGHTS = jnp.array([[0.5, -0.2, -jnp.inf, 0.3], [0.0, 1.0, -1.0, -2.0]])
"""Of two choices between four; one is forbidden."""


def _choice(weights: jax.Array) -> Distribution[Any]:
    """Return chains of one position, the second of which is padding."""
    emission = jnp.stack([weights, jnp.full_like(weights, jnp.nan)], 1)
    return Distribution(linear_chain(emission, jnp.zeros((4, 4)), jnp.array([1, 1])))


def test_draws_are_best_under_noise():
    """All trees over three words are equally good, but not equally often the best under noise."""
    d = Distribution(projective_trees(jnp.zeros((2, 4, 4)), jnp.array([3, 2])))
    drawn = jax.jit(lambda d: perturb_and_map(d, jax.random.key(2), 400, together=400))(d)
    heads = np.asarray(d.structure.from_parts(drawn))
    trees, counts = np.unique(heads[:, 0], axis=0, return_counts=True)
    assert len(trees) == 7
    assert counts.min() > 15
    assert (heads[:, 1, 2] == -1).all()
    again = jax.jit(lambda d: perturb_and_map(d, jax.random.key(2), 400, together=400))(d)
    assert (again.arc == drawn.arc).all()


def test_little_noise_changes_nothing():
    rng = np.random.default_rng(3)
    arcs = jnp.asarray(rng.normal(size=(2, 4, 4)), jnp.float32)
    for d in map(Distribution, (projective_trees(arcs), nonprojective_trees(arcs))):
        found = jax.jit(lambda d: perturb_and_map(d, jax.random.key(0), 3, 1e-4))(d)
        expected = d.argmax_parts().arc
        np.testing.assert_array_equal(found.arc, jnp.broadcast_to(expected, found.arc.shape))


def test_items_without_derivations_or_with_nan():
    emission = jnp.zeros((3, 1, 2)).at[0].set(-jnp.inf).at[1, 0, 0].set(jnp.nan)
    drawn = jax.jit(
        lambda x: perturb_and_map(
            Distribution(linear_chain(x, jnp.zeros((2, 2)))), jax.random.key(0), 5
        )
    )(emission)
    assert not drawn.emission[:, 0].any()
    assert np.isnan(drawn.emission[:, 1]).any((-2, -1)).all()
    assert (drawn.emission[:, 2].sum(-1) == 1).all()


def test_temperatures():
    weights = WEIGHTS

    @jax.jit
    def answers(temperature: jax.Array) -> Any:
        def total(temperature: jax.Array) -> jax.Array:
            return temper(_choice(weights), temperature).log_partition().sum()

        marginals = temper(_choice(weights), temperature).marginals().emission[:, 0]
        return marginals, jax.grad(total)(temperature)

    for temperature in (0.5, 3.0):
        found, _ = answers(jnp.float32(temperature))
        np.testing.assert_allclose(found, jax.nn.softmax(weights / temperature), atol=1e-6)
    p = jax.nn.softmax(weights)
    mean = jnp.sum(p * jnp.where(p > 0, weights, 0.0))
    assert answers(jnp.float32(1))[1] == pytest.approx(float(-mean), rel=1e-5)
    arcs = jnp.arange(16.0).reshape(1, 4, 4)
    np.testing.assert_allclose(
        temper(Distribution(nonprojective_trees(arcs)), 4.0).marginals().arc,
        Distribution(nonprojective_trees(arcs / 4)).marginals().arc,
    )


def test_straight_through_is_hard_with_a_soft_gradient():
    d = _choice(WEIGHTS)

    def of(weights: jax.Array, wanted: jax.Array) -> Any:
        d = temper(_choice(weights), 0.5)
        parts = straight_through(d.argmax_parts(), d.marginals())
        return jnp.sum(parts.emission[:, 0] * wanted), parts.emission

    wanted = jnp.arange(8.0).reshape(2, 4)
    slope, parts = jax.grad(of, has_aux=True)(WEIGHTS, wanted)
    np.testing.assert_array_equal(parts, d.argmax_parts().emission)
    expected = jax.grad(lambda w: jnp.sum(jax.nn.softmax(w / 0.5) * wanted))(WEIGHTS)
    np.testing.assert_allclose(slope, expected, atol=1e-5)
    with pytest.raises(UsageError, match="parts of different shapes"):
        straight_through(jnp.ones(2), jnp.ones(3))


def test_a_cold_relaxed_sample_is_the_draw_with_the_same_noise():
    arcs = jnp.asarray(np.random.default_rng(5).normal(size=(2, 4, 4)), jnp.float32)
    key = jax.random.key(3)

    @jax.jit
    def of(arcs: jax.Array) -> Any:
        d = Distribution(projective_trees(arcs))
        hard = perturb_and_map(d, key, 1).arc[0]
        cold = temper(perturb(d, jax.random.split(key, (1, 1))[0, 0]), 1e-3).marginals().arc
        warm = jax.grad(
            lambda x: (
                temper(perturb(Distribution(nonprojective_trees(x)), key), 2.0)
                .marginals()
                .arc[0, 1, 2]
            )
        )
        return hard, cold, warm(arcs)

    hard, cold, warm = of(arcs)
    np.testing.assert_allclose(hard, cold, atol=1e-3)
    assert np.isfinite(warm).all()
    assert np.abs(warm).max() > 0.05


def test_wrong_arguments():
    d, key = _choice(WEIGHTS), jax.random.key(0)
    for count in (0, -1):
        with pytest.raises(UsageError, match=f"sample_shape is {count}"):
            perturb_and_map(d, key, count)
    for scale in (0.0, -1.0, jnp.nan, jnp.inf):
        with pytest.raises(UsageError, match="scale is"):
            perturb_and_map(d, key, 2, scale)
    with pytest.raises(UsageError, match="noise is 'normal', not one of gumbel, gaussian"):
        perturb_and_map(d, key, 2, 1.0, "normal")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="scale is 0"):
        perturb(d, key, 0)
    for temperature in (0.0, -1.0, jnp.nan, jnp.inf):
        with pytest.raises(UsageError, match="temperature is"):
            temper(d, temperature)
    for case in CASES:
        if case.name in ("phrase marks", "given tree"):
            with pytest.raises(UsageError, match="not of its parts"):
                temper(Distribution(case.build()), 2.0)
