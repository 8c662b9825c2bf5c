"""Metrics of a tokeniser on held-out passages, by which the best weights are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.corpus.passages import Passage
from semipunct.evaluation.segmentation import SpanCounts
from semipunct.models.base import Weights
from semipunct.models.scoring import Batches
from semipunct.models.segmentation.guises import IN_GUISE
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import CharacterBatch, Encoded, Tokeniser


def figures(
    model: Tokeniser,
    parameters: Weights,
    examples: Sequence[Passage],
    batches: Batches[Encoded, CharacterBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the F1 of tokens and of sentences in each guise, and ``f1``, the mean of all.

    Args:
        model: the tokeniser.
        parameters: its weights.
        examples: held-out passages.
        batches: the same, encoded; unused, because texts are segmented in windows as at run time.
        shapes: records the compiled shapes.
    """
    segmenter = Segmenter(model, parameters)
    scores: dict[str, float] = {}
    for name in model.options.guises:
        gold = [IN_GUISE[name](passage) for passage in examples]
        tokens = sentences = SpanCounts()
        for right, predicted in zip(gold, segmenter.segment([g.text for g in gold]), strict=True):
            tokens = tokens.plus(SpanCounts.of(right.tokens, predicted.tokens))
            sentences = sentences.plus(SpanCounts.of(right.sentences, predicted.sentences))
        scores |= {f"{name}_tokens": tokens.f1, f"{name}_sentences": sentences.f1}
    return {"f1": float(np.mean([*scores.values()])), **scores, "unscorable": 0}
