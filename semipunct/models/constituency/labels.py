"""Words, tags and labels of spans as codes, and trees as labelled spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.features.characters import ngrams, shape
from semipunct.trees.phrases import PhraseTree, Span, spans
from semipunct.trees.pruning import pruned, tagged, without_functions, without_wrapper

Codes = npt.NDArray[np.int32]

COMMA = ","

MOST = 16
"""N-grams of a word that count: those that come first."""

_REMEMBERED = 2**16

_JOIN = " "
"""Stands between the labels of a unary chain: no label has a blank in it."""


class PhraseVocabulary(msgspec.Struct, frozen=True, dict=True):
    """The strings that have codes: value i of a kind has code i + 1, all others have 0.

    Code 0 of labels is that of a span that is no phrase.

    Attributes:
        word: frequent forms in lower case.
        ngram: character n-grams that several forms share.
        shape: shapes of words that several forms share.
        tag: parts of speech.
        label: labels, and unary chains of them, outermost first.
    """

    word: tuple[str, ...]
    ngram: tuple[str, ...]
    shape: tuple[str, ...]
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
            trees: over them.
            minimum_word_count: rarer forms have no code of their own.
            minimum_ngram_forms: n-grams and shapes of fewer different forms have none.
        """
        words = Counter(form.lower() for sentence in forms for form in sentence)
        distinct = {form for sentence in forms for form in sentence}
        shared = [
            (value for value, n in counts.items() if n >= minimum_ngram_forms)
            for counts in (
                Counter(piece for form in distinct for piece in ngrams(form)),
                Counter(map(shape, distinct)),
            )
        ]
        found = (
            (word for word, n in words.items() if n >= minimum_word_count),
            *shared,
            {tag for tree in trees for tag in tree.tags},
            {_JOIN.join(span.labels) for tree in trees for span in spans(tree)},
        )
        return cls(*(tuple(sorted(values)) for values in found))

    @cached_property
    def _code(self) -> dict[str, dict[str, int]]:
        kinds = self.__struct_fields__
        return {kind: {v: i for i, v in enumerate(getattr(self, kind), 1)} for kind in kinds}

    def size(self, kind: str) -> int:
        """Return the number of codes of a kind, code 0 included."""
        return len(getattr(self, kind)) + 1

    def codes(self, kind: str, values: Iterable[str]) -> Codes:
        """Return the codes of strings.

        Args:
            kind: an attribute.
            values: strings of that kind.
        """
        table = self._code[kind]
        return np.array([table.get(value, 0) for value in values], np.int32)

    def ngrams(self, forms: Iterable[str]) -> Codes:
        """Return the codes of the n-grams of words, ``[words, MOST]``, and 0 where there is none.

        Args:
            forms: of words.
        """
        return np.array([self._ngrams(form) for form in forms], np.int32).reshape(-1, MOST)

    @cached_property
    def _ngrams(self) -> Callable[[str], tuple[int, ...]]:
        table = self._code["ngram"]

        @lru_cache(_REMEMBERED)
        def codes(form: str) -> tuple[int, ...]:
            known = [code for piece in ngrams(form) if (code := table.get(piece))][:MOST]
            return (*known, *[0] * (MOST - len(known)))

        return codes

    def spans(self, tree: PhraseTree) -> Codes:
        """Return the spans of a tree, ``[spans, 3]``: first word, last word, code of the label.

        Args:
            tree: whose labels have no functions.
        """
        table = self._code["label"]
        rows = [(s.left, s.right - 1, table.get(_JOIN.join(s.labels), 0)) for s in spans(tree)]
        return np.array(rows, np.int32).reshape(-1, 3)

    def named(self, rows: Iterable[Sequence[int]]) -> list[Span]:
        """Invert ``spans``.

        Args:
            rows: first word, last word, code of a label, which is not 0.
        """
        return [
            Span(left, last + 1, tuple(self.label[code - 1].split(_JOIN)))
            for left, last, code in rows
        ]


def read_tree(sentence: Sentence[PhraseTree], *, commas: bool) -> tuple[list[str], PhraseTree]:
    """Return the words and the tree that a parser learns from.

    Labels have no functions, and the bracket without a label is not there.

    Args:
        sentence: with its phrases.
        commas: whether commas stay.
    """
    forms, tree = list(dotted_forms(sentence)), without_functions(sentence.tree)
    gone = () if commas else tagged(tree, {COMMA})
    # A sentence of nothing but commas stays: there is nothing else to parse.
    if gone and len(gone) < tree.words:
        out = {word - 1 for word in gone}
        tree = pruned(tree, gone)
        forms = [form for place, form in enumerate(forms) if place not in out]
    return forms, without_wrapper(tree)
