"""Commas that the generative model of phrases puts between words, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.commas.decoding import Commas, comma_figures
from semipunct.models.commas.delimiters import DelimiterModel, EncodedPhrases, PhrasesBatch
from semipunct.models.scoring import Batches, perplexities
from semipunct.structures.distribution import Distribution
from semipunct.trees.phrases import PhraseTree


@dataclass(frozen=True)
class DelimiterRestorer:
    """Tells where commas stand.

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
        """Return the commas of each sentence; those that it has are not looked at.

        There is one way to place them: in the slots where they are more probable than not.

        Args:
            sentences: words and phrases.
            k: ignored; ``CommaRestorer.commas`` has the same parameters.
            batches: the same, if they are encoded.
            shapes: keeps account of what is compiled.
        """
        batches = batches or Batches(self.model, self.model.encode(sentences))
        shapes = shapes or Shapes()
        weights = self.model.placed(self.parameters)
        found: dict[int, Commas] = {}
        for members, batch in batches:
            with shapes.first_call("commas", batch):
                answer = np.asarray(_marginals(self.model, weights, batch), np.float64)
            for row, i in enumerate(members):
                p = np.clip(answer[row, : batch.slots[row]], 1e-9, 1 - 1e-9)
                log_p = float(np.log(np.maximum(p, 1 - p)).sum())
                found[i] = Commas((p > 0.5)[None], np.array([log_p]), p)
        return [found[i] for i in range(len(sentences))]


def figures(
    model: DelimiterModel,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[EncodedPhrases, PhrasesBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the perplexity of commas, and precision, recall and F1 of those that are restored.

    Args:
        model: the model.
        parameters: its weights.
        examples: held-out sentences.
        batches: the same, encoded.
        shapes: keeps account of what is compiled.
    """
    found = perplexities(model, parameters, examples, batches, shapes)
    restorer = DelimiterRestorer(model, parameters)
    commas = restorer.commas(examples, batches=batches, shapes=shapes)
    return {**found, **comma_figures(examples, commas)}


@partial(jit, static=1)
def _marginals(model: DelimiterModel, parameters: Parameters, batch: PhrasesBatch) -> jax.Array:
    """Return the probability of a comma in each slot, ``[batch, slots]``."""
    marginals = Distribution(model.marks(parameters, batch, seen=False)).marginals()
    seen = jax.nn.sigmoid(-parameters["absorb"][batch.places])
    return marginals.final[..., 1] * seen
