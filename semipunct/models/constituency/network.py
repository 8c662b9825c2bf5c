"""The network of the constituency parser: representations of words, scores of spans and tags.

Words are embedded as in the dependency parser (``semipunct.models.forms``). The score of a span
depends on its two ends (Stern, Andreas and Klein 2017): a layer maps the states on both sides of
each slot to a vector, and a span is represented by the difference of the vectors of its ends.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.models.constituency.labels import PhraseVocabulary
from semipunct.models.constituency.options import PhraseParserOptions
from semipunct.models.forms import FormInputs, embed_forms, form_weights
from semipunct.models.layers import (
    Dropout,
    Floats,
    Weights,
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


def network_weights(
    options: PhraseParserOptions, vocabulary: PhraseVocabulary, generator: np.random.Generator
) -> dict[str, Floats]:
    """Draw initial weights.

    Args:
        options: the sizes.
        vocabulary: number of codes.
        generator: the random number generator.
    """
    layer, normal = partial(affine_weights, generator), partial(embeddings, generator)
    hidden, tags = options.hidden, vocabulary.size("tag")
    parts = {
        **form_weights(generator, vocabulary, options.word, options.ngram, hidden),
        "edges": {"weight": normal(2, hidden)},
        "output": normalising_weights(hidden),
        "tags.input": normalising_weights(hidden),
        "tags": layer(hidden, hidden),
        "tag": layer(hidden, tags),
        "tagged": {"weight": normal(tags, hidden)},
        "end": layer(hidden, options.span),
        "span": layer(options.span, vocabulary.size("label") - 1),
    }
    for i in range(options.layers):
        parts[f"layer{i}"] = gated_recurrence_weights(generator, hidden)
    return flat(parts)


def scores(
    options: PhraseParserOptions,
    weights: Weights,
    inputs: FormInputs,
    dropout: Dropout | None,
) -> tuple[jax.Array, jax.Array]:
    """Score spans and tags.

    Args:
        options: the sizes.
        weights: from ``network_weights``.
        inputs: the sentences.
        dropout: given only during training.

    Returns:
        ``[batch, length, length, labels]`` scores of the span from one word to another, both
        included, where label 0 has score zero; ``[batch, length, tags]``.
    """
    # Each mask needs its own key: masks drawn with the same key would coincide.
    keys = None if dropout is None else jax.random.split(dropout.key, options.layers + 4)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None:
            return x
        return drop_out(x, dropout.rate, keys[mask], shared=1)

    unknown = None
    if dropout is not None and keys is not None:
        unknown = keys[3], dropout.words
    x = embed_forms(weights, inputs, lambda read: drop(read, 0), unknown)
    batch, length, hidden = x.shape
    lengths = jnp.asarray(inputs.lengths)
    # The edges of a sentence are treated as words, so that each slot has a state on either side.
    place = jnp.arange(length + 2)
    edge = jnp.broadcast_to(weights["edges.weight"][:, None, None], (2, batch, 1, hidden))
    x = jnp.concatenate([edge[0], x, edge[1]], 1)
    x = jnp.where((place == lengths[:, None] + 1)[..., None], weights["edges.weight"][1], x)
    inside = (place <= lengths[:, None] + 1)[..., None]
    tags = jnp.zeros((batch, length, 0))
    for i in range(options.layers + 1):
        if i == min(options.tag_layers, options.layers):
            tagged = jax.nn.gelu(affine(weights, "tags", normalise_layer(weights, "tags.input", x)))
            tags = affine(weights, "tag", drop(tagged, 1)[:, 1:-1])
            # The layers above use the probabilities of tags as input (Zhang and Weiss 2016).
            x = x.at[:, 1:-1].add(jax.nn.softmax(tags) @ weights["tagged.weight"])
        if i < options.layers:
            x = x + drop(gated_recurrence(weights, f"layer{i}", x, inside), 4 + i)
    x = drop(normalise_layer(weights, "output", x), 2)
    # A slot has the forward half of the word before it and the backward half of the word after it.
    half = hidden // 2
    slots = jnp.concatenate([x[:, :-1, :half], x[:, 1:, half:]], -1)
    ends = slots @ weights["end.weight"]
    span = jax.nn.gelu(ends[:, None, 1:] - ends[:, :-1, None] + weights["end.bias"])
    labels = affine(weights, "span", span)
    nothing = jnp.zeros((*labels.shape[:-1], 1), labels.dtype)
    return jnp.concatenate([nothing, labels], -1), tags
