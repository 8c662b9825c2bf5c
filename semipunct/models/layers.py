"""Layers of neural networks as functions of a flat dictionary of weights.

Layer ``NAME`` has weights such as ``NAME.weight`` and ``NAME.bias`` (docs/decisions/training.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

Weights = Mapping[str, Any]
Floats = npt.NDArray[np.float32]

_DEVIATION = 0.1  # standard deviation of the initial embeddings


class Dropout(NamedTuple):
    """Dropout during training."""

    key: jax.Array
    rate: float  # fraction of layer inputs
    words: float  # fraction of forms replaced by the unknown form


def uniform(
    generator: np.random.Generator, shape: tuple[int, ...], inputs: int
) -> npt.NDArray[np.float32]:
    """Draw initial weights from U(-1/sqrt(inputs), 1/sqrt(inputs)).

    The variance of the output is a third of the variance of the inputs, whatever their number.
    """
    limit = inputs**-0.5
    return generator.uniform(-limit, limit, shape).astype(np.float32)


class Undrawn(np.random.Generator):
    """A generator of zeros, for arrays of which only the shapes are needed."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, size: Any = None, *_: Any, **__: Any) -> Any:
        return np.zeros(() if size is None else size, np.float32)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self.standard_normal(size)


def flat(layers: Mapping[str, Mapping[str, Floats]]) -> dict[str, Floats]:
    """Return weights under the names that layer functions look up, ``LAYER.NAME``."""
    return {
        f"{layer}.{name}": x for layer, weights in layers.items() for name, x in weights.items()
    }


def embeddings(generator: np.random.Generator, *shape: int) -> Floats:
    """Draw initial embeddings."""
    return _DEVIATION * generator.standard_normal(shape).astype(np.float32)


def affine_weights(generator: np.random.Generator, inputs: int, outputs: int) -> dict[str, Floats]:
    """Draw the weights of ``affine``."""
    return {
        "weight": uniform(generator, (inputs, outputs), inputs),
        "bias": np.zeros(outputs, np.float32),
    }


def affine(weights: Weights, name: str, x: Any) -> Any:
    """Apply ``x W + b`` to the last axis of ``x``."""
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


_OUTCOMES = 2**16  # number of equally probable outcomes of a random draw in ``drop_out``


def at_codes(values: jax.Array, codes: jax.Array) -> jax.Array:
    """Index the last axis of ``values``, ``[..., codes]``, by ``codes``, ``[...]``."""
    return jnp.take_along_axis(values, codes[..., None], -1)[..., 0]


def sum_inside(values: jax.Array, inside: jax.Array) -> jax.Array:
    """Sum ``values``, ``[sentences, positions]``, over the positions outside the padding."""
    return jnp.sum(jnp.where(inside, values, 0.0), 1)


def slots_inside(lengths: jax.Array, slots: int) -> jax.Array:
    """Return the mask ``[sentences, slots]``: one slot more than words, if any."""
    return (jnp.arange(slots) <= lengths[:, None]) & (lengths > 0)[:, None]


def drop_out(
    x: jax.Array, rate: float | jax.Array, key: jax.Array, shared: int | None = None
) -> jax.Array:
    """Set random entries to zero, and rescale the others to keep the expected value.

    Args:
        rate: fraction dropped, below 1; may be traced.
        shared: an axis along which the mask is constant (Gal and Ghahramani 2016).
    """
    # A few random bits suffice, and drawing them takes most of the time.
    survivors = jnp.maximum(1, jnp.round((1 - rate) * _OUTCOMES)).astype(jnp.int32)
    # Without dropout all outcomes survive, and their number does not fit 16 bits.
    shape = [1 if axis == shared else size for axis, size in enumerate(x.shape)]
    mask = jax.random.bits(key, shape, jnp.uint16).astype(jnp.int32) < survivors
    return jnp.where(mask, x * (_OUTCOMES / survivors), 0.0)


def recurrent_weights(
    generator: np.random.Generator, gates: int, inputs: int, hidden: int
) -> dict[str, npt.NDArray[np.float32]]:
    """Draw the weights of a recurrent cell: 4 gates for ``lstm``, 3 for ``gru``."""
    return {
        "input.weight": uniform(generator, (inputs, gates * hidden), hidden),
        "input.bias": uniform(generator, (gates * hidden,), hidden),
        "state.weight": uniform(generator, (hidden, gates * hidden), hidden),
        "state.bias": uniform(generator, (gates * hidden,), hidden),
    }


def lstm(
    weights: Weights, name: str, x: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run an LSTM (Hochreiter and Schmidhuber 1997, with forget gates).

    Args:
        x: ``[batch, length, inputs]``.
        lengths: ``[batch]``; padding does not change the state.

    Returns:
        The state after each input, ``[batch, length, hidden]``.
    """

    def step(state: tuple[jax.Array, jax.Array], read: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden, cell = state
        gates = read + affine(weights, f"{name}.state", hidden)
        entry, forget, proposed, out = jnp.split(gates, 4, -1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(entry) * jnp.tanh(proposed)
        return jax.nn.sigmoid(out) * jnp.tanh(cell), cell

    start = jnp.zeros((x.shape[0], weights[f"{name}.state.weight"].shape[0]), x.dtype)
    read = affine(weights, f"{name}.input", x)
    return _scan(step, (start, start), read, lengths, reverse=reverse)


def gru(
    weights: Weights, name: str, x: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run gated recurrent units (Cho et al. 2014), as in ``lstm``."""

    def step(state: tuple[jax.Array], read: jax.Array) -> tuple[jax.Array]:
        return (gru_step(weights, name, state[0], read),)

    start = jnp.zeros((x.shape[0], weights[f"{name}.state.weight"].shape[0]), x.dtype)
    read = affine(weights, f"{name}.input", x)
    return _scan(step, (start,), read, lengths, reverse=reverse)


def gru_step(weights: Weights, name: str, state: jax.Array, read: jax.Array) -> jax.Array:
    """Return the next state, ``[batch, hidden]``.

    Args:
        read: output of the layer ``NAME.input``, ``[batch, 3 hidden]``.
    """
    reset, update, proposed_input = jnp.split(read, 3, -1)
    of_state = jnp.split(affine(weights, f"{name}.state", state), 3, -1)
    proposed = jnp.tanh(proposed_input + jax.nn.sigmoid(reset + of_state[0]) * of_state[2])
    update_gate = jax.nn.sigmoid(update + of_state[1])
    return proposed + update_gate * (state - proposed)


def _scan(
    step: Any, start: tuple[jax.Array, ...], read: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run a cell over ``[batch, length, ...]``; the first element of its state is its output."""

    def masked(
        state: tuple[jax.Array, ...], at: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[jax.Array, ...], jax.Array]:
        place, inputs = at
        inside = (place < lengths)[:, None]
        next_state = step(state, inputs)
        state = tuple(jnp.where(inside, a, b) for a, b in zip(next_state, state, strict=True))
        return state, state[0]

    places = jnp.arange(read.shape[1])
    _, states = jax.lax.scan(masked, start, (places, jnp.swapaxes(read, 0, 1)), reverse=reverse)
    return jnp.swapaxes(states, 0, 1)


def normalising_weights(size: int) -> dict[str, Floats]:
    """Return the initial weights of ``normalise_layer``."""
    return {"scale": np.ones(size, np.float32), "shift": np.zeros(size, np.float32)}


def normalise_layer(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    """Normalise the last axis to mean 0 and variance 1, scale and shift it (Ba et al. 2016)."""
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    unit = (x - mean) * jax.lax.rsqrt(variance + _LEAST_VARIANCE)
    return unit * weights[f"{name}.scale"] + weights[f"{name}.shift"]


_LEAST_VARIANCE = 1e-5

_UNROLLED = 4  # steps of the recurrence per loop iteration: each is cheap


def linear_recurrence(retained: jax.Array, added: jax.Array) -> jax.Array:
    """Return the states ``s[i] = retained[i] * s[i - 1] + added[i]``, with initial state zero.

    All arrays are ``[batch, length, size]``.
    """

    def step(state: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        state = at[0] * state + at[1]
        return state, state

    inputs = (jnp.swapaxes(retained, 0, 1), jnp.swapaxes(added, 0, 1))
    start = jnp.zeros_like(added[:, 0])
    _, states = jax.lax.scan(step, start, inputs, unroll=_UNROLLED)
    return jnp.swapaxes(states, 0, 1)


def gated_recurrence_weights(generator: np.random.Generator, size: int) -> dict[str, Floats]:
    """Draw the weights of ``gated_recurrence``."""
    parts = {
        "gates": affine_weights(generator, size, 3 * size),
        "output": affine_weights(generator, size, size),
    }
    return {**normalising_weights(size), **flat(parts)}


def gated_recurrence(weights: Weights, name: str, x: jax.Array, inside: jax.Array) -> jax.Array:
    """Apply a bidirectional layer of gated recurrences (Martin and Cundy 2018).

    A gate interpolates between the previous state and a candidate; one half of the state runs from
    left to right, the other from right to left. A second gate applies to the output. Gates depend
    on the inputs only, so the recurrence is linear.

    Args:
        x: ``[batch, length, size]``.
        inside: ``[batch, length, 1]``, false in the padding, where states are zero.
    """
    read = affine(weights, f"{name}.gates", normalise_layer(weights, name, x))
    candidate, gate, way_out = jnp.split(read, 3, -1)
    # States are zero in the padding, so they do not depend on anything beyond it.
    gate = jax.nn.sigmoid(gate)
    retained, added = (jnp.where(inside, part, 0.0) for part in (1 - gate, gate * candidate))
    # One recurrence runs in both directions: the second half of the state reads reversed words.
    states = linear_recurrence(_half_turned(retained), _half_turned(added))
    return affine(weights, f"{name}.output", _half_turned(states) * jax.nn.silu(way_out))


def _half_turned(x: jax.Array) -> jax.Array:
    """Reverse the words of the second half of the last axis."""
    left, right = jnp.split(x, 2, -1)
    return jnp.concatenate([left, right[:, ::-1]], -1)
