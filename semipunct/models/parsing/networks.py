"""The network of the parser: representations of words, scores of arcs, relations and tags.

The encoder consists of bidirectional minimal gated recurrences, whose gates depend on the inputs
alone (Martin and Cundy 2018). Tags are predicted from an intermediate layer; the layers above read
their probabilities (Zhang and Weiss 2016). Arcs and relations have biaffine scores (Dozat and
Manning 2017). See docs/decisions/training.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

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
from semipunct.models.parsing.options import ParserOptions
from semipunct.models.parsing.vocabulary import TAGS, ParserVocabulary

_MASKS = 8  # number of dropout masks outside the layers


class ParserInputs(NamedTuple):
    """A padded batch of sentences."""

    forms: FormInputs
    slots: jax.Array | npt.NDArray[np.int32] | None = None  # [batch, length + 1], strings

    @property
    def lengths(self) -> Any:
        return self.forms.lengths


class ParserScores(NamedTuple):
    """Scores of the parts of an analysis. Position 0 is the root."""

    arcs: jax.Array  # [batch, length + 1, length + 1], from head (axis 1) to dependent (axis 2)
    heads: jax.Array  # [batch, length + 1, relation], words as heads
    dependents: jax.Array  # [batch, length, relation], words as dependents
    tags: tuple[jax.Array, ...]  # [batch, length, codes] for each of ``TAGS``
    slots: jax.Array | None  # [batch, length + 1, strings]; None if punctuation is not predicted


def network_weights(
    options: ParserOptions,
    vocabulary: ParserVocabulary,
    strings: int,
    generator: np.random.Generator,
) -> dict[str, Floats]:
    """Draw initial weights."""
    layer, normal = partial(affine_weights, generator), partial(embeddings, generator)
    hidden, arc, relation = options.hidden, options.arc, options.relation
    relations = vocabulary.size("relation")
    parts = {
        **form_weights(generator, vocabulary, options.word, options.ngram, hidden),
        "root": {"weight": normal(hidden)},
        "output": normalising_weights(hidden),
        "tags.input": normalising_weights(hidden),
        "arc.head": layer(hidden, arc),
        "arc.dependent": layer(hidden, arc),
        "arc": {"weight": normal(arc, arc) / arc**0.5, "bias": np.zeros(arc, np.float32)},
        "relation.head": layer(hidden, relation),
        "relation.dependent": layer(hidden, relation),
        "relation": layer(3 * relation, relations),
        "tags": layer(hidden, hidden),
        **{name: layer(hidden, vocabulary.size(name)) for name in TAGS},
        "tagged": {name: normal(vocabulary.size(name), hidden) for name in TAGS},
    }
    if options.marks:
        parts["marks"] = {side: normal(strings, hidden) for side in ("before", "after")}
    if options.predicts_slots:
        parts["end"] = {"weight": normal(hidden)}
        parts["slot"] = layer(2 * hidden, options.slot)
        parts["string"] = layer(options.slot, strings)
    # Layers are stacked, so that one compiled function serves all of them.
    layers = [gated_recurrence_weights(generator, hidden) for _ in range(options.layers)]
    parts["layer"] = {n: np.stack([layer[n] for layer in layers]) for n in layers[0]}
    return flat(parts)


def scores(
    options: ParserOptions, weights: Weights, inputs: ParserInputs, dropout: Dropout | None
) -> ParserScores:
    """Score arcs and tags, and compute representations of words for scoring relations."""
    # Masks drawn with the same key would coincide.
    keys = None if dropout is None else jax.random.split(dropout.key, options.layers + _MASKS)

    def masked(x: jax.Array, key: jax.Array | None) -> jax.Array:
        if dropout is None or key is None:
            return x
        return drop_out(x, dropout.rate, key, shared=1)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        return masked(x, None if keys is None else keys[mask])

    unknown = None
    if dropout is not None and keys is not None:
        unknown = keys[7], dropout.words
    x = embed_forms(weights, inputs.forms, lambda read: drop(read, 0), unknown)
    if options.marks and inputs.slots is not None:
        slots = jnp.asarray(inputs.slots)
        x = x + weights["marks.before"][slots[:, :-1]] + weights["marks.after"][slots[:, 1:]]
    batch, length, hidden = x.shape
    x = jnp.concatenate([jnp.broadcast_to(weights["root.weight"], (batch, 1, hidden)), x], 1)
    inside = jnp.arange(length + 1) <= jnp.asarray(inputs.lengths)[:, None]

    def layer(x: jax.Array, at: tuple[Weights, jax.Array | None]) -> tuple[jax.Array, None]:
        layer_weights, key = at
        return x + masked(gated_recurrence(layer_weights, "layer", x, inside[..., None]), key), None

    stacked = {name: value for name, value in weights.items() if name.startswith("layer.")}
    stack = (stacked, None if keys is None else keys[_MASKS:])
    below = min(options.tag_layers, options.layers)
    x, _ = jax.lax.scan(layer, x, jax.tree.map(lambda w: w[:below], stack))
    tagged = drop(
        jax.nn.gelu(affine(weights, "tags", normalise_layer(weights, "tags.input", x))), 3
    )
    tags = tuple(affine(weights, name, tagged[:, 1:]) for name in TAGS)
    # The layers above use the probabilities of tags as input (Zhang and Weiss 2016).
    for name, logits in zip(TAGS, tags, strict=True):
        x = x.at[:, 1:].add(jax.nn.softmax(logits) @ weights[f"tagged.{name}"])
    x, _ = jax.lax.scan(layer, x, jax.tree.map(lambda w: w[below:], stack))
    x = normalise_layer(weights, "output", x)

    def role(name: str, mask: int) -> jax.Array:
        return drop(jax.nn.gelu(affine(weights, name, x)), mask)

    head, dependent = role("arc.head", 1), role("arc.dependent", 2)
    arcs = jnp.einsum("bhk,kl,bdl->bhd", head, weights["arc.weight"], dependent)
    arcs = arcs + (head @ weights["arc.bias"])[..., None]
    slots = None
    if options.predicts_slots:
        # A slot lies between two states, the first slot between the root and the first word.
        after = jnp.where(inside[:, 1:, None], x[:, 1:], weights["end.weight"])
        end = jnp.broadcast_to(weights["end.weight"], (batch, 1, hidden))
        between = jnp.concatenate([x, jnp.concatenate([after, end], 1)], -1)
        slots = affine(weights, "string", drop(jax.nn.gelu(affine(weights, "slot", between)), 6))
    return ParserScores(
        arcs, role("relation.head", 4), role("relation.dependent", 5)[:, 1:], tags, slots
    )


def relation_scores(weights: Weights, heads: jax.Array, dependents: jax.Array) -> jax.Array:
    """Return the scores of arcs' relations, ``[..., relations]``.

    The biaffine product has diagonal matrices (Yang et al. 2015): a full matrix per relation would
    be among the most expensive parts of a step.
    """
    read = jnp.concatenate([heads * dependents, heads, dependents], -1)
    return affine(weights, "relation", read)
