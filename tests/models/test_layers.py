"""Recurrent cells compared with their equations, one sentence and one step at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.models.layers import drop_out, gru, lstm, recurrent_weights

HIDDEN, INPUTS = 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step_of_lstm(w, x, h, c):
    z = x @ w["input.weight"] + w["input.bias"] + h @ w["state.weight"] + w["state.bias"]
    i, f, g, o = np.split(z, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def step_of_gru(w, x, h, c):
    read = np.split(x @ w["input.weight"] + w["input.bias"], 3)
    of_state = np.split(h @ w["state.weight"] + w["state.bias"], 3)
    reset, update = sigmoid(read[0] + of_state[0]), sigmoid(read[1] + of_state[1])
    return (1 - update) * np.tanh(read[2] + reset * of_state[2]) + update * h, c


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("layer, gates, step", [(lstm, 4, step_of_lstm), (gru, 3, step_of_gru)])
def test_cells_follow_their_equations(layer, gates, step, reverse):
    generator = np.random.default_rng(0)
    cell_weights = recurrent_weights(generator, gates, INPUTS, HIDDEN)
    weights = {f"cell.{name}": value for name, value in cell_weights.items()}
    x, lengths = generator.normal(size=(2, 5, INPUTS)).astype(np.float32), np.array([5, 3])
    states = np.asarray(layer(weights, "cell", x, lengths, reverse=reverse))
    assert states.shape == (2, 5, HIDDEN)
    for sentence, length in enumerate(lengths):
        h, c = np.zeros(HIDDEN), np.zeros(HIDDEN)
        places = range(length)
        for place in reversed(places) if reverse else places:
            h, c = step(cell_weights, x[sentence, place], h, c)
            np.testing.assert_allclose(states[sentence, place], h, rtol=1e-4, atol=1e-6)
    # Padding is not read: nothing precedes the end of a reversed sentence.
    np.testing.assert_array_equal(
        states[1, 3:], np.zeros((2, HIDDEN)) if reverse else states[1, [2, 2]]
    )


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.5, 0.999999])
def test_the_share_is_dropped_and_the_rest_is_scaled(rate: float):
    kept_entries = np.asarray(drop_out(jnp.ones((300, 400)), rate, jax.random.key(5)))
    stays = kept_entries > 0
    assert stays.mean() == pytest.approx(1 - rate, abs=0.01)
    np.testing.assert_allclose(
        kept_entries[stays], 1 / (1 - rate) if rate < 0.9 else 2**16, rtol=1e-4
    )
