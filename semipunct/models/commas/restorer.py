"""Comma restoration with either kind of model, and metrics by which training chooses weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Weights
from semipunct.models.commas.decoding import CommaRestorer
from semipunct.models.commas.delimiters import DelimiterModel
from semipunct.models.commas.delimiting import DelimiterRestorer
from semipunct.models.commas.model import CommaModel
from semipunct.models.commas.ngrams import has_comma
from semipunct.models.scoring import Batches, perplexities
from semipunct.trees.phrases import PhraseTree

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
