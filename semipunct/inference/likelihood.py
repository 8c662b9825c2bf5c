"""Likelihood of the surface punctuation given words and tree (equation 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.scoring import Batches, log_likelihoods


@partial(jit, static=1)
def log_choices(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    """Return ``[words, pairs]`` log p(l, r | w) of a batch (equation 4).

    Args:
        model: the model; a static argument: the function is compiled once per model and shape.
        parameters: the result of ``model.read``.
        batch: the result of ``model.lay_out``.
    """
    return model.log_choice(parameters, batch)


def corpus_log_likelihood(
    model: PunctuationModel, parameters: Weights, sentences: Sequence[Sentence]
) -> npt.NDArray[np.float64]:
    """Return log p(x | T) of each sentence, ``[sentences]``.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words, trees and surface punctuation.
    """
    return log_likelihoods(model, parameters, Batches(model, model.encode(sentences)))
