"""Supertags: one or several categories per word, from a linear chain over a network's scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Parameters, Weights
from semipunct.models.scoring import Batches, answers
from semipunct.trees.derivations import Derivation

if TYPE_CHECKING:
    from semipunct.models.ccg.parser import CcgModel, DerivedBatch, Encoded

Probabilities = npt.NDArray[np.float32]


@partial(jit, static=1)
def _marginals(model: CcgModel, parameters: Parameters, batch: DerivedBatch) -> jax.Array:
    from semipunct.models.ccg.parser import position_marginals

    return position_marginals(model.chain(parameters, batch))


def probabilities(
    model: CcgModel,
    parameters: Weights,
    batches: Batches[Encoded, DerivedBatch],
    account: Shapes | None = None,
) -> list[Probabilities]:
    """Return the probabilities of the categories of words, ``[n, lexical]`` for each sentence.

    Args:
        model: the parser.
        parameters: its weights.
        batches: the sentences.
        account: records the compiled shapes.
    """
    probabilities_of_all: list[Probabilities] = [np.zeros((0, 0), np.float32)] * len(batches)
    batch_answers = answers(model, parameters, batches, "supertags", _marginals, account)
    for members, batch, rows in batch_answers:
        for row, i in enumerate(members):
            probabilities_of_all[i] = rows[row, : batch.lengths[row]]
    return probabilities_of_all


def multitags(model: CcgModel, probability: Probabilities, ratio: float) -> list[list[int]]:
    """Return the categories of each word with at least a fraction of the best probability.

    Args:
        model: gives the lexical categories.
        probability: ``[n, lexical]``.
        ratio: the fraction.
    """
    lexical = np.asarray(model.grammar.lexical)
    likely = probability >= ratio * probability.max(1, keepdims=True)
    return [lexical[row].tolist() for row in likely]


def figures(
    model: CcgModel,
    parameters: Weights,
    examples: Sequence[Sentence[Derivation]],
    batches: Batches[Encoded, DerivedBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the supertagging accuracy: the fraction of words whose best category is correct.

    Args:
        model: the parser.
        parameters: its weights.
        examples: held-out sentences with derivations.
        batches: the same, encoded.
        shapes: records the compiled shapes.
    """
    right = words = 0
    for s, rows in zip(examples, probabilities(model, parameters, batches, shapes), strict=True):
        names = [model.grammar.categories[model.grammar.lexical[i]] for i in rows.argmax(1)]
        right += sum(a == b for a, b in zip(names, s.tree.tags, strict=True))
        words += len(names)
    return {"category_accuracy": right / words, "unscorable": 0}
