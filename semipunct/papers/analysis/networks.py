"""Recurrent networks that score the tags of slots; the layers are ``semipunct.models.layers``.

The weights of both networks are one flat dictionary: ``embed.*``, ``edges``, ``forward.*``,
``backward.*``, ``output.*`` and, for the second network, those of its decoder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.models.layers import (
    Dropout,
    Floats,
    Weights,
    affine,
    drop_out,
    flat,
    gru,
    gru_step,
    lstm,
    recurrent_weights,
    uniform,
)
from semipunct.papers.analysis.options import TaggerOptions

CODES = ("word", "suffix", "tag", "xpos")
"""The properties of a word that are embedded, in the order of its codes."""


class TaggerInputs(NamedTuple):
    """A padded batch of sentences.

    Attributes:
        codes: ``[CODES, batch, length]``; 0 stands for unknown values.
        lengths: ``[batch]`` numbers of words.
        written: ``[batch, length + 1]`` the string written in each slot, if the network uses it; 0
            for unknown strings and in the padding.
    """

    codes: jax.Array | npt.NDArray[np.int32]
    lengths: jax.Array | npt.NDArray[np.int32]
    written: jax.Array | npt.NDArray[np.int32] | None = None


def network_weights(
    options: TaggerOptions,
    codes: tuple[int, ...],
    tags: int,
    generator: np.random.Generator,
    written: int = 0,
) -> dict[str, Floats]:
    """Draw initial weights; all transitions of the chain have the same weight.

    Args:
        options: the choice of the network, and its sizes.
        codes: number of codes of each property in ``CODES``.
        tags: number of tags.
        generator: the random number generator.
        written: number of codes of written strings.
    """
    sizes = [getattr(options, name) for name in CODES]
    hidden, two_directions, word = options.hidden, 2 * options.hidden, sum(sizes)
    read = word + options.written
    gates = 4 if options.network == "crf" else 3

    def normal(rows: int, size: int) -> Floats:
        return generator.standard_normal((rows, size)).astype(np.float32)

    def layer(inputs: int, outputs: int) -> dict[str, Floats]:
        return {
            "weight": uniform(generator, (inputs, outputs), inputs),
            "bias": uniform(generator, (outputs,), inputs),
        }

    parts: dict[str, Mapping[str, Floats]] = {
        "embed": {n: normal(c, s) for n, c, s in zip(CODES, codes, sizes, strict=True)},
        "forward": recurrent_weights(generator, gates, read, hidden),
        "backward": recurrent_weights(generator, gates, read, hidden),
    }
    if options.network == "crf":
        parts["output"] = layer(two_directions, tags)
    else:
        parts |= {
            "decoder": recurrent_weights(generator, 3, two_directions, hidden),
            "query": {"weight": uniform(generator, (hidden, hidden), hidden)},
            "keys": layer(two_directions, hidden),
            "energy": {"weight": uniform(generator, (hidden,), hidden)},
            "fusion": {"weight": uniform(generator, (two_directions, hidden), two_directions)},
            "gate.fused": {"weight": uniform(generator, (hidden, hidden), hidden)},
            "gate.state": layer(hidden, hidden),
            "output": layer(hidden, tags),
        }
    weights = flat(parts)
    weights["edges"] = normal(2, word)
    if options.network == "crf":
        weights["transition"] = np.zeros((tags, tags), np.float32)
    if options.written:
        weights["embed.written"] = normal(written, options.written)
    return weights


def scores(
    options: TaggerOptions, weights: Weights, words: TaggerInputs, dropout: Dropout | None
) -> tuple[jax.Array, jax.Array | None]:
    """Score the tags of slots, and the transitions between them if the network has a chain.

    Args:
        options: the choice of the network.
        weights: from ``network_weights``.
        words: the sentences.
        dropout: given only during training.

    Returns:
        ``[batch, length + 1, tags]`` and ``[tags, tags]``, or None if slots are independent given
        the words.
    """
    # Each mask needs its own key: masks drawn with the same key would coincide.
    keys = None if dropout is None else jax.random.split(dropout.key, 4)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None or not dropout.rate:
            return x
        return drop_out(x, dropout.rate, keys[mask])

    codes = jnp.asarray(words.codes)
    if dropout is not None and keys is not None:
        unknown = jax.random.bernoulli(keys[3], dropout.words, codes.shape[1:])
        codes = codes.at[0].set(jnp.where(unknown, 0, codes[0]))
    lengths = jnp.asarray(words.lengths)
    embedded = [weights[f"embed.{name}"][codes[i]] for i, name in enumerate(CODES)]
    x = with_edges(drop(jnp.concatenate(embedded, -1), 0), weights["edges"], lengths)
    if options.written:
        # A slot's string is input together with the word before the slot, or with the first edge.
        strings = weights["embed.written"][jnp.asarray(words.written)]
        x = jnp.concatenate([x, jnp.pad(strings, ((0, 0), (0, 1), (0, 0)))], -1)
    read = lstm if options.network == "crf" else gru
    left = read(weights, "forward", x, lengths + 2, reverse=False)[:, :-1]
    right = read(weights, "backward", x, lengths + 2, reverse=True)[:, 1:]
    h = drop(jnp.concatenate([left, right], -1), 1)
    if options.network == "crf":
        return affine(weights, "output", h), weights["transition"]
    return affine(weights, "output", drop(_attend(weights, h, lengths), 2)), None


def with_edges(x: jax.Array, edges: jax.Array, lengths: jax.Array) -> jax.Array:
    """Add a vector before the first word and one after the last, as neighbours of the edge slots.

    Args:
        x: ``[batch, length, size]``.
        edges: ``[2, size]``.
        lengths: ``[batch]``.

    Returns:
        ``[batch, length + 2, size]``; the vector after the last word fills the padding.
    """
    batch, length, size = x.shape
    inside = jnp.arange(length)[None, :, None] < lengths[:, None, None]
    edge = jnp.broadcast_to(edges[:, None, None], (2, batch, 1, size))
    return jnp.concatenate([edge[0], jnp.where(inside, x, edges[1]), edge[1]], 1)


def _attend(weights: Weights, h: jax.Array, lengths: jax.Array) -> jax.Array:
    """Decode slots ``[batch, slots, both]`` with attention over all slots, and late fusion.

    This is the decoder of Tilk and Alumäe (2016, section 3); it returns ``[batch, slots, hidden]``.
    """
    inside = jnp.arange(h.shape[1])[None] <= lengths[:, None]
    keys = affine(weights, "keys", h)

    def step(state: jax.Array, read: jax.Array) -> tuple[jax.Array, jax.Array]:
        query = state @ weights["query.weight"]
        energy = jnp.tanh(query[:, None] + keys) @ weights["energy.weight"]
        share = jax.nn.softmax(jnp.where(inside, energy, -jnp.inf))
        state = gru_step(weights, "decoder", state, read)
        fused = jnp.einsum("bl,bld->bd", share, h) @ weights["fusion.weight"]
        gate = fused @ weights["gate.fused.weight"] + affine(weights, "gate.state", state)
        return state, fused * jax.nn.sigmoid(gate) + state

    start = jnp.zeros((h.shape[0], weights["decoder.state.weight"].shape[0]))
    read = jnp.swapaxes(affine(weights, "decoder.input", h), 0, 1)
    _, states = jax.lax.scan(step, start, read)
    return jnp.swapaxes(states, 0, 1)
