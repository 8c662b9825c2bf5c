"""Attachment scores of held-out sentences, by which training chooses the best weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.corpus.sentences import Sentence
from semipunct.models.base import Weights
from semipunct.models.parsing.decoding import decode_trees
from semipunct.models.parsing.parser import Encoded, Parser, ParserBatch
from semipunct.models.parsing.vocabulary import TAGS
from semipunct.models.scoring import Batches, answers


def attachment(
    model: Parser,
    parameters: Weights,
    examples: Sequence[Sentence],
    batches: Batches[Encoded, ParserBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return unlabelled and labelled attachment scores and tagging accuracies.

    Args:
        model: the parser.
        parameters: its weights.
        examples: the sentences in the batches.
        batches: the sentences, with their analyses.
        shapes: records the compiled shapes.
    """
    words, right = 0, np.zeros(2 + len(TAGS), np.int64)
    batch_answers = answers(model, parameters, batches, "parse", _parsed, shapes)
    for _, batch, (trees, tags) in batch_answers:
        gold = batch.gold
        if gold is None:
            raise ValueError("sentences without analyses cannot be assessed")
        inside = np.arange(gold.heads.shape[1]) < batch.inputs.lengths[:, None]
        heads = (trees.heads == gold.heads) & inside
        is_right = [heads, heads & (trees.relations == gold.relations)]
        is_right += [(x == y) & inside for x, y in zip(tags, gold.tags, strict=True)]
        right += [int(x.sum()) for x in is_right]
        words += int(inside.sum())
    return dict(zip(("uas", "las", *TAGS), (right / words).tolist(), strict=True))


def _parsed(model: Parser, parameters: Any, batch: ParserBatch) -> tuple[Any, Any]:
    trees, tags, *_ = decode_trees(model, "risk", parameters, batch.inputs)
    return trees, tags
