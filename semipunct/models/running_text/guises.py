"""Guises of training passages: the capitals and marks that the network sees.

*Restoration* shows how words are spelt, or only capitals, or nothing of them, and some of the
marks; other slots are hidden, whether they are empty or not. Capitals alone are often without
beginnings of sentences, as recognisers write them. The *noisy* guise shows every slot as written,
with errors. The *divided* guise shows sentence ends, but no marks.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from semipunct.features.word_shapes import CAPITALISED, LOWER
from semipunct.models.running_text.errors import written_strings
from semipunct.models.running_text.options import TextTrainOptions
from semipunct.models.running_text.words import TextBatch

HIDDEN = 0
"""The input code of a hidden shape or string."""

_UNCASED = 0.1  # the fraction of noisy passages that hide lower case

# Rates at which a word in a noisy passage loses its capitals, or gets one.
_LOWERED, _CAPITALISED = 0.03, 0.003


class Guise(NamedTuple):
    """The capitals and marks that the network sees, and the slots to predict."""

    shapes: jax.Array  # [batch, length], shape of each word plus one, or ``HIDDEN``
    marks: jax.Array  # [batch, length + 1], string in each slot plus one, or ``HIDDEN``
    certain: jax.Array  # [batch, length], whether the shape shown is certainly right
    predicted: jax.Array  # [batch, length + 1], whether the string is to be predicted


def hidden_guise(batch: TextBatch) -> Guise:
    """Return the guise with only lower-cased words."""
    words, slots = batch.words.shape, batch.tags.shape
    return Guise(
        jnp.full(words, HIDDEN), jnp.full(slots, HIDDEN),
        jnp.zeros(words, bool), jnp.ones(slots, bool),
    )  # fmt: skip


def drawn_guise(
    key: jax.Array, batch: TextBatch, options: TextTrainOptions, rates: jax.Array
) -> Guise:
    """Draw a guise for each passage."""
    keys = jax.random.split(key, 5)
    rows = len(batch.lengths), 1
    noisy = jax.random.uniform(keys[0], rows) < options.noisy
    divided = jax.random.uniform(keys[3], rows) < options.divided
    capitals = _capitals(keys[4], batch, options)
    restoration = _restoration(keys[2], batch, options, capitals)
    restored = _chosen(divided, _divided(restoration, batch, len(rates)), restoration)
    return _chosen(noisy, _noisy(keys[1], batch, rates, capitals), restored)


def _chosen(is_first: jax.Array, first: Guise, second: Guise) -> Guise:
    return Guise(*(jnp.where(is_first, *pair) for pair in zip(first, second, strict=True)))


def _restoration(
    key: jax.Array, batch: TextBatch, options: TextTrainOptions, capitals: jax.Array
) -> Guise:
    keys = jax.random.split(key, 3)
    rows = len(batch.lengths)
    shapes, tags = jnp.asarray(batch.shapes), jnp.asarray(batch.tags)
    cased = jax.random.uniform(keys[0], (rows, 1)) >= options.lowered
    share = jax.random.uniform(keys[1], (rows, 1), minval=-options.bare / (1 - options.bare))
    shown = (jax.random.uniform(keys[2], tags.shape) < share) & (tags > 0)
    capitals_shown = cased | capitals
    return Guise(
        jnp.where(capitals_shown, shapes + 1, HIDDEN),
        jnp.where(shown, tags + 1, HIDDEN),
        capitals_shown,
        ~shown,
    )


def _capitals(key: jax.Array, batch: TextBatch, options: TextTrainOptions) -> jax.Array:
    """Draw the capitals that passages with hidden lower case show, ``[batch, length]``."""
    keys = jax.random.split(key, 4)
    rows, shapes = len(batch.lengths), jnp.asarray(batch.shapes)
    begins = jnp.asarray(batch.ends)[:, :-1] & (shapes == CAPITALISED)
    # Half of the passages show no beginnings, a quarter not even names there.
    share = jax.random.uniform(keys[0], (rows, 1), minval=-1.0)
    names = jnp.asarray(batch.named) & (jax.random.uniform(keys[1], (rows, 1)) < 0.75)
    kept = ~begins | names | (jax.random.uniform(keys[2], shapes.shape) < share)
    some = jax.random.uniform(keys[3], (rows, 1)) < options.named
    return some & kept & (shapes != LOWER)


def _divided(guise: Guise, batch: TextBatch, end: int) -> Guise:
    marks = jnp.where(jnp.asarray(batch.ends), end, HIDDEN)
    return guise._replace(marks=marks, predicted=jnp.ones(marks.shape, bool))


def _noisy(key: jax.Array, batch: TextBatch, rates: jax.Array, capitals: jax.Array) -> Guise:
    keys = jax.random.split(key, 5)
    rows = len(batch.lengths)
    shapes, tags = jnp.asarray(batch.shapes), jnp.asarray(batch.tags)
    # The mean factor is 1; a sixth of passages has hardly any errors, and a sixth more than twice
    # the rates.
    factor = 3 * jax.random.uniform(keys[0], (rows, 1)) ** 2
    written = written_strings(keys[1], tags, rates, factor)
    # The first slot is hidden, because the preceding text is unknown; the last slot sometimes,
    # because it is unknown whether a mark is missing or the line needs none.
    is_end = jnp.arange(tags.shape[1]) == jnp.asarray(batch.lengths)[:, None]
    is_hidden = is_end & (jax.random.uniform(keys[4], (rows, 1)) < 0.5)
    marks = jnp.where(is_hidden, HIDDEN, written + 1).at[:, 0].set(HIDDEN)
    place = jax.random.uniform(keys[2], shapes.shape)
    lowered = (shapes != LOWER) & (place < _LOWERED * factor)
    raised = (shapes == LOWER) & jnp.asarray(batch.possible)[..., CAPITALISED]
    raised &= place < _CAPITALISED * factor
    seen = jnp.where(lowered, LOWER, jnp.where(raised, CAPITALISED, shapes))
    cased = jax.random.uniform(keys[3], (rows, 1)) >= _UNCASED
    return Guise(
        jnp.where(cased | capitals, seen + 1, HIDDEN), marks,
        jnp.zeros(shapes.shape, bool), jnp.ones(tags.shape, bool),
    )  # fmt: skip
