"""Likelihoods of the surface punctuation given words and tree (equation 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Batches, Parameters, log_likelihoods
from semipunct.models.punctuation.batches import Batch, Prepared
from semipunct.models.punctuation.model import PunctuationModel


@partial(jit, static_argnums=0)
def log_choices(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    """Return ``[words, pairs]`` log p(l, r | w) of a batch (equation 4)."""
    return model.log_choice(parameters, batch)


def batches_by_length(
    model: PunctuationModel, encoded: Prepared
) -> Iterator[tuple[list[int], Batch]]:
    """Yield all sentences in batches of similar length and few shapes, with their numbers."""
    yield from Batches(model, encoded)


def corpus_log_likelihood(
    model: PunctuationModel, parameters: Parameters, sentences: Sequence[Sentence]
) -> npt.NDArray[np.float64]:
    """Return log p(x | T) of each sentence, in batches of similar length."""
    return log_likelihoods(model, parameters, Batches(model, model.encode(sentences)))
