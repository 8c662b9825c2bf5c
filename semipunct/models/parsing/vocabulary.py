"""Words, tags and relations of training, as codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence
from semipunct.features.characters import ngrams, shape

Codes = npt.NDArray[np.int32]

_REMEMBERED = 2**17
"""Forms whose n-grams are looked up once."""

TAGS = ("upos", "xpos", "feats")
"""The columns of a sentence that are predicted beside its tree, in the order of their codes."""


MOST = 20
"""N-grams of a word that count: those that come first."""


class ParserVocabulary(msgspec.Struct, frozen=True, dict=True):
    """The strings that have codes: value i of a kind has code i + 1, all others have 0.

    Attributes:
        word: frequent forms in lower case.
        ngram: character n-grams that several forms share.
        shape: shapes of words that several forms share.
        upos, xpos, feats: values of these columns.
        relation: relations.
    """

    word: tuple[str, ...]
    ngram: tuple[str, ...]
    shape: tuple[str, ...]
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
            minimum_ngram_forms: n-grams and shapes of fewer different forms have none.
        """
        words = Counter(form.lower() for s in sentences for form in s.forms)
        frequent = (word for word, count in words.items() if count >= minimum_word_count)
        forms = {form for s in sentences for form in s.forms}
        pieces = Counter(piece for form in forms for piece in ngrams(form))
        shapes = Counter(shape(form) for form in forms)
        shared, common = (
            (value for value, count in counts.items() if count >= minimum_ngram_forms)
            for counts in (pieces, shapes)
        )
        tags = ({value for s in sentences for value in getattr(s, kind)} for kind in TAGS)
        relations = {name for s in sentences for name in s.tree.relations}
        found = (frequent, shared, common, *tags, relations)
        return cls(*(tuple(sorted(values)) for values in found))

    @cached_property
    def _code(self) -> dict[str, dict[str, int]]:
        kinds = self.__struct_fields__
        return {kind: {v: i for i, v in enumerate(getattr(self, kind), 1)} for kind in kinds}

    def size(self, kind: str) -> int:
        """Return the number of codes of a kind, that of all other strings included."""
        return len(getattr(self, kind)) + 1

    def codes(self, kind: str, values: Iterable[str]) -> Codes:
        """Return the codes of strings.

        Args:
            kind: an attribute.
            values: strings of that kind.
        """
        table = self._code[kind]
        return np.array([table.get(value, 0) for value in values], np.int32)

    def words(self, forms: Iterable[str]) -> Codes:
        """Return the codes of word forms, whatever their case."""
        return self.codes("word", (form.lower() for form in forms))

    def shapes(self, forms: Iterable[str]) -> Codes:
        """Return the codes of the shapes of words."""
        return self.codes("shape", map(shape, forms))

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

    def unseen(self, sentences: Sequence[Sentence]) -> dict[str, Counter[str]]:
        """Count the values of tags and relations that have no code, by kind and value."""
        values: dict[str, Iterable[str]] = {
            "upos": (v for s in sentences for v in s.upos),
            "xpos": (v for s in sentences for v in s.xpos),
            "relation": (v for s in sentences for v in s.tree.relations),
        }
        return {
            kind: Counter(v for v in found if v not in self._code[kind])
            for kind, found in values.items()
        }
