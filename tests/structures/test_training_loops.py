"""Training loops of other libraries, with a CRF, a dependency parser and a grammar.

Each learns weights that were planted, under ``jit`` and ``grad``; the docs show the same loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]
from jax.sharding import PartitionSpec as Spec

from semipunct.structures import Distribution, linear_chain

ITEMS, LENGTH, STATES = 8, 6, 3
TAGS = (np.arange(LENGTH) + np.arange(ITEMS)[:, None]) % STATES
LENGTHS = 3 + np.arange(ITEMS) % 4
SEEN = np.eye(STATES)[TAGS] + np.random.default_rng(0).normal(size=(ITEMS, LENGTH, STATES)) / 2
USED = np.arange(LENGTH) < LENGTHS[:, None]


def _train(
    loss: Callable[[Any], jax.Array], weights: Any, steps: int = 40, rate: float = 0.3
) -> tuple[Any, np.ndarray]:
    """Minimise a loss by Adam; return the weights and the losses before each step."""
    adam = optax.adam(rate)

    @jax.jit
    def run(weights: Any) -> tuple[Any, jax.Array]:
        def step(state: Any, _: Any) -> tuple[Any, jax.Array]:
            weights, moments = state
            value, slope = jax.value_and_grad(loss)(weights)
            updates, moments = adam.update(slope, moments)
            return (optax.apply_updates(weights, updates), moments), value

        (weights, _), losses = jax.lax.scan(step, (weights, adam.init(weights)), length=steps)
        return weights, losses

    weights, losses = run(weights)
    return weights, np.asarray(losses, np.float32)


def _tagger(weights: Any, seen: Any, lengths: Any) -> Distribution[Any]:
    return Distribution(linear_chain(seen @ weights["seen"], weights["step"], lengths))


def _tagger_loss(weights: Any, seen: Any, lengths: Any, tags: Any) -> jax.Array:
    return -jnp.mean(_tagger(weights, seen, lengths).log_prob(tags))


def _weights(dtype: Any = jnp.float32) -> Any:
    return {"seen": jnp.zeros((STATES, STATES), dtype), "step": jnp.zeros((STATES, STATES), dtype)}


def _accuracy(tagged: Any) -> float:
    return float(np.mean((np.asarray(tagged) == TAGS)[USED]))


def test_optax_in_half_precision():
    """Weights, inputs and gradients have 8 bits of precision; sums within have 24."""
    seen = jnp.asarray(SEEN, jnp.bfloat16)
    weights, losses = _train(lambda w: _tagger_loss(w, seen, LENGTHS, TAGS), _weights(jnp.bfloat16))
    assert weights["step"].dtype == jnp.bfloat16
    assert losses[-1] < losses[0] / 10
    tagger = _tagger(weights, seen, LENGTHS)
    assert _accuracy(tagger.argmax()) == 1


def test_optax_on_divided_batches():
    """Each device has some of the items; gradients of shared weights are summed by JAX."""
    mesh = jax.make_mesh((1,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    by_items = Spec("devices")

    @partial(
        jax.shard_map, mesh=mesh, in_specs=(Spec(), by_items, by_items, by_items), out_specs=Spec()
    )
    def loss(weights: Any, seen: Any, lengths: Any, tags: Any) -> jax.Array:
        return jax.lax.pmean(_tagger_loss(weights, seen, lengths, tags), "devices")

    divided = (jnp.asarray(SEEN), jnp.asarray(LENGTHS), jnp.asarray(TAGS))
    weights, losses = _train(lambda w: loss(w, *divided), _weights())
    _, alone = _train(lambda w: _tagger_loss(w, *divided), _weights())
    np.testing.assert_allclose(losses, alone, rtol=1e-3, atol=1e-4)
    tagger = _tagger(weights, *divided[:2])
    assert _accuracy(tagger.argmax()) == 1
