"""Vocabulary of words, tags and relations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from semipunct.corpus.sentences import Sentence
from semipunct.models.forms import FormVocabulary
from semipunct.models.vocabulary import Codes, frequent

TAGS = ("upos", "xpos", "feats")
"""The columns that are predicted together with the tree."""


class ParserVocabulary(FormVocabulary, frozen=True, dict=True):
    """Vocabulary of forms and of predicted values."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    relation: tuple[str, ...]
    combination: tuple[tuple[str, ...], ...]  # of values of ``TAGS``

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], minimum_word_count: int, minimum_ngram_forms: int
    ) -> ParserVocabulary:
        combination = {
            triple for s in sentences for triple in zip(s.upos, s.xpos, s.feats, strict=True)
        }
        columns = {kind: {triple[i] for triple in combination} for i, kind in enumerate(TAGS)}
        relation = frequent((name for s in sentences for name in s.tree.relations), 1)
        return cls(
            **cls.of_forms([s.forms for s in sentences], minimum_word_count, minimum_ngram_forms),
            **{kind: frequent(values, 1) for kind, values in columns.items()},
            relation=relation,
            combination=frequent(combination, 1),
        )

    @cached_property
    def combination_codes(self) -> Codes:
        """The codes of the combinations, ``[TAGS, combinations]``."""
        columns = zip(*self.combination, strict=True)
        return np.array([self.codes(*pair) for pair in zip(TAGS, columns, strict=True)])
