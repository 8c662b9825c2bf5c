"""Likelihoods of the surface punctuation given words and tree (equation 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import jit
from semipunct.arrays.padding import by_length
from semipunct.corpus.sentences import Sentence
from semipunct.models.punctuation.batches import Batch, Prepared, fit_frame
from semipunct.models.punctuation.model import Parameters, PunctuationModel
from semipunct.structures.given_tree import inside
from semirings.base import Semiring
from semirings.real import Real

SENTENCES, WORDS = 64, 512
"""The most sentences and words of a batch when no gradient is wanted."""


def log_likelihood(
    model: PunctuationModel,
    parameters: Parameters,
    batch: Batch,
    semiring: Semiring | None = None,
) -> jax.Array:
    """Log weight of each sentence's total, ``[sentences]``; log p(x | T) in the default Real.

    Minus infinity for a sentence without an analysis, zero for padding. Differentiable.
    """
    chosen = semiring or Real()
    total = inside(model.potentials(parameters, batch), chosen)
    return chosen.log_weight(total.value) + total.log_scale


@partial(jit, static_argnums=0)
def score_batch(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    """``log_likelihood`` in the default semiring, compiled once for each model and shape."""
    return log_likelihood(model, parameters, batch)


@partial(jit, static_argnums=0)
def log_choices(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    """``[words, pairs]`` log p(l, r | w) of a batch (equation 4)."""
    return model.log_choice(parameters, batch)


def batches_by_length(
    model: PunctuationModel, prepared: Prepared
) -> Iterator[tuple[list[int], Batch]]:
    """All sentences in batches of similar length and few shapes, with their numbers."""
    members = list(by_length(prepared.lengths, SENTENCES, WORDS))
    if not members:
        return
    frame = fit_frame(prepared, members, SENTENCES)
    for batch in members:
        yield batch, model.lay_out(prepared, batch, frame)


def corpus_log_likelihood(
    model: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]
) -> npt.NDArray[np.float64]:
    """Log p(x | T) of each sentence, in batches of similar length."""
    prepared = model.prepare(sentences)
    result = np.zeros(len(sentences))
    for members, batch in batches_by_length(model, prepared):
        scores = np.asarray(score_batch(model, parameters, batch), np.float64)
        result[members] = scores[: len(members)]
    return result
