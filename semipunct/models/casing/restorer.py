"""A truecaser with its weights, which restores capitals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence, Words
from semipunct.features.word_shapes import LOWER, apply_shape
from semipunct.models.base import Parameters, Weights
from semipunct.models.casing.truecaser import Encoded, Truecaser, WordsBatch
from semipunct.models.scoring import Batches, answers
from semipunct.structures.distribution import Distribution


@dataclass(frozen=True)
class CaseRestorer:
    """Restores the capitals of lower-cased words.

    Attributes:
        model: the truecaser.
        parameters: its weights.
    """

    model: Truecaser
    parameters: Weights

    def restore(self, sentences: Sequence[Sentence | Words]) -> list[tuple[str, ...]]:
        """Return the words of each sentence; words that contain a capital already are not changed.

        Args:
            sentences: words, and the marks between them.
        """
        batches = Batches(self.model, self.model.encode(sentences))
        return [
            tuple(
                form
                if form != form.lower()
                else apply_shape(form, shape, self.model.vocabulary.mixed)
                for form, shape in zip(s.forms, shapes, strict=True)
            )
            for s, shapes in zip(sentences, self.shapes(batches), strict=True)
        ]

    def shapes(
        self, batches: Batches[Encoded, WordsBatch], account: Shapes | None = None
    ) -> list[list[int]]:
        """Return the most probable shapes of the words of all sentences.

        Args:
            batches: the sentences, encoded.
            account: records the compiled shapes.
        """
        shapes: list[list[int]] = [[]] * len(batches)
        batch_answers = answers(self.model, self.parameters, batches, "best", _best, account)
        for members, batch, best in batch_answers:
            for row, i in enumerate(members):
                shapes[i] = best[row, : batch.lengths[row]].tolist()
        return shapes


def figures(
    model: Truecaser,
    parameters: Weights,
    examples: Sequence[Sentence],
    batches: Batches[Encoded, WordsBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the accuracy on words, and the F1 of words with capitals.

    Args:
        model: the truecaser.
        parameters: its weights.
        examples: held-out sentences.
        batches: the same, encoded.
        shapes: records the compiled shapes.
    """
    shapes_of_all = CaseRestorer(model, parameters).shapes(batches, shapes)
    right = words = gold = predicted = agreed = 0
    for s, row in zip(examples, shapes_of_all, strict=True):
        for form, shape in zip(s.forms, row, strict=True):
            low = form.lower()
            spelt = apply_shape(low, shape, model.vocabulary.mixed)
            right += spelt == form
            words += 1
            gold += form != low
            predicted += shape != LOWER
            agreed += form != low and spelt == form
    f1 = 2 * agreed / (gold + predicted) if gold + predicted else 1.0
    return {"accuracy": right / words, "capitals_f1": f1, "unscorable": 0}


@partial(jit, static=1)
def _best(model: Truecaser, parameters: Parameters, batch: WordsBatch) -> jax.Array:
    best = Distribution(model.chain(parameters, batch)).best()
    return jnp.argmax(best.parts.emission, -1)
