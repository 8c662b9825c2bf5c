"""Evaluation: how well a model of any kind predicts the punctuation of held-out sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipunct.corpus import Omitted, Sentence
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import ModelError
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result, figures_signature
from semipunct.models.contents import digest
from semipunct.models.kind import PUNCTUATION
from semipunct.models.registry import find_kind
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.tasks.base import Trained


def evaluate(
    model: Trained[Any],
    sentences: Sequence[Sentence | Omitted],
    *,
    system: str = "",
    treebank: str | None = None,
    model_digest: str | None = None,
) -> Result[PerplexityStatistics]:
    """Score the punctuation of sentences, given their words and trees.

    Args:
        model: a punctuation model of any kind, with its weights.
        sentences: words, trees and surface punctuation; omitted ones do not count, and an
            empty sequence has perplexity NaN.
        system: the name of the model in the result; by default its kind.
        treebank: a SHA-256 digest for the signature; by default ``treebank_digest`` of the
            sentences.
        model_digest: the digest of the model, if it is known; computing it reads all weights.

    Returns:
        log p(x | T) and the number of slots of each sentence; ``figures`` has the perplexity.

    Raises:
        ModelError: if the model predicts anything other than punctuation.
    """
    predicts = find_kind(model.model.kind).predicts
    if predicts != PUNCTUATION:
        raise ModelError(
            f"a model of the kind {model.model.kind} predicts {predicts}, so it has no perplexity "
            f"of {PUNCTUATION}; name another one (its own figures are in its model card)"
        )
    fitted, weights = model.model, model.parameters
    usable = without_omitted(sentences)
    scores = log_likelihoods(fitted, weights, Batches(fitted, fitted.encode(usable)))
    slots = np.array([s.choices for s in usable], np.int64)
    line = figures_signature(
        PerplexityStatistics.task,
        (model_digest or digest(fitted, weights))[:12],
        treebank or treebank_digest(usable),
        fitted.signature(),
    )
    return Result(system or fitted.kind, line, PerplexityStatistics(scores, slots))
