"""Gated convolutions over characters or words.

They are gated as those of Dauphin et al. (2017), and dilated as those of Strubell et al. (2017).

What the network says of a position depends on no more than ``reach`` neighbours to either side
and the properties of these, so what is of any length may be read in windows that overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.models.layers import affine, dropped, uniform

Weights = Mapping[str, Any]
Floats = npt.NDArray[np.float32]


def reach(layers: int) -> int:
    """Return how many neighbours to either side a position's scores depend on."""
    return 2**layers - 1


def convolution_weights(
    sizes: Mapping[str, int],
    size: int,
    layers: int,
    outputs: int,
    generator: np.random.Generator,
) -> dict[str, Floats]:
    """Draw initial weights.

    Args:
        sizes: how many codes there are of each property.
        size: of embeddings and layers.
        layers: how many there are.
        outputs: scores of each position.
        generator: the source of chance.
    """
    spread = len(sizes) ** -0.5  # the sum of all embeddings has variance one

    def layer(name: str, inputs: int, outputs: int) -> dict[str, Floats]:
        return {
            f"{name}.weight": uniform(generator, (inputs, outputs), inputs),
            f"{name}.bias": np.zeros(outputs, np.float32),
        }

    found = {
        f"embed.{name}": (spread * generator.standard_normal((n, size))).astype(np.float32)
        for name, n in sizes.items()
    }
    for i in range(layers):
        found |= layer(f"layer{i}", 3 * size, 2 * size)
    return found | layer("output", size, outputs)


def convolved(
    weights: Weights,
    names: Sequence[str],
    codes: jax.Array,
    inside: jax.Array,
    dropout: tuple[jax.Array, float] | None = None,
) -> jax.Array:
    """Score the tags of every position, ``[batch, length, outputs]``.

    Args:
        weights: from ``network_weights``.
        names: of the properties.
        codes: ``[properties, batch, length]``.
        inside: ``[batch, length]``, false in the padding.
        dropout: while training, the source of chance and the share of the last layer's output that
            is left out.
    """
    there = inside[..., None]
    x = sum(weights[f"embed.{name}"][codes[i]] for i, name in enumerate(names))
    x = jnp.where(there, x, 0.0)
    layer = 0
    while f"layer{layer}.weight" in weights:
        step = min(2**layer, x.shape[1])
        wide = jnp.pad(x, ((0, 0), (step, step), (0, 0)))
        around = jnp.concatenate([wide[:, : -2 * step], x, wide[:, 2 * step :]], -1)
        new, gate = jnp.split(affine(weights, f"layer{layer}", around), 2, -1)
        x = jnp.where(there, x + jnp.tanh(new) * jax.nn.sigmoid(gate), 0.0)
        layer += 1
    if dropout is not None:
        x = dropped(x, dropout[1], dropout[0])
    return affine(weights, "output", x)
