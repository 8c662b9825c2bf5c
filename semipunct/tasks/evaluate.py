"""Evaluation: how well a model of any kind predicts the punctuation of held-out sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipunct import __version__
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Sentence
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.signature import join_signature
from semipunct.models.base import Batches, Model, Weights, digest, log_likelihoods


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of some sentences.

    Attributes:
        statistics: log p(x | T) and slots of each sentence; ``statistics.figures()`` has the
            perplexity.
        signature: what was measured, on what, with which model and program.
    """

    statistics: PerplexityStatistics
    signature: str


def evaluate(
    model: Model[Any, Any],
    parameters: Weights,
    sentences: Sequence[Sentence],
    treebank: str | None = None,
    model_digest: str | None = None,
) -> Evaluation:
    """Score the punctuation of sentences, given their words and trees.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words, trees and surface punctuation; an empty sequence has perplexity NaN.
        treebank: a sha256 for the signature; by default ``treebank_digest`` of the sentences.
        model_digest: that of the model, if it is known; to compute it all weights are read.
    """
    scores = log_likelihoods(model, parameters, Batches(model, model.encode(sentences)))
    slots = np.array([len(s.slots) for s in sentences], np.int64)
    text = signature(
        model, model_digest or digest(model, parameters), treebank or treebank_digest(sentences)
    )
    return Evaluation(PerplexityStatistics(scores, slots), text)


def signature(model: Model[Any, Any], model_digest: str, treebank: str) -> str:
    """Return one line that two figures must share to be comparable, but for the model's hash.

    Args:
        model: the model.
        model_digest: a sha256 of it and its weights.
        treebank: a sha256 of the sentences.
    """
    return join_signature(
        {
            "task": "perplexity",
            "model": model_digest[:12],
            "treebank": treebank[:12],
            **model.signature(),
            "version": __version__,
        }
    )
