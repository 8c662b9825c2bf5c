"""Decoding of dependency trees and tags for a batch of sentences, as arrays on the device."""

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
    """Trees of sentences, with a leading axis if there are several per sentence.

    Attributes:
        heads: ``[..., batch, length]``, 0 for the root.
        relations: ``[..., batch, length]`` codes.
        log_probability: ``[..., batch]`` natural log probability of the arcs, without relations;
            minus infinity if there are fewer trees than requested.
    """

    heads: jax.Array
    relations: jax.Array
    log_probability: jax.Array


class Certainty(NamedTuple):
    """Probabilities ``[batch, length]`` of the predictions.

    Attributes:
        head: marginal probability of the head of each word.
        relation: probability of the relation, given the head.
        tags: ``[TAGS, batch, length]`` probabilities of the tags.
    """

    head: jax.Array
    relation: jax.Array
    tags: jax.Array


class Marked(NamedTuple):
    """The most probable non-empty punctuation string of each slot, ``[batch, length + 1]``.

    Attributes:
        string: its number; 0, the empty string, for a parser that does not predict punctuation.
        probability: its probability; 0 for such a parser.
    """

    string: jax.Array
    probability: jax.Array


def _slots(score: ParserScores) -> jax.Array:
    """Return the probabilities of the strings of each slot, ``[batch, length + 1, strings]``."""
    if score.slots is None:
        return jnp.ones((*score.arcs.shape[:2], 1), score.arcs.dtype)
    # The last string stands for all rare strings, which cannot be output.
    return jax.nn.softmax(score.slots[..., :-1])


def _marked(slots: jax.Array) -> Marked:
    # The first string is empty.
    some = slots[..., 1:]
    if not some.shape[-1]:
        return Marked(jnp.zeros(slots.shape[:2], jnp.int32), jnp.zeros(slots.shape[:2]))
    return Marked(1 + jnp.argmax(some, -1), jnp.max(some, -1))


def _log_known(logits: jax.Array) -> jax.Array:
    """Return log probabilities of codes, given that the value is known from training."""
    return jax.nn.log_softmax(logits.at[..., 0].set(-jnp.inf))


def _relations(parameters: Parameters, score: ParserScores, heads: jax.Array) -> jax.Array:
    """Return the log probabilities ``[batch, length, relations]`` of the relations of arcs."""
    above = jnp.take_along_axis(score.heads, heads[..., None], 1)
    return _log_known(relation_scores(parameters, above, score.dependents))


def _combinations(model: Parser, score: ParserScores) -> list[tuple[Codes, jax.Array]]:
    """Return codes of tags that are chosen together, and their log probabilities.

    All tags of a word are one choice, among the combinations known from training.

    Returns:
        Codes ``[tags, combinations]`` and log probabilities ``[batch, length, combinations]`` for
        some of ``TAGS`` at a time, in order.
    """
    codes = model.vocabulary.combination_codes
    if not codes.size:
        return [(np.arange(x.shape[-1], dtype=np.int32)[None], _log_known(x)) for x in score.tags]
    # Products with indicator matrices are faster than gathering along the last axis.
    parts = [
        _product(x, _indicator(codes_of_tag).T)
        for x, codes_of_tag in zip(score.tags, codes, strict=True)
    ]
    return [(codes, jax.nn.log_softmax(sum(parts, jnp.zeros(()))))]


def _indicator(codes: Codes) -> npt.NDArray[np.float32]:
    """Return the matrix ``[combinations, codes]`` of the code of each combination."""
    return np.eye(codes.max() + 1, dtype=np.float32)[codes]


def _product(x: jax.Array, matrix: npt.NDArray[np.float32]) -> jax.Array:
    return matmul(x[..., : len(matrix)], matrix)


def _tags(model: Parser, score: ParserScores) -> tuple[jax.Array, jax.Array]:
    """Return the best tags ``[TAGS, batch, length]`` and their probabilities."""
    tags: list[jax.Array] = []
    certain: list[jax.Array] = []
    for codes, weight in _combinations(model, score):
        best = jnp.argmax(weight, -1)
        for column in codes:
            tags.append(jnp.asarray(column)[best])
            each = _product(jnp.exp(weight), _indicator(column))
            certain.append(at_codes(each, tags[-1]))
    return jnp.stack(tags), jnp.stack(certain)


@partial(jit, static=2)
def decode_trees(
    model: Parser, decoder: Decoder, parameters: Parameters, inputs: ParserInputs
) -> tuple[Trees, jax.Array, Certainty, Marked, jax.Array]:
    """Return one tree for each sentence, tags ``[TAGS, batch, length]``, and their probabilities.

    The last part of the result holds the probabilities of the strings of each slot,
    ``[batch, length + 1, strings]``; only of the empty one for a parser that does not predict them.

    Args:
        model: the parser.
        decoder: the decoding criterion.
        parameters: its weights.
        inputs: the words.
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
    """Return the most probable trees ``[count, ...]``, best first, tags and probabilities.

    The third part of the result holds the probabilities of heads, ``[count, batch, length]``; the
    last part is the same as in ``decode_trees``.

    Args:
        model: the parser.
        count: number of trees.
        parameters: its weights.
        inputs: the words.
    """
    if model.options.trees == "projective":
        return _top(model, count, parameters, inputs)
    # The best trees of any shape are found on the host, between two programs.
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
    """Return what ``top`` does, given the trees."""
    heads = jnp.maximum(heads, 0)
    relations = jax.lax.map(lambda h: jnp.argmax(_relations(parameters, score, h), -1), heads)
    total, marginals = distribution.log_partition_and_marginals()
    trees = Trees(heads, relations, log_weight - total)
    slots = _slots(score)
    return trees, _tags(model, score)[0], _certain(marginals.arc, heads), _marked(slots), slots


def _certain(marginals: jax.Array, heads: jax.Array) -> jax.Array:
    """Return the marginal probabilities of the given heads, ``[count, batch, length]``."""

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
    """Sample trees ``[count, ...]`` with relations, and tags ``[count, TAGS, batch, length]``.

    The other parts of the result are the same as in ``top``. The samples of a sentence
    depend only on the key and its numbers, not on its position in the batch or on the other
    sentences.

    Args:
        model: the parser.
        count: number of samples.
        parameters: its weights.
        inputs: the words.
        key: PRNG key.
        numbers: ``[batch, 2]`` two numbers of each sentence, which are folded into the key.
    """
    score = scores(model.options, parameters, inputs, None)
    distribution = arc_trees(model.options, score.arcs, inputs.lengths)
    combinations = _combinations(model, score)

    def keys_of(pair: jax.Array) -> jax.Array:
        pair_key = jax.random.fold_in(jax.random.fold_in(key, pair[0]), pair[1])
        return jax.random.split(pair_key, 2 + len(combinations))

    at_trees, at_relations, *at_tags = jnp.moveaxis(jax.vmap(keys_of)(numbers), 1, 0)

    heads = jnp.maximum(distribution.sample(at_trees, count), 0)

    def relations(at: tuple[jax.Array, jax.Array]) -> jax.Array:
        heads, keys = at
        return _picked(_relations(parameters, score, heads), keys)

    def for_draws(keys: jax.Array) -> jax.Array:
        return jax.vmap(lambda key: jax.random.split(key, count), out_axes=1)(keys)

    drawn_relations = jax.lax.map(relations, (heads, for_draws(at_relations)))

    tags: list[jax.Array] = []
    for keys_of_tags, (codes, weight) in zip(at_tags, combinations, strict=True):
        # One draw at a time: random numbers for all combinations and draws would not fit in memory.
        picks = jax.lax.map(partial(_picked, weight), for_draws(keys_of_tags))
        tags += [jnp.asarray(column)[picks] for column in codes]
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
    """Return unlabelled and labelled attachment scores and tagging accuracies.

    Args:
        model: the parser.
        parameters: its weights.
        examples: the sentences in the batches.
        batches: the sentences, with their analyses.
        shapes: records the compiled shapes.
    """
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
