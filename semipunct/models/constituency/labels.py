"""Codes of words, tags and span labels, and trees as labelled spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.models.forms import FormVocabulary
from semipunct.models.vocabulary import Codes, frequent
from semipunct.trees.phrases import PhraseTree, Span, spans
from semipunct.trees.pruning import prune_words, without_functions, without_wrapper, words_with_tags

COMMA = ","

_JOIN = " "
"""Separates the labels of a unary chain: no label contains a blank."""


class PhraseVocabulary(FormVocabulary, frozen=True, dict=True):
    """Known values of forms, and the values that are predicted.

    Label code 0 stands for a span that is not a phrase.

    Attributes:
        tag: parts of speech.
        label: labels, and unary chains of them, outermost first.
    """

    most: ClassVar[int] = 16

    tag: tuple[str, ...]
    label: tuple[str, ...]

    @classmethod
    def of(
        cls,
        forms: Sequence[Sequence[str]],
        trees: Sequence[PhraseTree],
        minimum_word_count: int,
        minimum_ngram_forms: int,
    ) -> PhraseVocabulary:
        """Collect the strings of training sentences.

        Args:
            forms: the words of each.
            trees: the trees over the forms.
            minimum_word_count: rarer forms have no code of their own.
            minimum_ngram_forms: n-grams and shapes of fewer distinct forms have no code.
        """
        labels = (_JOIN.join(span.labels) for tree in trees for span in spans(tree))
        return cls(
            **cls.of_forms(forms, minimum_word_count, minimum_ngram_forms),
            tag=frequent((tag for tree in trees for tag in tree.tags), 1),
            label=frequent(labels, 1),
        )

    def spans(self, tree: PhraseTree) -> Codes:
        """Return the spans of a tree, ``[spans, 3]``: first word, last word, code of the label.

        Args:
            tree: a tree whose labels have no functions.
        """
        phrases = spans(tree)
        ends = np.array([(s.left, s.right - 1) for s in phrases], np.int32).reshape(-1, 2)
        labels = self.codes("label", (_JOIN.join(s.labels) for s in phrases))
        return np.column_stack([ends, labels])

    def to_spans(self, rows: Iterable[Sequence[int]]) -> list[Span]:
        """Invert ``spans``.

        Args:
            rows: first word, last word, label code, which is not 0.
        """
        return [
            Span(left, last + 1, tuple(self.label[code - 1].split(_JOIN)))
            for left, last, code in rows
        ]


def read_tree(sentence: Sentence[PhraseTree], *, commas: bool) -> tuple[list[str], PhraseTree]:
    """Return the words and the tree that a parser is trained on.

    Functions are removed from labels, and so is the outer bracket without a label.

    Args:
        sentence: a sentence with its phrases.
        commas: whether to keep commas.
    """
    forms, tree = list(dotted_forms(sentence)), without_functions(sentence.tree)
    gone = () if commas else words_with_tags(tree, {COMMA})
    # A sentence consisting of commas alone is kept: there is nothing else to parse.
    if gone and len(gone) < tree.words:
        out = {word - 1 for word in gone}
        tree = prune_words(tree, gone)
        forms = [form for place, form in enumerate(forms) if place not in out]
    return forms, without_wrapper(tree)
