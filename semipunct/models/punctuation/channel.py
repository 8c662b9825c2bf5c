"""NOISYCHANNEL: a sliding window that edits a slot's underlying tokens (section 2.2, appendix D).

Edit probabilities are indexed in text order, ``[a, b]`` with a left of b. The right-to-left channel
is the left-to-right one on mirrored strings; only ``mirror`` converts between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.marks import EDITS, edits
from semipunct.models.punctuation.options import ModelOptions
from semipunct.structures.given_tree import Edits

CHANNEL = "channel."
"""Prefix of the names of the channel's weights."""


def possible_edits(symbols: Sequence[str]) -> np.ndarray:
    """Return the mask of possible edits, ``[edits, symbols, symbols]``.

    The first token absorbs the start symbol to the left with probability one.
    """
    possible = np.zeros((len(EDITS), len(symbols), len(symbols)), bool)
    for i, a in enumerate(symbols[1:], 1):
        for j, b in enumerate(symbols[1:], 1):
            for name in edits.possible(a, b):
                possible[EDITS.index(name), i, j] = True
    possible[EDITS.index("absorb_left"), 0, 1:] = True
    # Every window needs an edit, otherwise its softmax would be undefined.
    possible[EDITS.index("keep"), :, 0] = True
    return possible


def channel_parameters(
    symbols: Sequence[str], options: ModelOptions, initial: np.random.Generator | None, scale: float
) -> dict[str, np.ndarray]:
    """Return initial weights: N(0, scale^2), or zero."""
    n = len(symbols)
    shapes: dict[str, tuple[int, ...]] = {}
    if options.channel != "none":
        for i in range(options.passes):
            shapes[f"{CHANNEL}{i}.window"] = (4, n, n)
            if options.tied:
                shapes[f"{CHANNEL}{i}.first"] = (4, n)
                shapes[f"{CHANNEL}{i}.second"] = (4, n)
                shapes[f"{CHANNEL}{i}.strength"] = (n,)

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape) if initial is None else initial.normal(0.0, scale, shape)

    return {name: np.asarray(draw(shape), np.float32) for name, shape in shapes.items()}


def log_edits(
    parameters: Mapping[str, Any], number: int, symbols: Sequence[str], options: ModelOptions
) -> Edits:
    """Return the log-probabilities of the edits of one pass, in text order.

    Each of the four tables is ``[symbols, symbols]``; symbol 0 is the start. With tied weights,
    token strengths decide which token absorbs the other (footnote 5): ``strength[b] - strength[a]``
    is added to the weight of absorbing left and subtracted from the weight of absorbing right.
    """
    possible = jnp.asarray(possible_edits(symbols))
    if options.channel == "none":
        n = len(symbols)
        only_keep = np.zeros((4, n, n), bool)
        only_keep[0, 1:, 1:] = True
        only_keep[1, 0, 1:] = True
        return Edits(*jnp.where(jnp.asarray(only_keep), 0.0, -jnp.inf))
    weight = parameters[f"{CHANNEL}{number}.window"]
    if options.tied:
        strength = parameters[f"{CHANNEL}{number}.strength"]
        wins = strength[None, :] - strength[:, None]
        weight = (
            weight
            + parameters[f"{CHANNEL}{number}.first"][:, :, None]
            + parameters[f"{CHANNEL}{number}.second"][:, None, :]
            + jnp.stack([jnp.zeros_like(wins), wins, -wins, jnp.zeros_like(wins)])
        )
    # Every window has an edit, so each softmax has at least one finite weight.
    return Edits(*jax.nn.log_softmax(jnp.where(possible, weight, -jnp.inf), 0))


def mirror(edits: Edits) -> Edits:
    """Convert edits to the mirrored string: text order reversed, sides swapped."""

    # The start symbol is not a token of the text: its row is not transposed.
    def swap(table: jax.Array, start: jax.Array) -> jax.Array:
        return table.T.at[0, :].set(start[0, :]).at[1:, 0].set(-jnp.inf)

    return Edits(
        swap(edits.keep, edits.keep),
        swap(edits.absorb_right, edits.absorb_left),
        swap(edits.absorb_left, edits.absorb_right),
        swap(edits.transpose, edits.transpose),
    )
