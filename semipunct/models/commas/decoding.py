"""Commas that a model puts between words, and the figures by which training chooses weights."""

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
from semipunct.models.commas.model import BEFORE_COMMA, CommaBatch, CommaModel, Encoded
from semipunct.models.commas.ngrams import has_comma
from semipunct.models.scoring import Batches, perplexities
from semipunct.structures.distribution import Distribution
from semipunct.trees.phrases import PhraseTree

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Commas(NamedTuple):
    """The commas of one sentence under a model.

    Attributes:
        best: ``[k, n + 1]`` the most probable ways to place them, best first.
        log_probability: ``[k]`` of these; fewer than were asked for where there are no more.
        marginal: ``[n + 1]`` the probability of a comma in each slot.
    """

    best: Bools
    log_probability: Floats
    marginal: Floats


@dataclass(frozen=True)
class CommaRestorer:
    """Tells where commas stand.

    Attributes:
        model: of commas.
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
        """Return the commas of each sentence; those that it has are not looked at.

        Args:
            sentences: words and phrases.
            k: how many ways to place them.
            batches: the same, if they are encoded.
            shapes: keeps account of what is compiled.
        """
        if not sentences:
            return []
        batches = batches or Batches(self.model, self.model.encode(sentences))
        shapes = shapes or Shapes()
        weights = self.model.placed(self.parameters)
        found: list[Commas | None] = [None] * len(sentences)
        for members, batch in batches:
            with shapes.first_call("commas", batch):
                answer = _commas(self.model, k, weights, batch)
                best, log_probability, marginal = (np.asarray(x) for x in answer)
            for row, i in enumerate(members):
                slots = int(batch.lengths[row]) - 1
                there = log_probability[:, row] > -np.inf
                found[i] = Commas(
                    best[there, row, :slots],
                    log_probability[there, row].astype(np.float64),
                    np.clip(marginal[row, :slots], 0, 1).astype(np.float64),
                )
        return [commas for commas in found if commas is not None]


def figures(
    model: CommaModel,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[Encoded, CommaBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the perplexity of commas, and precision, recall and F1 of the most probable ones.

    Args:
        model: the model.
        parameters: its weights.
        examples: held-out sentences.
        batches: the same, encoded.
        shapes: keeps account of what is compiled.
    """
    found = perplexities(model, parameters, examples, batches, shapes)
    restorer = CommaRestorer(model, parameters)
    commas = restorer.commas(examples, batches=batches, shapes=shapes)
    return {**found, **comma_figures(examples, commas)}


def comma_figures(
    examples: Sequence[Sentence[PhraseTree]], commas: Sequence[Commas]
) -> dict[str, Any]:
    """Return precision, recall and F1 of the best way to place commas; None where undefined.

    Args:
        examples: sentences with their commas.
        commas: those that were found.
    """
    gold = np.concatenate([has_comma(s) for s in examples])
    told = np.concatenate([one.best[0] for one in commas])
    right, predicted, true = (int(x.sum()) for x in (gold & told, told, gold))
    return {
        "precision": right / predicted if predicted else None,
        "recall": right / true if true else None,
        "f1": 2 * right / (predicted + true) if predicted + true else None,
    }


@partial(jit, static=2)
def _commas(
    model: CommaModel, k: int, parameters: Parameters, batch: CommaBatch
) -> tuple[jax.Array, jax.Array, jax.Array]:
    distribution = Distribution(model.chain(parameters, batch))
    total, marginals = distribution.log_partition_and_marginals()
    if k == 1:
        found = distribution.best()
        parts, weight = found.parts.emission[None], found.log_weight[None]
    else:
        found = distribution.top(k)
        parts, weight = found.parts.emission, found.log_weight
    # Of padding nothing is asked, and nothing is there to be asked.
    weight = jnp.where(jnp.isfinite(weight), weight - total, -jnp.inf)
    return parts[..., BEFORE_COMMA] > 0.5, weight, marginals.emission[..., BEFORE_COMMA]
