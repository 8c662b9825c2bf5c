"""Layers of neural networks as functions of a flat dictionary of weights.

The weights of a layer lie under its name: ``NAME.weight``, ``NAME.bias``. So the weights of every
model are one dictionary of arrays, which optimiser, store and checkpoints take as it is
(docs/decisions/0020-neural-layers.md).
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

_DEVIATION = 0.1
"""Of initial embeddings."""


class Dropout(NamedTuple):
    """Dropout while training.

    Attributes:
        key: of the random numbers.
        rate: share of the inputs of each layer that is dropped.
        words: share of word forms taken for unknown ones.
    """

    key: jax.Array
    rate: float
    words: float


def uniform(
    generator: np.random.Generator, shape: tuple[int, ...], inputs: int
) -> npt.NDArray[np.float32]:
    """Draw initial weights from U(-1/sqrt(inputs), 1/sqrt(inputs)).

    The variance of what a layer puts out is then a third of that of its inputs, however many there
    are.

    Args:
        generator: the source of chance.
        shape: of the weights.
        inputs: how many numbers each output is a sum of.
    """
    limit = inputs**-0.5
    return generator.uniform(-limit, limit, shape).astype(np.float32)


def flat(layers: Mapping[str, Mapping[str, Floats]]) -> dict[str, Floats]:
    """Return the weights of layers under the names that functions look for, ``LAYER.NAME``.

    Args:
        layers: weights by layer and name.
    """
    return {f"{layer}.{name}": x for layer, own in layers.items() for name, x in own.items()}


def embeddings(generator: np.random.Generator, *shape: int) -> Floats:
    """Draw initial vectors of codes.

    Args:
        generator: the source of chance.
        *shape: of the weights.
    """
    return _DEVIATION * generator.standard_normal(shape).astype(np.float32)


def affine_weights(generator: np.random.Generator, inputs: int, outputs: int) -> dict[str, Floats]:
    """Draw the weights of ``affine``, by their names within the layer.

    Args:
        generator: the source of chance.
        inputs: size of an input.
        outputs: size of an output.
    """
    return {
        "weight": uniform(generator, (inputs, outputs), inputs),
        "bias": np.zeros(outputs, np.float32),
    }


def affine(weights: Weights, name: str, x: Any) -> Any:
    """Apply ``x W + b`` to the last axis of ``x``, ``[..., inputs]`` to ``[..., outputs]``.

    Args:
        weights: ``NAME.weight`` ``[inputs, outputs]`` and ``NAME.bias`` ``[outputs]``.
        name: of the layer.
        x: arrays of JAX as of numpy.
    """
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


_OUTCOMES = 2**16
"""The equally probable outcomes of a draw of ``dropped``."""


def dropped(
    x: jax.Array, rate: float | jax.Array, key: jax.Array, shared: int | None = None
) -> jax.Array:
    """Set some entries to zero, and scale the others so that the mean stays.

    Args:
        x: of any shape.
        rate: the share that is dropped, below 1; ``jit`` may trace it.
        key: the source of chance.
        shared: an axis along which the same places are dropped everywhere, such as that of the
            words of a sentence (Gal and Ghahramani 2016).
    """
    # Few bits are enough, and drawing them takes most of the time.
    kept = jnp.maximum(1, jnp.round((1 - rate) * _OUTCOMES)).astype(jnp.int32)
    # All outcomes are kept without dropout: one more than 16 bits can hold.
    shape = [1 if axis == shared else size for axis, size in enumerate(x.shape)]
    mask = jax.random.bits(key, shape, jnp.uint16).astype(jnp.int32) < kept
    return jnp.where(mask, x * (_OUTCOMES / kept), 0.0)


def recurrent_weights(
    generator: np.random.Generator, gates: int, inputs: int, hidden: int
) -> dict[str, npt.NDArray[np.float32]]:
    """Draw the weights of a recurrent cell, by their names within it.

    Args:
        generator: the source of chance.
        gates: 4 for ``lstm``, 3 for ``gru``.
        inputs: size of an input.
        hidden: size of the state.
    """
    return {
        "input.weight": uniform(generator, (inputs, gates * hidden), hidden),
        "input.bias": uniform(generator, (gates * hidden,), hidden),
        "state.weight": uniform(generator, (hidden, gates * hidden), hidden),
        "state.bias": uniform(generator, (gates * hidden,), hidden),
    }


def lstm(
    weights: Weights, name: str, x: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run a long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates).

    Args:
        weights: from ``recurrent_weights`` with 4 gates, under ``name``.
        name: of the cell.
        x: ``[batch, length, inputs]``.
        lengths: ``[batch]``; padding beyond them changes no state.
        reverse: whether it reads from the end.

    Returns:
        ``[batch, length, hidden]`` states after each input.
    """

    def step(state: tuple[jax.Array, jax.Array], read: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden, cell = state
        gates = read + affine(weights, f"{name}.state", hidden)
        entry, forget, new, out = jnp.split(gates, 4, -1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(entry) * jnp.tanh(new)
        return jax.nn.sigmoid(out) * jnp.tanh(cell), cell

    start = jnp.zeros((x.shape[0], weights[f"{name}.state.weight"].shape[0]), x.dtype)
    read = affine(weights, f"{name}.input", x)
    return _scan(step, (start, start), read, lengths, reverse=reverse)


def gru(
    weights: Weights, name: str, x: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run gated recurrent units (Cho et al. 2014).

    Args:
        weights: from ``recurrent_weights`` with 3 gates, under ``name``.
        name: of the cell.
        x: ``[batch, length, inputs]``.
        lengths: ``[batch]``; padding beyond them changes no state.
        reverse: whether it reads from the end.

    Returns:
        ``[batch, length, hidden]`` states after each input.
    """

    def step(state: tuple[jax.Array], read: jax.Array) -> tuple[jax.Array]:
        return (gru_step(weights, name, state[0], read),)

    start = jnp.zeros((x.shape[0], weights[f"{name}.state.weight"].shape[0]), x.dtype)
    read = affine(weights, f"{name}.input", x)
    return _scan(step, (start,), read, lengths, reverse=reverse)


def gru_step(weights: Weights, name: str, state: jax.Array, read: jax.Array) -> jax.Array:
    """Return the next state ``[batch, hidden]``.

    Args:
        weights: of the cell, under ``name``.
        name: of the cell.
        state: ``[batch, hidden]``.
        read: ``[batch, 3 hidden]``, the layer ``NAME.input`` applied to the input.
    """
    reset, update, new = jnp.split(read, 3, -1)
    own = jnp.split(affine(weights, f"{name}.state", state), 3, -1)
    proposed = jnp.tanh(new + jax.nn.sigmoid(reset + own[0]) * own[2])
    kept = jax.nn.sigmoid(update + own[1])
    return proposed + kept * (state - proposed)


def _scan(
    step: Any, start: tuple[jax.Array, ...], read: jax.Array, lengths: jax.Array, *, reverse: bool
) -> jax.Array:
    """Run a cell over ``[batch, length, ...]``; the first part of its state is its output."""

    def masked(
        state: tuple[jax.Array, ...], at: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[jax.Array, ...], jax.Array]:
        place, inputs = at
        inside = (place < lengths)[:, None]
        new = step(state, inputs)
        state = tuple(jnp.where(inside, a, b) for a, b in zip(new, state, strict=True))
        return state, state[0]

    places = jnp.arange(read.shape[1])
    _, states = jax.lax.scan(masked, start, (places, jnp.swapaxes(read, 0, 1)), reverse=reverse)
    return jnp.swapaxes(states, 0, 1)


def normalising_weights(size: int) -> dict[str, Floats]:
    """Return the first weights of ``normalised``, by their names within the layer.

    Args:
        size: of what is normalised.
    """
    return {"scale": np.ones(size, np.float32), "shift": np.zeros(size, np.float32)}


def normalised(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    """Normalise the last axis to mean 0 and variance 1, scale and shift it (Ba et al. 2016).

    Args:
        weights: ``NAME.scale`` and ``NAME.shift``, ``[size]``.
        name: of the layer.
        x: ``[..., size]``.
    """
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    unit = (x - mean) * jax.lax.rsqrt(variance + _LEAST_VARIANCE)
    return unit * weights[f"{name}.scale"] + weights[f"{name}.shift"]


_LEAST_VARIANCE = 1e-5

_UNROLLED = 4
"""Steps of a linear recurrence that are one step of the loop: each does next to nothing."""


def linear_recurrence(kept: jax.Array, added: jax.Array) -> jax.Array:
    """Return the states ``s[i] = kept[i] * s[i - 1] + added[i]``, from zero.

    Args:
        kept: ``[batch, length, size]``.
        added: likewise.
    """

    def step(state: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        state = at[0] * state + at[1]
        return state, state

    inputs = (jnp.swapaxes(kept, 0, 1), jnp.swapaxes(added, 0, 1))
    start = jnp.zeros_like(added[:, 0])
    _, states = jax.lax.scan(step, start, inputs, unroll=_UNROLLED)
    return jnp.swapaxes(states, 0, 1)


def gated_recurrence_weights(generator: np.random.Generator, size: int) -> dict[str, Floats]:
    """Draw the weights of ``gated_recurrence``, by their names within the layer.

    Args:
        generator: the source of chance.
        size: of a state.
    """
    parts = {
        "gates": affine_weights(generator, size, 3 * size),
        "output": affine_weights(generator, size, size),
    }
    return {**normalising_weights(size), **flat(parts)}


def gated_recurrence(weights: Weights, name: str, x: jax.Array, inside: jax.Array) -> jax.Array:
    """Apply one layer of gated recurrences in both directions (Martin and Cundy 2018).

    A state moves towards a candidate as far as its gate is open; half of it comes from the left,
    half from the right. What is read out passes a second gate. Gates look at the inputs alone, so
    that what remains of the recurrence is a sum.

    Args:
        weights: ``NAME.scale`` and ``NAME.shift``, ``NAME.gates`` and ``NAME.output``.
        name: of the layer.
        x: ``[batch, length, size]``.
        inside: ``[batch, length, 1]``, false in the padding.
    """
    read = affine(weights, f"{name}.gates", normalised(weights, name, x))
    candidate, gate, way_out = jnp.split(read, 3, -1)
    # Padding opens no gate, so that the states of a sentence do not depend on its batch.
    gate = jnp.where(inside, jax.nn.sigmoid(gate), 0.0)
    # One recurrence for both directions: it runs over what the second half has turned round.
    states = linear_recurrence(_half_turned(1 - gate), _half_turned(gate * candidate))
    return affine(weights, f"{name}.output", _half_turned(states) * jax.nn.silu(way_out))


def _half_turned(x: jax.Array) -> jax.Array:
    """Reverse the words of the second half of the last axis."""
    left, right = jnp.split(x, 2, -1)
    return jnp.concatenate([left, right[:, ::-1]], -1)
