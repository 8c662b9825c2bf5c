"""Decoding of dependency trees and tags for a batch of sentences, on the device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.layers import at_codes
from semipunct.models.parsing.networks import ParserInputs, ParserScores, relation_scores, scores
from semipunct.models.parsing.options import Decoder
from semipunct.models.parsing.parser import Encoded, Parser, ParserBatch
from semipunct.models.parsing.trees import ArcTrees, arc_trees
from semipunct.models.parsing.vocabulary import TAGS
from semipunct.models.scoring import Batches, answers
from semipunct.models.vocabulary import Codes
from semirings.numerics import matmul


class Trees(NamedTuple):
    """Trees of sentences, with a leading axis if there are several per sentence."""

    heads: jax.Array  # [..., batch, length], 0 for the root
    relations: jax.Array  # [..., batch, length]
    log_probability: jax.Array  # [..., batch], of arcs; minus infinity if there are too few trees


class Certainty(NamedTuple):
    """Probabilities of the predictions."""

    head: jax.Array  # [batch, length], marginal
    relation: jax.Array  # [batch, length], given the head
    tags: jax.Array  # [TAGS, batch, length]


class Marked(NamedTuple):
    """The most probable non-empty punctuation string of each slot, ``[batch, length + 1]``.

    Both arrays are zero if the parser does not predict punctuation.
    """

    string: jax.Array
    probability: jax.Array


def _slots(score: ParserScores) -> jax.Array:
    """Return the probabilities of strings, ``[batch, length + 1, strings]``."""
    if score.slots is None:
        return jnp.ones((*score.arcs.shape[:2], 1), score.arcs.dtype)
    # The last string represents all rare strings, which cannot be output.
    return jax.nn.softmax(score.slots[..., :-1])


def _marked(slots: jax.Array) -> Marked:
    # The first string is empty.
    some = slots[..., 1:]
    if not some.shape[-1]:
        return Marked(jnp.zeros(slots.shape[:2], jnp.int32), jnp.zeros(slots.shape[:2]))
    return Marked(1 + jnp.argmax(some, -1), jnp.max(some, -1))


def _relations(parameters: Parameters, score: ParserScores, heads: jax.Array) -> jax.Array:
    """Return the log probabilities of relations, ``[batch, length, relations]``."""
    above = jnp.take_along_axis(score.heads, heads[..., None], 1)
    logits = relation_scores(parameters, above, score.dependents)
    return jax.nn.log_softmax(logits.at[..., 0].set(-jnp.inf))  # without the unknown relation


def _combinations(model: Parser, score: ParserScores) -> tuple[Codes, jax.Array]:
    """Return the codes and log probabilities of combinations of tags known from training."""
    codes = model.vocabulary.combination_codes
    # Products with indicator matrices are faster than gathering along the last axis.
    parts = [
        _product(x, _indicator(codes_of_tag).T)
        for x, codes_of_tag in zip(score.tags, codes, strict=True)
    ]
    return codes, jax.nn.log_softmax(sum(parts, jnp.zeros(())))


def _indicator(codes: Codes) -> npt.NDArray[np.float32]:
    """Return the one-hot matrix of codes, ``[combinations, codes]``."""
    return np.eye(codes.max() + 1, dtype=np.float32)[codes]


def _product(x: jax.Array, matrix: npt.NDArray[np.float32]) -> jax.Array:
    return matmul(x[..., : len(matrix)], matrix)


def _tags(model: Parser, score: ParserScores) -> tuple[jax.Array, jax.Array]:
    """Return the best tags and their probabilities, both ``[TAGS, batch, length]``."""
    codes, weight = _combinations(model, score)
    best = jnp.argmax(weight, -1)
    tags = [jnp.asarray(column)[best] for column in codes]
    certain = [
        at_codes(_product(jnp.exp(weight), _indicator(column)), tag)
        for column, tag in zip(codes, tags, strict=True)
    ]
    return jnp.stack(tags), jnp.stack(certain)


@partial(jit, static=2)
def decode_trees(
    model: Parser, decoder: Decoder, parameters: Parameters, inputs: ParserInputs
) -> tuple[Trees, jax.Array, Certainty, Marked, jax.Array]:
    """Return one tree per sentence, tags, and their probabilities.

    The last result holds the probabilities of the strings of each slot, ``[batch, length + 1,
    strings]``; of a parser that does not predict punctuation, only the empty string.
    """
    score = scores(model.options, parameters, inputs, None)
    distribution = arc_trees(model.options, score.arcs, inputs.lengths)
    total, marginals = distribution.log_partition_and_marginals()
    if decoder == "risk":
        chosen = arc_trees(model.options, marginals.arc, inputs.lengths).argmax()
    else:
        chosen = distribution.argmax()
    heads = jnp.maximum(chosen, 0)
    log_relations = _relations(parameters, score, heads)
    tags, certain = _tags(model, score)
    trees = Trees(
        heads, jnp.argmax(log_relations, -1), distribution.unnormalized_log_prob(heads) - total
    )
    head = jnp.take_along_axis(marginals.arc[:, :, 1:], heads[:, None], 1)[:, 0]
    certainty = Certainty(head, jnp.exp(jnp.max(log_relations, -1)), certain)
    slots = _slots(score)
    return trees, tags, certainty, _marked(slots), slots


def top(
    model: Parser, count: int, parameters: Weights, inputs: ParserInputs
) -> tuple[Trees, jax.Array, jax.Array, Marked, jax.Array]:
    """Return the most probable trees, best first, with tags and probabilities.

    The third result holds the probabilities of heads, ``[count, batch, length]``; the last two are
    as in ``decode_trees``.
    """
    if model.options.trees == "projective":
        return _top(model, count, parameters, inputs)
    # The best nonprojective trees are found on the host, between two programs.
    arcs = _arcs(model, parameters, inputs)
    best = arc_trees(model.options, arcs, inputs.lengths).top_k(count)
    return _describe(model, parameters, inputs, *best)


@partial(jit, static=2)
def _top(model: Parser, count: int, parameters: Parameters, inputs: ParserInputs) -> Any:
    score = scores(model.options, parameters, inputs, None)
    distribution = arc_trees(model.options, score.arcs, inputs.lengths)
    return _described(model, parameters, score, distribution, *distribution.top_k(count))


@partial(jit, static=1)
def _arcs(model: Parser, parameters: Parameters, inputs: ParserInputs) -> jax.Array:
    return scores(model.options, parameters, inputs, None).arcs


@partial(jit, static=1)
def _describe(
    model: Parser, parameters: Parameters, inputs: ParserInputs, heads: Any, log_weight: Any
) -> Any:
    score = scores(model.options, parameters, inputs, None)
    distribution = arc_trees(model.options, score.arcs, inputs.lengths)
    return _described(model, parameters, score, distribution, heads, log_weight)


def _described(
    model: Parser,
    parameters: Parameters,
    score: ParserScores,
    distribution: ArcTrees,
    heads: jax.Array,
    log_weight: jax.Array,
) -> tuple[Trees, jax.Array, jax.Array, Marked, jax.Array]:
    heads = jnp.maximum(heads, 0)
    relations = jax.lax.map(lambda h: jnp.argmax(_relations(parameters, score, h), -1), heads)
    total, marginals = distribution.log_partition_and_marginals()
    trees = Trees(heads, relations, log_weight - total)
    slots = _slots(score)
    return trees, _tags(model, score)[0], _certain(marginals.arc, heads), _marked(slots), slots


def _certain(marginals: jax.Array, heads: jax.Array) -> jax.Array:
    """Return the marginal probabilities of heads, ``[count, batch, length]``."""

    def of_one(tree: jax.Array) -> jax.Array:
        return jnp.take_along_axis(marginals[:, :, 1:], tree[:, None], 1)[:, 0]

    return jax.lax.map(of_one, heads)


@partial(jit, static=2)
def sample_trees(
    model: Parser,
    count: int,
    parameters: Parameters,
    inputs: ParserInputs,
    key: jax.Array,
    numbers: jax.Array,
) -> tuple[Trees, jax.Array, jax.Array, Marked, jax.Array]:
    """Sample trees with relations, and tags ``[count, TAGS, batch, length]``.

    The other results are as in ``top``. The two ``numbers`` of each sentence are folded into the
    key, so samples do not depend on its position in the batch or on other sentences.
    """
    score = scores(model.options, parameters, inputs, None)
    distribution = arc_trees(model.options, score.arcs, inputs.lengths)
    codes, weight = _combinations(model, score)

    def keys_of(pair: jax.Array) -> jax.Array:
        pair_key = jax.random.fold_in(jax.random.fold_in(key, pair[0]), pair[1])
        return jax.random.split(pair_key, 3)

    at_trees, at_relations, at_tags = jnp.moveaxis(jax.vmap(keys_of)(numbers), 1, 0)

    heads = jnp.maximum(distribution.sample(at_trees, count), 0)

    def relations(at: tuple[jax.Array, jax.Array]) -> jax.Array:
        heads, keys = at
        return _picked(_relations(parameters, score, heads), keys)

    def for_draws(keys: jax.Array) -> jax.Array:
        return jax.vmap(lambda key: jax.random.split(key, count), out_axes=1)(keys)

    drawn_relations = jax.lax.map(relations, (heads, for_draws(at_relations)))

    # One draw at a time: random numbers for all combinations and draws exceed the memory.
    picks = jax.lax.map(partial(_picked, weight), for_draws(at_tags))
    tags = [jnp.asarray(column)[picks] for column in codes]
    total, marginals = distribution.log_partition_and_marginals()
    log_probability = distribution.unnormalized_log_prob(heads) - total
    trees = Trees(heads, drawn_relations, log_probability)
    slots = _slots(score)
    return trees, jnp.stack(tags, 1), _certain(marginals.arc, heads), _marked(slots), slots


def _picked(weight: jax.Array, keys: jax.Array) -> jax.Array:
    """Draw choices ``[batch, length]`` with log weights ``[batch, length, choices]``."""
    return jax.vmap(jax.random.categorical)(keys, weight)


def attachment(
    model: Parser,
    parameters: Weights,
    examples: Sequence[Sentence],
    batches: Batches[Encoded, ParserBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return unlabelled and labelled attachment scores and tagging accuracies."""
    words, right = 0, np.zeros(2 + len(TAGS), np.int64)
    batch_answers = answers(model, parameters, batches, "parse", _parsed, shapes)
    for _, batch, (trees, tags) in batch_answers:
        gold = batch.gold
        if gold is None:
            raise ValueError("sentences without analyses cannot be assessed")
        inside = np.arange(gold.heads.shape[1]) < batch.inputs.lengths[:, None]
        heads = (trees.heads == gold.heads) & inside
        is_right = [heads, heads & (trees.relations == gold.relations)]
        is_right += [(x == y) & inside for x, y in zip(tags, gold.tags, strict=True)]
        right += [int(x.sum()) for x in is_right]
        words += int(inside.sum())
    return dict(zip(("uas", "las", *TAGS), (right / words).tolist(), strict=True))


def _parsed(model: Parser, parameters: Any, batch: ParserBatch) -> tuple[Any, Any]:
    trees, tags, *_ = decode_trees(model, "risk", parameters, batch.inputs)
    return trees, tags
