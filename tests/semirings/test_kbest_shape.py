"""Values of ``KBest`` have the same shape, regardless of their origin."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from semirings import KBest


def test_lifted_weights_sums_and_products_are_pytrees_of_one_structure():
    s = KBest(3)
    lifted = s.lift(jnp.log(jnp.array([[0.5, 0.25], [0.125, 0.0625]])))
    values = [
        lifted,
        s.zeros((2, 2)),
        s.ones((2, 2)),
        s.plus(lifted, lifted),
        s.times(lifted, lifted),
        s.zeros_like(lifted),
        s.balance(lifted, (1,))[0],
        s.where(np.array([True, False]), lifted, s.ones_like(lifted)),
    ]
    shapes = [jax.tree.map(lambda x: (x.shape, str(x.dtype)), value) for value in values]
    assert all(shape == shapes[0] for shape in shapes)
    assert len(lifted.weights) == 3


def test_a_lifted_weight_is_carried_by_a_scan():
    s = KBest(3)
    weights = jnp.log(jnp.array([0.5, 0.25, 0.125]))

    def step(carry, weight):
        return s.plus(carry, s.lift(weight)), None

    total, _ = jax.lax.scan(step, s.lift(jnp.log(0.75)), weights)
    np.testing.assert_allclose(np.exp(s.log_weights(total)), [0.75, 0.5, 0.25], rtol=1e-6)


def test_all_ranks_of_a_lifted_weight_are_indexed_by_what_is_traced():
    s = KBest(2)

    @jax.jit
    def entry(i):
        lifted = s.lift(jnp.log(jnp.array([0.5, 0.25])))
        changed = jax.tree.map(lambda x: x.at[0].set(x[i]), lifted)
        return s.log_weights(jax.tree.map(lambda x: x[0], changed))

    np.testing.assert_allclose(np.exp(entry(1)), [0.25, 0.0], rtol=1e-6)
