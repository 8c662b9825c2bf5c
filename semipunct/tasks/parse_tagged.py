"""Parsing by a beam parser: from words with tags and punctuation to dependency trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.models.beam_parsing.parser import BeamParser, Parse
from semipunct.models.beam_parsing.tokens import check_tags
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.trees import DependencyTree, without_words


def parse_tagged(model: Trained[Any], sentences: Sequence[Sentence]) -> list[DependencyTree]:
    """Return the trees of a beam parser over the words of sentences, without their punctuation.

    If the parser attaches punctuation, words that depend on it are attached to its head.

    Args:
        model: a parser of the kind ``beam-parser`` with its weights.
        sentences: words and punctuation with their tags (``formats.registry.with_marks``); for a
            parser that attaches no punctuation, it may also be in slots. Trees are ignored.

    Returns:
        Trees over the n >= 1 words that do not have the tag PUNCT; without ``model.labelled``, all
        relations but that of the root are ``_``.

    Raises:
        ModelError: if the model is of another kind.
        TreebankError: if no word has a tag in the column that the parser reads, or the parser
            attaches punctuation and the punctuation is in slots.
    """
    fitted = model_of_kind(model, BeamParser)
    if not sentences:
        return []
    check_tags(sentences, fitted.options)
    parses_of_all = fitted.parse(model.parameters, sentences)
    return [_of_words(*pair) for pair in zip(sentences, parses_of_all, strict=True)]


def _of_words(sentence: Sentence, parse_with_marks: Parse) -> DependencyTree:
    marks = [number for number, tag in enumerate(sentence.upos, 1) if tag == PUNCTUATION]
    # Marks that were not parsed are leaves anywhere, as they are removed.
    root = 1 + parse_with_marks.heads.index(0)
    heads = tuple(root if head < 0 else head for head in parse_with_marks.heads)
    return without_words(DependencyTree(heads, parse_with_marks.relations), marks)
