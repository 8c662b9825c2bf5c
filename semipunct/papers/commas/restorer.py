"""Restoration of commas by the models, and their figures on development sentences."""

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
from semipunct.papers.commas.delimiters import DelimiterModel, EncodedPhrases, PhrasesBatch
from semipunct.papers.commas.model import BEFORE_COMMA, CommaBatch, CommaModel, Encoded
from semipunct.papers.commas.ngrams import has_comma
from semipunct.papers.commas.trees import PhraseTree
from semipunct.structures.distribution import Distribution

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Commas(NamedTuple):
    """The commas of one sentence under a model.

    Attributes:
        best: ``[k, n + 1]`` the k most probable placements, best first.
        log_probability: ``[k]`` their log probabilities; k is smaller if there are fewer
            placements.
        marginal: ``[n + 1]`` the marginal probability of a comma in each slot.
    """

    best: Bools
    log_probability: Floats
    marginal: Floats


@dataclass(frozen=True)
class CommaRestorer:
    """Predicts commas.

    Attributes:
        model: the comma model.
        parameters: its weights.
    """

    model: CommaModel
    parameters: Weights

    def commas(
        self,
        sentences: Sequence[Sentence[PhraseTree]],
        k: int = 1,
        *,
        batches: Batches[Encoded, CommaBatch] | None = None,
        shapes: Shapes | None = None,
    ) -> list[Commas]:
        """Predict the commas of each sentence; commas that it contains are ignored.

        Args:
            sentences: words and phrases.
            k: number of placements.
            batches: the same sentences, if they are already encoded.
            shapes: records the compiled shapes.
        """
        if not sentences:
            return []
        batches = batches or Batches(self.model, self.model.encode(sentences))
        predictions: list[Commas | None] = [None] * len(sentences)
        ask = partial(_commas, k)
        for members, batch, answer in answers(
            self.model, self.parameters, batches, "commas", ask, shapes
        ):
            best, log_probability, marginal = answer
            for row, i in enumerate(members):
                slots = int(batch.lengths[row]) - 1
                exists = log_probability[:, row] > -np.inf
                predictions[i] = Commas(
                    best[exists, row, :slots],
                    log_probability[exists, row].astype(np.float64),
                    np.clip(marginal[row, :slots], 0, 1).astype(np.float64),
                )
        return [commas for commas in predictions if commas is not None]


@partial(jit, static=2)
def _commas(
    k: int, model: CommaModel, parameters: Parameters, batch: CommaBatch
) -> tuple[jax.Array, jax.Array, jax.Array]:
    distribution = Distribution(model.chain(parameters, batch))
    total, marginals = distribution.log_partition_and_marginals()
    if k == 1:
        answer = distribution.best()
        parts, weight = answer.parts.emission[None], answer.log_weight[None]
    else:
        answer = distribution.top(k)
        parts, weight = answer.parts.emission, answer.log_weight
    # Set the log probability of missing placements and of padding to minus infinity.
    weight = jnp.where(jnp.isfinite(weight), weight - total, -jnp.inf)
    return parts[..., BEFORE_COMMA] > 0.5, weight, marginals.emission[..., BEFORE_COMMA]


@dataclass(frozen=True)
class DelimiterRestorer:
    """Predicts commas.

    Attributes:
        model: the generative model.
        parameters: its weights.
    """

    model: DelimiterModel
    parameters: Weights

    def commas(
        self,
        sentences: Sequence[Sentence[PhraseTree]],
        k: int = 1,
        *,
        batches: Batches[EncodedPhrases, PhrasesBatch] | None = None,
        shapes: Shapes | None = None,
    ) -> list[Commas]:
        """Predict the commas of each sentence; commas that it contains are ignored.

        There is a single placement: commas in the slots where they have a probability above one
        half.

        Args:
            sentences: words and phrases.
            k: ignored; present for compatibility with ``CommaRestorer.commas``.
            batches: the same sentences, if they are already encoded.
            shapes: records the compiled shapes.
        """
        batches = batches or Batches(self.model, self.model.encode(sentences))
        predictions: dict[int, Commas] = {}
        batch_answers = answers(self.model, self.parameters, batches, "commas", _marginals, shapes)
        for members, batch, answer in batch_answers:
            for row, i in enumerate(members):
                p = answer[row, : batch.slots[row]].astype(np.float64)
                p = np.clip(p, 1e-9, 1 - 1e-9)
                log_p = float(np.log(np.maximum(p, 1 - p)).sum())
                predictions[i] = Commas((p > 0.5)[None], np.array([log_p]), p)
        return [predictions[i] for i in range(len(sentences))]


@partial(jit, static=1)
def _marginals(model: DelimiterModel, parameters: Parameters, batch: PhrasesBatch) -> jax.Array:
    """Return the probability of a comma in each slot, ``[batch, slots]``."""
    return model.probabilities(parameters, batch)


COMMA_MODELS = (CommaModel, DelimiterModel)
"""The kinds of comma models."""


def comma_restorer(
    model: CommaModel | DelimiterModel, parameters: Weights
) -> CommaRestorer | DelimiterRestorer:
    """Return an object that predicts commas with a model of either kind.

    Args:
        model: the comma model.
        parameters: its weights.
    """
    if isinstance(model, DelimiterModel):
        return DelimiterRestorer(model, parameters)
    return CommaRestorer(model, parameters)


def figures(
    model: Any,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[Any, Any],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the perplexity of commas, and precision, recall and F1 of predicted commas.

    Args:
        model: the comma model.
        parameters: its weights.
        examples: held-out sentences.
        batches: the same, encoded.
        shapes: records the compiled shapes.

    Returns:
        The metrics by name, with None for a ratio that is undefined.
    """
    perplexity_figures = perplexities(model, parameters, examples, batches, shapes)
    restorer = comma_restorer(model, parameters)
    commas = restorer.commas(examples, batches=batches, shapes=shapes)
    gold = np.concatenate([has_comma(s) for s in examples])
    predicted_commas = np.concatenate([prediction.best[0] for prediction in commas])
    right, predicted, true = (
        int(x.sum()) for x in (gold & predicted_commas, predicted_commas, gold)
    )
    return {
        **perplexity_figures,
        "precision": right / predicted if predicted else None,
        "recall": right / true if true else None,
        "f1": 2 * right / (predicted + true) if predicted + true else None,
    }
