"""Codes of words, tags and relations of training sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from semipunct.corpus.sentences import Sentence
from semipunct.models.forms import FormVocabulary
from semipunct.models.vocabulary import frequent

TAGS = ("upos", "xpos", "feats")
"""The columns of a sentence that are predicted together with its tree, in the order of their
codes."""


class ParserVocabulary(FormVocabulary, frozen=True, dict=True):
    """Known values of forms, and the values that are predicted.

    Attributes:
        upos, xpos, feats: values of these columns.
        relation: relations.
    """

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    relation: tuple[str, ...]

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], minimum_word_count: int, minimum_ngram_forms: int
    ) -> ParserVocabulary:
        """Collect the strings of training sentences.

        Args:
            sentences: words, tags and trees.
            minimum_word_count: rarer forms have no code of their own.
            minimum_ngram_forms: n-grams and shapes of fewer distinct forms have no code.
        """
        columns = {kind: {v for s in sentences for v in getattr(s, kind)} for kind in TAGS}
        relation = frequent((name for s in sentences for name in s.tree.relations), 1)
        return cls(
            **cls.of_forms([s.forms for s in sentences], minimum_word_count, minimum_ngram_forms),
            **{kind: frequent(values, 1) for kind, values in columns.items()},
            relation=relation,
        )

    def unseen(self, sentences: Sequence[Sentence]) -> dict[str, Counter[str]]:
        """Count the values of tags and relations that have no code, by kind and value."""
        values: dict[str, Iterable[str]] = {
            "upos": (v for s in sentences for v in s.upos),
            "xpos": (v for s in sentences for v in s.xpos),
            "relation": (v for s in sentences for v in s.tree.relations),
        }
        return {
            kind: Counter(v for v in found if not self.known(kind, v))
            for kind, found in values.items()
        }
