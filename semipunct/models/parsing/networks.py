"""The network of the parser: states of words, scores of arcs, relations and tags.

Words are read by layers of minimal gated recurrences in both directions, whose gates look at the
inputs alone (Martin and Cundy 2018): all products with matrices are done at once for all words, and
what remains of the recurrence is a sum. Arcs and relations are scored by biaffine products (Dozat
and Manning 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.models.layers import affine, dropped, linear_recurrence, normalised, uniform
from semipunct.models.parsing.options import ParserOptions
from semipunct.models.parsing.vocabulary import TAGS, ParserVocabulary

Weights = Mapping[str, Any]
Floats = npt.NDArray[np.float32]

_DEVIATION = 0.1
"""Of initial embeddings."""


class ParserInputs(NamedTuple):
    """A padded batch of sentences.

    Attributes:
        words: ``[batch, length]`` codes of forms; 0 is the unknown one.
        ngrams: ``[batch, length, MOST]`` rows of character n-grams; 0 is padding.
        lengths: ``[batch]`` words of each.
    """

    words: jax.Array | npt.NDArray[np.int32]
    ngrams: jax.Array | npt.NDArray[np.int32]
    lengths: jax.Array | npt.NDArray[np.int32]


class ParserDropout(NamedTuple):
    """Dropout while training.

    Attributes:
        key: of the random numbers.
        rate: share of the inputs of each layer that is dropped.
        words: share of word forms taken for unknown ones.
    """

    key: jax.Array
    rate: float
    words: float


class ParserScores(NamedTuple):
    """Scores of the parts of an analysis. Word 0 is the root.

    Attributes:
        arcs: ``[batch, length + 1, length + 1]`` from head (axis 1) to dependent (axis 2).
        heads: ``[batch, length + 1, relation + 1]`` words as heads, for ``relation_scores``.
        dependents: ``[batch, length, relation + 1]`` words as dependents.
        tags: for each of ``TAGS`` ``[batch, length, codes]``.
    """

    arcs: jax.Array
    heads: jax.Array
    dependents: jax.Array
    tags: tuple[jax.Array, ...]


def network_weights(
    options: ParserOptions, vocabulary: ParserVocabulary, generator: np.random.Generator
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

    hidden, arc, relation = options.hidden, options.arc, options.relation
    relations = vocabulary.size("relation")
    parts: dict[str, Mapping[str, Floats]] = {
        "embed": {
            "word": normal(vocabulary.size("word"), options.word),
            "ngram": normal(options.buckets, options.ngram),
        },
        "input": layer(options.word + options.ngram, hidden),
        "root": {"weight": normal(hidden)},
        "output": norm(hidden),
        "arc.head": layer(hidden, arc),
        "arc.dependent": layer(hidden, arc),
        "arc": {"weight": normal(arc, arc) / arc**0.5, "bias": np.zeros(arc, np.float32)},
        "relation.head": layer(hidden, relation),
        "relation.dependent": layer(hidden, relation),
        "relation": {"weight": normal(relation + 1, relations, relation + 1)},
        "tags": layer(hidden, hidden),
        **{name: layer(hidden, vocabulary.size(name)) for name in TAGS},
    }
    for i in range(options.layers):
        parts[f"layer{i}"] = norm(hidden)
        parts[f"layer{i}.gates"] = layer(hidden, 3 * hidden)
        parts[f"layer{i}.output"] = layer(hidden, hidden)
    return {f"{part}.{n}": x for part, weights in parts.items() for n, x in weights.items()}


def scores(
    options: ParserOptions, weights: Weights, inputs: ParserInputs, dropout: ParserDropout | None
) -> ParserScores:
    """Score arcs and tags, and prepare words for the scores of relations.

    Args:
        options: sizes.
        weights: from ``network_weights``.
        inputs: the sentences.
        dropout: only while training.
    """
    # A key of its own for each mask: two masks of one key would leave out the same places.
    masks = options.layers + 7
    keys = None if dropout is None else jax.random.split(dropout.key, masks)

    def drop(x: jax.Array, mask: int) -> jax.Array:
        if dropout is None or keys is None:
            return x
        return dropped(x, dropout.rate, keys[mask])

    words, ngrams = jnp.asarray(inputs.words), jnp.asarray(inputs.ngrams)
    if dropout is not None and keys is not None:
        words = jnp.where(jax.random.bernoulli(keys[-1], dropout.words, words.shape), 0, words)
    # A sum over n-grams has the same variance however many there are.
    some = (ngrams > 0)[..., None]
    pieces = jnp.sum(jnp.where(some, weights["embed.ngram"][ngrams], 0.0), 2)
    pieces = pieces * jax.lax.rsqrt(jnp.maximum(jnp.sum(some, 2), 1).astype(pieces.dtype))
    read = jnp.concatenate([weights["embed.word"][words], pieces], -1)
    x = affine(weights, "input", drop(read, 0))
    batch, length, hidden = x.shape
    x = jnp.concatenate([jnp.broadcast_to(weights["root.weight"], (batch, 1, hidden)), x], 1)
    inside = jnp.arange(length + 1) <= jnp.asarray(inputs.lengths)[:, None]
    for i in range(options.layers):
        x = x + drop(_recurrent(weights, f"layer{i}", x, inside[..., None]), 1 + i)
    x = normalised(weights, "output", x)
    at = options.layers + 1

    def role(name: str, mask: int) -> jax.Array:
        return drop(jax.nn.gelu(affine(weights, name, x)), at + mask)

    head, dependent = role("arc.head", 0), role("arc.dependent", 1)
    arcs = jnp.einsum("bhk,kl,bdl->bhd", head, weights["arc.weight"], dependent)
    arcs = arcs + (head @ weights["arc.bias"])[..., None]
    tags = role("tags", 4)[:, 1:]
    return ParserScores(
        arcs,
        _with_one(role("relation.head", 2)),
        _with_one(role("relation.dependent", 3)[:, 1:]),
        tuple(affine(weights, name, tags) for name in TAGS),
    )


def relation_scores(weights: Weights, heads: jax.Array, dependents: jax.Array) -> jax.Array:
    """Return the scores ``[..., relations]`` of the relations of arcs.

    Args:
        weights: by name.
        heads: ``[..., relation + 1]`` the head of each arc, from ``ParserScores.heads``.
        dependents: ``[..., relation + 1]`` its dependent.
    """
    return jnp.einsum("...k,krl,...l->...r", heads, weights["relation.weight"], dependents)


def _with_one(x: jax.Array) -> jax.Array:
    """Append a one to the last axis: a product of two such vectors has linear terms, too."""
    return jnp.concatenate([x, jnp.ones_like(x[..., :1])], -1)


def _recurrent(weights: Weights, name: str, x: jax.Array, inside: jax.Array) -> jax.Array:
    """Apply one layer of gated recurrences to words ``[batch, length, hidden]``.

    A state moves towards a candidate as far as its gate is open; half of it comes from the left,
    half from the right. What is read out passes a second gate.
    """
    read = affine(weights, f"{name}.gates", normalised(weights, name, x))
    candidate, gate, way_out = jnp.split(read, 3, -1)
    # Padding opens no gate, so that the states of a sentence do not depend on its batch.
    gate = jnp.where(inside, jax.nn.sigmoid(gate), 0.0)
    halves = zip(
        jnp.split(1 - gate, 2, -1), jnp.split(gate * candidate, 2, -1), (False, True), strict=True
    )
    states = [linear_recurrence(kept, added, reverse=back) for kept, added, back in halves]
    return affine(weights, f"{name}.output", jnp.concatenate(states, -1) * jax.nn.silu(way_out))
