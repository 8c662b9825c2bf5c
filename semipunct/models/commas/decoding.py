"""Decoding of commas with a linear chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.commas.model import BEFORE_COMMA, CommaBatch, CommaModel, Encoded
from semipunct.models.scoring import Batches, answers
from semipunct.structures.distribution import Distribution
from semipunct.trees.phrases import PhraseTree

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
