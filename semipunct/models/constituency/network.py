"""The network of the parser of phrases: states of words, scores of spans and of tags.

Words are read as the dependency parser reads them (``semipunct.models.parsing.networks``). A span
is scored by what lies at its two ends (Stern, Andreas and Klein 2017): a layer reads the states on
both sides of each slot, and a span is the difference of its ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.models.constituency.labels import PhraseVocabulary
from semipunct.models.constituency.options import PhraseParserOptions
from semipunct.models.layers import affine, dropped, gated_recurrence, normalised, uniform

Weights = Mapping[str, Any]
Floats = npt.NDArray[np.float32]

_DEVIATION = 0.1
"""Of initial embeddings."""


class PhraseInputs(NamedTuple):
    """A padded batch of sentences.

    Attributes:
        words: ``[batch, length]`` codes of forms; 0 is the unknown one.
        ngrams: ``[batch, length, MOST]`` rows of character n-grams; 0 is padding.
        shapes: ``[batch, length]`` codes of shapes.
        lengths: ``[batch]`` words of each.
    """

    words: Any
    ngrams: Any
    shapes: Any
    lengths: Any


class PhraseDropout(NamedTuple):
    """Dropout while training.

    Attributes:
        key: of the random numbers.
        rate: share of the inputs of each layer that is dropped, the same for all words of a
            sentence (Gal and Ghahramani 2016).
        words: share of word forms taken for unknown ones.
    """

    key: jax.Array
    rate: float
    words: float


def network_weights(
    options: PhraseParserOptions, vocabulary: PhraseVocabulary, generator: np.random.Generator
) -> dict[str, Floats]:
    """Draw initial weights.

    Args:
        options: sizes.
        vocabulary: how many codes there are.
        generator: the source of chance.
    """

    def normal(*shape: int) -> Floats:
        return _DEVIATION * generator.standard_normal(shape).astype(np.float32)

    def layer(inputs: int, outputs: int) -> dict[str, Floats]:
        return {
            "weight": uniform(generator, (inputs, outputs), inputs),
            "bias": np.zeros(outputs, np.float32),
        }

    def norm(size: int) -> dict[str, Floats]:
        return {"scale": np.ones(size, np.float32), "shift": np.zeros(size, np.float32)}

    hidden, tags = options.hidden, vocabulary.size("tag")
    parts: dict[str, Mapping[str, Floats]] = {
        "embed": {
            "word": normal(vocabulary.size("word"), options.word),
            "ngram": normal(vocabulary.size("ngram"), options.ngram),
            "shape": normal(vocabulary.size("shape"), hidden),
        },
        "input": layer(options.word + options.ngram, hidden),
        "edges": {"weight": normal(2, hidden)},
        "output": norm(hidden),
        "tags.input": norm(hidden),
        "tags": layer(hidden, hidden),
        "tag": layer(hidden, tags),
        "tagged": {"weight": normal(tags, hidden)},
        "end": layer(hidden, options.span),
        "span": layer(options.span, vocabulary.size("label") - 1),
    }
    for i in range(options.layers):
        parts[f"layer{i}"] = norm(hidden)
        parts[f"layer{i}.gates"] = layer(hidden, 3 * hidden)
        parts[f"layer{i}.output"] = layer(hidden, hidden)
    return {f"{part}.{n}": x for part, weights in parts.items() for n, x in weights.items()}


def scores(
    options: PhraseParserOptions,
    weights: Weights,
    inputs: PhraseInputs,
    dropout: PhraseDropout | None,
) -> tuple[jax.Array, jax.Array]:
    """Score spans and tags.

    Args:
        options: sizes.
        weights: from ``network_weights``.
        inputs: the sentences.
        dropout: only while training.

    Returns:
        ``[batch, length, length, labels]`` of the span from one word to another, both included,
        where label 0 scores nothing; ``[batch, length, tags]``.
    """
    # A key of its own for each mask: two masks of one key would leave out the same places.
    keys = None if dropout is None else jax.random.split(dropout.key, options.layers + 4)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None:
            return x
        return dropped(x, dropout.rate, keys[mask], shared=1)

    words, ngrams = jnp.asarray(inputs.words), jnp.asarray(inputs.ngrams)
    if dropout is not None and keys is not None:
        words = jnp.where(jax.random.bernoulli(keys[3], dropout.words, words.shape), 0, words)
    # A sum over n-grams has the same variance however many there are.
    some = (ngrams > 0)[..., None]
    pieces = jnp.sum(jnp.where(some, weights["embed.ngram"][ngrams], 0.0), 2)
    pieces = pieces * jax.lax.rsqrt(jnp.maximum(jnp.sum(some, 2), 1).astype(pieces.dtype))
    read = jnp.concatenate([weights["embed.word"][words], pieces], -1)
    x = affine(weights, "input", drop(read, 0)) + weights["embed.shape"][jnp.asarray(inputs.shapes)]
    batch, length, hidden = x.shape
    lengths = jnp.asarray(inputs.lengths)
    # The edges of a sentence are read as words: each slot has a state on either side.
    place = jnp.arange(length + 2)
    edge = jnp.broadcast_to(weights["edges.weight"][:, None, None], (2, batch, 1, hidden))
    x = jnp.concatenate([edge[0], x, edge[1]], 1)
    x = jnp.where((place == lengths[:, None] + 1)[..., None], weights["edges.weight"][1], x)
    inside = (place <= lengths[:, None] + 1)[..., None]
    tags = jnp.zeros((batch, length, 0))
    for i in range(options.layers + 1):
        if i == min(options.tag_layers, options.layers):
            tagged = jax.nn.gelu(affine(weights, "tags", normalised(weights, "tags.input", x)))
            tags = affine(weights, "tag", drop(tagged, 1)[:, 1:-1])
            # What is above reads how probable tags are (Zhang and Weiss 2016).
            x = x.at[:, 1:-1].add(jax.nn.softmax(tags) @ weights["tagged.weight"])
        if i < options.layers:
            x = x + drop(gated_recurrence(weights, f"layer{i}", x, inside), 4 + i)
    x = drop(normalised(weights, "output", x), 2)
    # Of a slot: the half that comes from the left at the word before it, the other at that after.
    half = hidden // 2
    slots = jnp.concatenate([x[:, :-1, :half], x[:, 1:, half:]], -1)
    ends = slots @ weights["end.weight"]
    span = jax.nn.gelu(ends[:, None, 1:] - ends[:, :-1, None] + weights["end.bias"])
    found = affine(weights, "span", span)
    nothing = jnp.zeros((*found.shape[:-1], 1), found.dtype)
    return jnp.concatenate([nothing, found], -1), tags
