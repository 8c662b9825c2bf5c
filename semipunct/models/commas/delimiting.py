"""Decoding of commas with the generative model of phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.commas.decoding import Commas
from semipunct.models.commas.delimiters import DelimiterModel, EncodedPhrases, PhrasesBatch
from semipunct.models.scoring import Batches, answers
from semipunct.trees.phrases import PhraseTree


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
