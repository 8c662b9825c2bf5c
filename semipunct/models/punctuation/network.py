"""A neural score of a node's pairs of punctemes, added to the log-linear one.

Words and their positions in the tree are embedded; gated convolutions over the sentence add
information on the neighbours of each word. A small feed-forward network takes as input the word,
its head, both edges of its constituent, the words beyond these and the mean of those within; it
scores the pair as a whole, each puncteme alone, and the symmetry of the two. None of this depends
on punctuation. Two further layers score a left and a right puncteme given the marks to the left of
a constituent's edges (``features.history``). All scores are local to a node, so inference remains
exact.

What was tried, and what it costs: docs/decisions/0017-neural-score.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.features.history import CLOSING, OPENING
from semipunct.features.network_inputs import CODES, PLACES
from semipunct.features.templates import TREE_TARGETS, Target
from semipunct.models.layers import affine, drop_out
from semipunct.models.punctuation.attach import AttachTables
from semipunct.models.punctuation.options import ModelOptions

PREFIX = "network."
"""Prefix of the names of the network's weights."""

_EMBEDDED = {
    "form": 64, "suffix": 24, "prefix": 16, "upos": 16, "xpos": 24,
    "feats": 16, "relation": 24,
    "shape": 4, "side": 4, "span": 8, "left_dependents": 4, "right_dependents": 4,
    "depth": 4, "starting": 4, "ending": 4, "order": 8,
}  # fmt: skip
"""Sizes of the embeddings of the coded columns."""

_OF_THE_HEAD = ("relation", "upos")
_BESIDE = ("span", "order", "side", "relation")


class Dropout(NamedTuple):
    """Dropout during training.

    Attributes:
        key: PRNG key.
        rate: fraction of the inputs of each layer that is dropped.
        words: fraction of word forms replaced by the unseen form.
    """

    key: jax.Array
    rate: float
    words: float


def network_parameters(
    sizes: Mapping[str, int],
    columns: Mapping[Target, int],
    options: ModelOptions,
    generator: np.random.Generator,
) -> dict[str, npt.NDArray[np.float32]]:
    """Return initial weights; the last layer is zero, so that all initial scores are zero.

    Args:
        sizes: number of codes of each coded column, including those of the history if it is an
            input.
        columns: the number of scores of each target.
        options: width and layers.
        generator: the random number generator.
    """
    width, hidden = options.network_width, 2 * options.network_width

    def normal(rows: int, size: int, scale: float | None = None) -> npt.NDArray[np.float32]:
        drawn = generator.standard_normal((rows, size)) * (scale or rows**-0.5)
        return drawn.astype(np.float32)

    embedded = sum(_EMBEDDED.values()) + sum(_EMBEDDED[name] for name in _OF_THE_HEAD)
    read = 7 * width + sum(_EMBEDDED[name] for name in _BESIDE)
    weights = {f"embed.{name}": normal(sizes[name], _EMBEDDED[name], 0.1) for name in CODES}
    weights |= {"edges": normal(2, width, 0.1)}
    weights |= {"input.weight": normal(embedded, width), "input.bias": np.zeros(width, np.float32)}
    for layer in range(options.network_layers):
        weights[f"convolution{layer}.weight"] = normal(3 * width, 2 * width)
        weights[f"convolution{layer}.bias"] = np.zeros(2 * width, np.float32)
    weights |= {"hidden.weight": normal(read, hidden), "hidden.bias": np.zeros(hidden, np.float32)}
    weights |= {"deep.weight": normal(hidden, hidden), "deep.bias": np.zeros(hidden, np.float32)}
    targets = list(TREE_TARGETS)
    if OPENING[0] in sizes:
        for target, names in _SEEN.items():
            targets.append(target)
            weights |= {f"embed.{name}": normal(sizes[name], hidden, 0.1) for name in names}
            weights[f"{target}.weight"] = normal(hidden, hidden)
            weights[f"{target}.bias"] = np.zeros(hidden, np.float32)
    weights |= {f"score.{t}": np.zeros((hidden, columns[t]), np.float32) for t in targets}
    return {PREFIX + name: value for name, value in weights.items()}


def network_weights(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the network's weights by their names within the network."""
    return {n.removeprefix(PREFIX): x for n, x in parameters.items() if n.startswith(PREFIX)}


def read_words(
    parameters: Mapping[str, jax.Array],
    columns: jax.Array | npt.NDArray[np.int32],
    sentence: jax.Array | npt.NDArray[np.int64],
    layers: int,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Compute vectors of words and their positions, ``[words, 2 width]``, independent of marks.

    Args:
        parameters: weights by name, including those from ``network_parameters``.
        columns: ``[words, columns]`` from ``network_inputs``.
        sentence: ``[words]`` the sentence of each word; words of other sentences are not
            neighbours.
        layers: number of convolutions.
        dropout: given only during training.
    """
    w = network_weights(parameters)
    code = {name: jnp.asarray(columns[:, i]) for i, name in enumerate(CODES)}
    index = jnp.arange(columns.shape[0])
    head, first, last = (
        jnp.clip(index + columns[:, len(CODES) + i], 0, len(index) - 1) for i in range(len(PLACES))
    )
    keys = iter(jax.random.split(dropout.key, layers + 5)) if dropout else None
    if dropout and keys:
        unseen = jax.random.bernoulli(next(keys), dropout.words, code["form"].shape)
        code["form"] = jnp.where(unseen, 0, code["form"])

    def drop(x: jax.Array) -> jax.Array:
        return drop_out(x, dropout.rate, next(keys)) if dropout and keys else x

    def beside(x: jax.Array, distance: int) -> jax.Array:
        """Return the words at a distance, and an edge vector beyond the ends of a sentence."""
        neighbour = index + distance
        inside = (neighbour >= 0) & (neighbour < len(index))
        inside &= sentence[jnp.clip(neighbour, 0, len(index) - 1)] == sentence
        edge = w["edges"][0 if distance < 0 else 1]
        return jnp.where(inside[:, None], jnp.roll(x, -distance, 0), edge)

    embedded = {name: w[f"embed.{name}"][code[name]] for name in CODES}
    of_the_head = [embedded[name][head] for name in _OF_THE_HEAD]
    x = jax.nn.gelu(affine(w, "input", drop(_side_by_side(*embedded.values(), *of_the_head))))
    for layer in range(layers):
        window = _side_by_side(*(beside(x, d) for d in (-1 - layer, 0, 1 + layer)))
        value, gate = jnp.split(affine(w, f"convolution{layer}", drop(window)), 2, 1)
        x = x + jnp.tanh(value) * jax.nn.sigmoid(gate)
    before, after = beside(x, -1)[first], beside(x, 1)[last]
    total = jnp.pad(jnp.cumsum(x, 0), ((1, 0), (0, 0)))
    within = (total[last + 1] - total[first]) / (last - first + 1)[:, None]
    embedded_columns = [embedded[name] for name in _BESIDE]
    read = _side_by_side(x, x[head], x[first], x[last], before, after, within, *embedded_columns)
    y = drop(jax.nn.gelu(affine(w, "hidden", drop(read))))
    return y + jax.nn.gelu(affine(w, "deep", y))


def scores_of_words(
    parameters: Mapping[str, jax.Array],
    tables: AttachTables,
    summary: jax.Array,
) -> jax.Array:
    """Score pairs from words and tree, ``[words, pairs]``.

    Args:
        parameters: weights by name.
        tables: from ``attach_tables``.
        summary: ``[words, 2 width]`` from ``read_words``.
    """
    w = network_weights(parameters)
    score: Any = summary @ w["score.pair"]
    for target in TREE_TARGETS[1:]:
        score = score + tables.over_pairs(target, summary @ w[f"score.{target}"])
    return score


def scores_of_marks(weights: Mapping[str, Any], target: Target, summary: Any, seen: Any) -> Any:
    """Score left or right labels given the history at an edge, ``[words, labels]``.

    The arrays may be JAX or numpy arrays: training scores many words at once, sampling one word
    with many histories.

    Args:
        weights: from ``network_weights``.
        target: ``opening`` or ``closing``.
        summary: ``[words, 2 width]`` from ``read_words``, or the vector of a single word.
        seen: ``[words, columns]`` codes, in the order of ``history.OPENING`` or ``CLOSING``.
    """
    x = affine(weights, target, summary)
    for i, name in enumerate(_SEEN[target]):
        x = x + weights[f"embed.{name}"][seen[:, i]]
    return (x * (x > 0)) @ weights[f"score.{target}"]


_SEEN: dict[Target, tuple[str, ...]] = {"opening": OPENING, "closing": CLOSING}


def _side_by_side(*arrays: jax.Array) -> jax.Array:
    return jnp.concatenate(arrays, 1)
