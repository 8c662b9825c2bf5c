"""Lazy Adam equals Adam on the rows that are read, with deferred updates of all others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from semipunct.arrays.rows import Rows, add_rows
from semipunct.models.kind import NetworkTrainOptions
from semipunct.models.optimisation import (
    average_weights,
    clipped_adamw,
    lazy_adam,
    prompt,
    together,
)

ROWS, COLUMNS = 6, 3


def gradients(steps: int) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=(ROWS, COLUMNS)).astype(np.float32) for _ in range(steps)]


def test_adam_where_every_step_reads_every_row():
    rate = optax.cosine_decay_schedule(0.1, 20)
    lazy, dense = lazy_adam(rate, decay=0.01), optax.adam(rate)
    lazy_weights = {"w": jnp.ones((ROWS, COLUMNS))}
    dense_weights = lazy_weights["w"]
    state, expected = lazy.init(lazy_weights), dense.init(dense_weights)
    order = np.random.default_rng(1).permutation(ROWS).astype(np.int32)
    step_lazily, step_densely = jax.jit(lazy.update), jax.jit(dense.update)
    for gradient in gradients(20):
        rows = {"w": Rows(order, jnp.asarray(gradient[order]))}
        updates, state = step_lazily(rows, state, lazy_weights)
        lazy_weights = {"w": add_rows(lazy_weights["w"], updates["w"])}
        update, expected = step_densely(jnp.asarray(gradient) + 0.01 * dense_weights, expected)
        dense_weights = dense_weights + update
        np.testing.assert_allclose(lazy_weights["w"], dense_weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("decay, tolerance", [(0.0, 0.01), (0.003, 0.1)])
def test_steps_put_off_are_those_that_adam_would_have_taken(decay, tolerance):
    """Rows are read at random; Adam itself updates them in every step."""
    rate = optax.constant_schedule(0.01)
    lazy, dense = lazy_adam(rate, decay=decay), optax.adam(rate)
    lazy_weights = {"w": jnp.ones(ROWS)}
    dense_weights = lazy_weights["w"]
    state, expected = lazy.init(lazy_weights), dense.init(dense_weights)
    generator = np.random.default_rng(2)
    step_lazily, step_densely = jax.jit(lazy.update), jax.jit(dense.update)
    for step in range(300):
        often = (0.02, 0.1, 0.2, 0.5, 0.8, 1.0)
        # Not in the first steps, when the bias of the means changes fast.
        read = np.flatnonzero((generator.random(ROWS) < often) | (step < 100)).astype(np.int32)
        gradient = np.zeros(ROWS, np.float32)
        gradient[read] = generator.normal(0.3, 1.0, len(read))
        # Padded, so that one program serves all steps.
        padded = np.resize(read, ROWS)
        padded[len(read) :] = ROWS
        rows = {"w": Rows(padded, gradient[padded % ROWS])}
        updates, state = step_lazily(rows, state, lazy_weights)
        lazy_weights = {"w": add_rows(lazy_weights["w"], updates["w"])}
        update, expected = step_densely(gradient + decay * dense_weights, expected)
        dense_weights = dense_weights + update
    moved = np.abs(np.asarray(dense_weights) - 1)
    assert moved.min() > 0.1
    current = lazy.current(lazy_weights, state, {})["w"]
    np.testing.assert_allclose(current, dense_weights, atol=tolerance * float(moved.max()))
    # Some stored row is outdated; otherwise no update was deferred.
    assert np.abs(np.asarray(lazy_weights["w"]) - np.asarray(dense_weights)).max() > 0.01
    some = np.array([4, 0, ROWS], np.int32)
    np.testing.assert_array_equal(
        lazy.current(lazy_weights, state, {"w": some})["w"][:2], current[some[:2]]
    )


def test_padding_writes_nothing():
    lazy = lazy_adam(optax.constant_schedule(0.1))
    weights = {"w": jnp.ones(ROWS)}
    read = jnp.array([1, 4, ROWS, ROWS + 1])
    updates, state = lazy.update({"w": Rows(read, jnp.ones(4))}, lazy.init(weights), weights)
    moved = add_rows(weights["w"], updates["w"])
    for array, before in ((moved, 1), (state.first["w"], 0), (state.last["w"], 0)):
        assert [bool(x != before) for x in array] == [i in (1, 4) for i in range(ROWS)]


def test_steps_written_out():
    """A row is read in the first step only; its update of the second step is deferred."""
    lazy = lazy_adam(optax.constant_schedule(0.5), b1=0.5, b2=0.75, eps=1e-20)
    weights = {"w": jnp.zeros(2)}
    state = lazy.init(weights)
    seen = []
    for row in (0, 1):
        rows = {"w": Rows(jnp.array([row]), jnp.array([4.0]))}
        updates, state = lazy.update(rows, state, weights)
        weights = {"w": add_rows(weights["w"], updates["w"])}
        seen.append(float(lazy.current(weights, state, {})["w"][0]))
    # The means are 2 and 4, or 4 and 16 after bias correction of one step: the first step is 0.5.
    # In the second the means are 1 and 3, or 4 / 3 and 48 / 7 after bias correction of two steps.
    np.testing.assert_allclose(seen[0], -0.5, rtol=1e-6)
    second = -0.5 * (2 / 0.75) / (4 / (7 / 16)) ** 0.5 * (0.5 / 0.75**0.5)
    np.testing.assert_allclose(second, -0.5 * (4 / 3) / (48 / 7) ** 0.5, rtol=1e-6)
    np.testing.assert_allclose(seen[1], seen[0] + second, rtol=1e-6)


def test_two_optimisers_for_one_model():
    optimiser = together(lazy_adam(optax.constant_schedule(0.1)), {"lazy"}, prompt(optax.sgd(0.5)))
    weights = {"lazy": jnp.zeros(3), "other": jnp.zeros(2)}
    state = optimiser.init(weights)
    gradients = {"lazy": Rows(jnp.array([2]), jnp.ones(1)), "other": jnp.ones(2)}
    updates, state = optimiser.update(gradients, state, weights)
    assert updates["other"].tolist() == [-0.5, -0.5]
    assert updates["lazy"].number.tolist() == [2]
    np.testing.assert_allclose(updates["lazy"].value, [-0.1], rtol=1e-5)
    read = optimiser.current(weights, state, {"lazy": jnp.array([2, 0])})
    assert {name: x.shape for name, x in read.items()} == {"lazy": (2,), "other": (2,)}


def test_an_average_written_out():
    # With steps of 1 from 0, the weights are 1, 2, 3. The first steps have the plain mean, and a
    # decay of one half combines it equally with the third.
    optimiser = average_weights(optax.sgd(1.0), 0.5)
    weights = {"a": jnp.zeros(2)}
    state = optimiser.init(weights)
    averages: list[float] = []
    for _ in range(3):
        updates, state = optimiser.update({"a": -jnp.ones(2)}, state, weights)
        weights = {"a": weights["a"] + updates["a"]}
        averages.append(float(optimiser.result(weights, state)["a"][1]))
        np.testing.assert_array_equal(optimiser.current(weights, state, {})["a"], weights["a"])
    assert averages == [1.0, 1.5, 2.25]


def test_gradients_are_clipped_to_their_norm_together():
    """The norm of 3, 4 and 12 hundreds is 1300. Adam's first step is the same for all scales."""
    options = NetworkTrainOptions(learning_rate=0.1, weight_decay=0.0, schedule="constant")
    clipping, adam = clipped_adamw(options, 10), optax.adam(0.1)
    large = {"a": jnp.array([300.0, 400.0]), "b": jnp.array([-1200.0])}
    clipped = jax.tree.map(lambda x: x * 5 / 1300, large)
    small = jax.tree.map(lambda x: jnp.full_like(x, 0.5), large)
    weights = jax.tree.map(jnp.zeros_like, large)
    state, expected = clipping.init(weights), adam.init(weights)
    for gradient, alike in ((large, clipped), (small, small)):
        updates, state = clipping.update(gradient, state, weights)
        same, expected = adam.update(alike, expected, weights)
        for name, update in updates.items():
            np.testing.assert_allclose(update, same[name], rtol=1e-4)
