"""Parsing into phrases: from words to sentences with tags and phrase-structure trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.corpus.marks_as_words import interleave_marks
from semipunct.corpus.sentences import MISSING, Sentence, Words, dotted_forms
from semipunct.models.constituency.decoding import PhraseFinder
from semipunct.models.constituency.parser import PhraseParser
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, model_of_kind
from semipunct.trees.phrases import PhraseTree
from semipunct.trees.pruning import prune_words

JOINED = "FRAG"
"""The label of the node above the pieces of a sentence that is too long to be parsed at once."""


def phrase_trees(model: Trained[Any], sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
    """Parse words into phrase-structure trees.

    A sentence of more than ``limits.PARSED`` words is parsed in pieces, so that memory is bounded.

    Args:
        model: a parser of phrases with its weights.
        sentences: the words of each sentence, with commas if the parser reads them.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = model_of_kind(model, PhraseParser)
    most = limits.PARSED
    pieces = [
        [forms[start : start + most] for start in range(0, len(forms), most)] for forms in sentences
    ]
    trees = iter(
        PhraseFinder(fitted, model.parameters).trees(
            [piece for pieces_of_sentence in pieces for piece in pieces_of_sentence]
        )
    )
    return [_joined([next(trees) for _ in pieces_of_sentence]) for pieces_of_sentence in pieces]


def _joined(trees: Sequence[PhraseTree]) -> PhraseTree:
    if len(trees) == 1:
        return trees[0]
    return PhraseTree(
        (0, *(depth + 1 for tree in trees for depth in tree.depths)),
        (JOINED, *(label for tree in trees for label in tree.categories)),
    )


def parse_phrases(
    model: Trained[Any], sentences: Sequence[Sentence[Any] | Words]
) -> list[Sentence[PhraseTree]]:
    """Parse sentences whose commas are in their slots; existing tags and trees are ignored.

    A parser that reads commas gets them as words; they are then removed from its trees.

    Args:
        model: a parser of phrases with its weights.
        sentences: words, including all other marks; the slots are unchanged.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = model_of_kind(model, PhraseParser)
    if fitted.options.commas:
        read = [interleave_marks(s) for s in sentences]
        trees = phrase_trees(model, [tokens for tokens, _ in read])
        trees = [prune_words(tree, marks) for tree, (_, marks) in zip(trees, read, strict=True)]
    else:
        trees = phrase_trees(model, [dotted_forms(s) for s in sentences])
    return [with_phrases(s, tree) for s, tree in zip(sentences, trees, strict=True)]


def with_phrases(sentence: Sentence[Any] | Words, tree: PhraseTree) -> Sentence[PhraseTree]:
    """Set the tree of a sentence, and its parts of speech to those of the leaves.

    Args:
        sentence: the sentence.
        tree: a tree over the same words.
    """
    s = sentence
    nothing = (MISSING,) * len(s.forms)
    return Sentence(
        s.sentence_id, s.path, s.line, s.forms, nothing, nothing, tree.tags, nothing, tree, s.slots,
        closed=s.closed, source=s.source,
    )  # fmt: skip
