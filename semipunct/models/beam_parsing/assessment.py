"""Attachment scores on held-out sentences, by which the best weights of a parser are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from semipunct.arrays.compilation import Shapes
from semipunct.corpus.sentences import Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.models.beam_parsing.encoding import Batch, Encoded
from semipunct.models.beam_parsing.parser import BeamParser
from semipunct.models.beam_parsing.tokens import tokens
from semipunct.models.scoring import Batches


def attachment(
    model: BeamParser,
    parameters: Mapping[str, Any],
    examples: Sequence[Sentence],
    batches: Batches[Encoded, Batch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return unlabelled and labelled attachment scores over words that are not marks.

    Args:
        model: the parser.
        parameters: its weights.
        examples: sentences with their trees.
        batches: the examples.
        shapes: records the compiled shapes.
    """
    words = heads = labels = 0
    parses = model.parse(parameters, examples, batches, shapes)
    for sentence, parse in zip(examples, parses, strict=True):
        parsed_tokens = tokens(sentence, model.options)
        if parsed_tokens.tree is None:
            continue
        places = (0, *parsed_tokens.numbers)
        for number, head, label in zip(
            parsed_tokens.numbers,
            parsed_tokens.tree.heads,
            parsed_tokens.tree.relations,
            strict=True,
        ):
            if sentence.upos[number - 1] != PUNCTUATION:
                right = parse.heads[number - 1] == places[head]
                words += 1
                heads += right
                labels += right and parse.relations[number - 1] == label
    figures = {"uas": heads / max(words, 1), "words": words}
    return {**figures, "las": labels / max(words, 1)} if model.options.labelled else figures
