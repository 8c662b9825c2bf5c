"""Gated convolutions over characters or words.

The gates follow Dauphin et al. (2017), the dilation Strubell et al. (2017). The scores of a
position depend on ``reach`` neighbours on either side, so long input may be processed in
overlapping windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.models.layers import Dropout, Floats, Weights, affine, affine_weights, drop_out, flat

WORD = "word"
"""The property of words that training sometimes replaces with the unknown value."""


def reach(layers: int) -> int:
    """Return the number of neighbours on either side that affect the scores of a position."""
    return 2**layers - 1


def convolution_weights(
    sizes: Mapping[str, int], size: int, layers: int, outputs: int, generator: np.random.Generator
) -> dict[str, Floats]:
    """Draw initial weights, given the number of codes of each property."""
    spread = len(sizes) ** -0.5  # so that the sum of all embeddings has variance one
    embeddings = {
        name: (spread * generator.standard_normal((n, size))).astype(np.float32)
        for name, n in sizes.items()
    }
    parts = {"embed": embeddings}
    for i in range(layers):
        parts[f"layer{i}"] = affine_weights(generator, 3 * size, 2 * size)
    parts["output"] = affine_weights(generator, size, outputs)
    return flat(parts)


def word_scores(
    weights: Weights,
    names: Sequence[str],
    codes: jax.Array,
    lengths: jax.Array,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Score the tags of every word, ``[batch, length, outputs]``.

    Args:
        codes: ``[properties, batch, length]``.
        lengths: ``[batch]``.
    """
    drop = None
    if dropout is not None:
        drop = jax.random.fold_in(dropout.key, 0), dropout.rate
        unknown = jax.random.fold_in(dropout.key, 1)
        hidden = jax.random.bernoulli(unknown, dropout.words, codes.shape[1:])
        word = names.index(WORD)
        codes = codes.at[word].set(jnp.where(hidden, 0, codes[word]))
    inside = jnp.arange(codes.shape[2]) < lengths[:, None]
    return convolve(weights, names, codes, inside, drop)


def convolve(
    weights: Weights,
    names: Sequence[str],
    codes: jax.Array,
    inside: jax.Array,
    dropout: tuple[jax.Array, float] | None = None,
) -> jax.Array:
    """Score the tags of every position, ``[batch, length, outputs]``.

    Args:
        codes: ``[properties, batch, length]``.
        inside: ``[batch, length]``, false in the padding.
        dropout: PRNG key and rate for the output of the last layer.
    """
    is_inside = inside[..., None]
    x = sum(weights[f"embed.{name}"][codes[i]] for i, name in enumerate(names))
    x = jnp.where(is_inside, x, 0.0)
    layer = 0
    while f"layer{layer}.weight" in weights:
        step = min(2**layer, x.shape[1])
        wide = jnp.pad(x, ((0, 0), (step, step), (0, 0)))
        around = jnp.concatenate([wide[:, : -2 * step], x, wide[:, 2 * step :]], -1)
        proposed, gate = jnp.split(affine(weights, f"layer{layer}", around), 2, -1)
        x = jnp.where(is_inside, x + jnp.tanh(proposed) * jax.nn.sigmoid(gate), 0.0)
        layer += 1
    if dropout is not None:
        x = drop_out(x, dropout[1], dropout[0])
    return affine(weights, "output", x)
