"""Restoration of commas, and its figures on development sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from semipunct.models.scoring import Batches, answers, perplexities
from semipunct.papers.commas.delimiters import DelimiterModel, PhrasesBatch
from semipunct.papers.commas.model import BEFORE_COMMA, CommaBatch, CommaModel
from semipunct.papers.commas.ngrams import has_comma
from semipunct.papers.commas.trees import PhraseTree
from semipunct.structures.distribution import Distribution

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Commas(NamedTuple):
    """The commas of one sentence under a model.

    Attributes:
        best: ``[k, n + 1]`` the most probable placements.
        log_probability: ``[k]``.
        marginal: ``[n + 1]`` the probability of a comma in each slot.
    """

    best: Bools
    log_probability: Floats
    marginal: Floats


@dataclass(frozen=True)
class CommaRestorer:
    """Predicts commas with a model of either kind."""

    model: CommaModel | DelimiterModel
    parameters: Weights

    def commas(
        self,
        sentences: Sequence[Sentence[PhraseTree]],
        k: int = 1,
        *,
        batches: Batches[Any, Any] | None = None,
        shapes: Shapes | None = None,
    ) -> list[Commas]:
        """Predict the k best placements of commas in each sentence, without given commas.

        A generative model has one: all commas with a probability above one half.
        """
        if not sentences:
            return []
        model: Any = self.model
        batches = batches or Batches(model, model.encode(sentences))
        generative = isinstance(model, DelimiterModel)
        ask: Any = _marginals if generative else partial(_commas, k)
        predictions: dict[int, Commas] = {}
        for members, batch, answer in answers(
            model, self.parameters, batches, "commas", ask, shapes
        ):
            for row, i in enumerate(members):
                if generative:
                    predictions[i] = _likely(answer[row, : batch.slots[row]].astype(np.float64))
                    continue
                slots = int(batch.lengths[row]) - 1
                best, log_probability, marginal = answer
                exists = log_probability[:, row] > -np.inf
                predictions[i] = Commas(
                    best[exists, row, :slots],
                    log_probability[exists, row].astype(np.float64),
                    np.clip(marginal[row, :slots], 0, 1).astype(np.float64),
                )
        return [predictions[i] for i in range(len(sentences))]


@partial(jit, static=2)
def _commas(
    k: int, model: CommaModel, parameters: Parameters, batch: CommaBatch
) -> tuple[jax.Array, jax.Array, jax.Array]:
    distribution = Distribution(model.chain(parameters, batch))
    total, marginals = distribution.log_partition_and_marginals()
    if k == 1:
        states = distribution.argmax()[None]
        weight = distribution.unnormalized_log_prob(states)
    else:
        states, weight = distribution.top_k(k)
    # Set the log probability of missing placements and of padding to minus infinity.
    weight = jnp.where(jnp.isfinite(weight), weight - total, -jnp.inf)
    return states == BEFORE_COMMA, weight, marginals.emission[..., BEFORE_COMMA]


def _likely(p: Floats) -> Commas:
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return Commas((p > 0.5)[None], np.log(np.maximum(p, 1 - p)).sum(keepdims=True), p)


@partial(jit, static=1)
def _marginals(model: DelimiterModel, parameters: Parameters, batch: PhrasesBatch) -> jax.Array:
    return model.probabilities(parameters, batch)


COMMA_MODELS = (CommaModel, DelimiterModel)


def figures(
    model: Any,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[Any, Any],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the perplexity of commas, and their precision, recall and F1."""
    perplexity_figures = perplexities(model, parameters, examples, batches, shapes)
    restorer = CommaRestorer(model, parameters)
    commas = restorer.commas(examples, batches=batches, shapes=shapes)
    gold = np.concatenate([has_comma(s) for s in examples])
    found = np.concatenate([prediction.best[0] for prediction in commas])
    right, predicted, true = (int(x.sum()) for x in (gold & found, found, gold))
    return {
        **perplexity_figures,
        "precision": right / predicted if predicted else None,
        "recall": right / true if true else None,
        "f1": 2 * right / (predicted + true) if predicted + true else None,
    }
