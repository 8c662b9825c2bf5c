"""The network of the text model: convolutions over neighbours and gated recurrences in turn.

It scores the strings of marks of a slot jointly with the capitals of the next word.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.features.word_shapes import SHAPES
from semipunct.models.base import Parameters
from semipunct.models.layers import (
    Dropout,
    Floats,
    affine,
    affine_weights,
    drop_out,
    embeddings,
    flat,
    gated_recurrence,
    gated_recurrence_weights,
    normalise_layer,
    normalising_weights,
)
from semipunct.models.running_text.options import TextOptions

_LONGEST = 4.0  # gates are initialised to memories of up to e^4 words


class Inputs(NamedTuple):
    """The inputs of the network."""

    codes: jax.Array  # [distinct, CODES], of the distinct words of a batch
    words: jax.Array  # [batch, length], rows of ``codes``
    shapes: jax.Array  # [batch, length], plus one; 0 if hidden
    marks: jax.Array  # [batch, length + 1], strings plus one; 0 if hidden
    inside: jax.Array  # [batch, length], true for words; a gap separates texts within a row


class Scores(NamedTuple):
    """Log potentials of the outcomes of a slot: the joint score is the sum of all three."""

    strings: jax.Array  # [batch, length + 1, strings]
    # [batch, length, SHAPES]; with ``length + 1`` also of the text after the last slot
    shapes: jax.Array
    pairs: jax.Array  # [strings, SHAPES], a string and the capitals of the next word


def network_weights(
    options: TextOptions, words: int, strings: int, generator: np.random.Generator
) -> dict[str, Floats]:
    """Draw initial weights."""
    size = options.size
    weights: dict[str, Floats] = {
        "word": embeddings(generator, words + 1, size),
        "ngram": embeddings(generator, options.ngrams, size),
        "shape": embeddings(generator, SHAPES + 1, size),
        "mark.before": embeddings(generator, strings + 1, size),
        "mark.after": embeddings(generator, strings + 1, size),
        "pairs": np.zeros((strings, SHAPES), np.float32),
    }
    layers: dict[str, dict[str, Floats]] = {}
    for layer in range(options.layers):
        convolution = affine_weights(generator, 3 * size, 2 * size)
        layers[f"convolution{layer}"] = normalising_weights(size) | convolution
        recurrence = gated_recurrence_weights(generator, size)
        half = -np.linspace(0, _LONGEST, size // 2, dtype=np.float32)
        recurrence["gates.bias"][size : 2 * size] = np.resize(np.concatenate([half, half]), size)
        layers[f"recurrence{layer}"] = recurrence
    layers["end"] = normalising_weights(size)
    for name, outputs in (("left", strings), ("right", strings), ("case", SHAPES)):
        layers[name] = affine_weights(generator, size, outputs)
        layers[name]["weight"] *= 0
    return weights | flat(layers)


def scores(
    options: TextOptions, weights: Parameters, inputs: Inputs, dropout: Dropout | None = None
) -> Scores:
    """Score the outcomes of all slots."""
    inside, codes = inputs.inside[..., None], inputs.codes
    if dropout is not None and dropout.words:
        key = jax.random.fold_in(dropout.key, inputs.words.shape[1])
        unknown = jax.random.uniform(key, codes.shape[:1]) < dropout.words
        codes = codes.at[:, 0].multiply(~unknown)
    distinct = weights["word"][codes[:, 0]] + jnp.sum(weights["ngram"][codes[:, 1:]], 1)
    x = distinct[inputs.words] + weights["shape"][inputs.shapes]
    x = (
        x
        + weights["mark.before"][inputs.marks[:, :-1]]
        + weights["mark.after"][inputs.marks[:, 1:]]
    )
    x = jnp.where(inside, x, 0.0)
    for layer in range(options.layers):
        read = _dropped(x, dropout, 2 * layer)
        x = x + _convolution(weights, f"convolution{layer}", read, inside)
        x = jnp.where(inside, x, 0.0)
        read = _dropped(x, dropout, 2 * layer + 1)
        x = x + gated_recurrence(weights, f"recurrence{layer}", read, inside)
        x = jnp.where(inside, x, 0.0)
    x = jnp.where(inside, normalise_layer(weights, "end", x), 0.0)
    left = affine(weights, "left", jnp.pad(x, ((0, 0), (1, 0), (0, 0))))
    right = affine(weights, "right", jnp.pad(x, ((0, 0), (0, 1), (0, 0))))
    return Scores(left + right, affine(weights, "case", x), weights["pairs"])


def _dropped(x: jax.Array, dropout: Dropout | None, layer: int) -> jax.Array:
    if dropout is None or not dropout.rate:
        return x
    return drop_out(x, dropout.rate, jax.random.fold_in(dropout.key, layer))


def _convolution(weights: Parameters, name: str, x: jax.Array, inside: jax.Array) -> jax.Array:
    """Apply a gated convolution over three words (Dauphin et al. 2017).

    One matrix product is faster on CPUs than XLA's convolutions. Inputs beyond the words are zero.
    """
    x = jnp.where(inside, normalise_layer(weights, name, x), 0.0)
    before = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
    after = jnp.pad(x, ((0, 0), (0, 1), (0, 0)))[:, 1:]
    value, gate = jnp.split(affine(weights, name, jnp.concatenate([before, x, after], -1)), 2, -1)
    return value * jax.nn.sigmoid(gate)
