"""Word properties that the supertagger uses, and counts of the categories of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipunct.corpus.sentences import Sentence
from semipunct.models.vocabulary import Codes, Vocabulary, frequent_by_kind

CODES = ("word", "prefix", "suffix", "end", "shape", "tag")
"""The properties of a word, in the order of its codes."""

_DIGITS = re.compile(r"\d")
_SHAPE = ((re.compile(r"[A-Z]"), "X"), (re.compile(r"[a-z]"), "x"), (re.compile(r"\d"), "0"))
_RUN = re.compile(r"(.)\1+")


class WordVocabulary(Vocabulary, frozen=True, dict=True):
    """The known values of the properties of ``CODES``."""

    word: tuple[str, ...]
    prefix: tuple[str, ...]
    suffix: tuple[str, ...]
    end: tuple[str, ...]
    shape: tuple[str, ...]
    tag: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[Any]], minimum: int) -> WordVocabulary:
        """Collect the known values of training sentences.

        Args:
            sentences: sentences with Penn Treebank tags.
            minimum: minimum count of a value.
        """
        return cls(**frequent_by_kind(map(properties, sentences), CODES, minimum))

    def encode(self, sentences: Sequence[Sentence[Any]]) -> list[Codes]:
        """Return the codes of each sentence, ``[CODES, n]``."""
        return [self.rows(properties(s), CODES) for s in sentences]


def properties(sentence: Sentence[Any]) -> dict[str, list[str]]:
    """Return the properties of the words of a sentence, by name.

    Args:
        sentence: words and marks, with tags.
    """
    plain = [_DIGITS.sub("0", form) for form in sentence.forms]
    lower = [form.lower() for form in plain]
    return {
        "word": lower,
        "prefix": [form[:3] for form in lower],
        "suffix": [form[-3:] for form in lower],
        "end": [form[-2:] for form in lower],
        "shape": [_shape(form) for form in sentence.forms],
        "tag": list(sentence.xpos),
    }


def _shape(form: str) -> str:
    for pattern, letter in _SHAPE:
        form = pattern.sub(letter, form)
    return _RUN.sub(r"\1\1", form[:20])


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Counts of categories from which training charts are built.

    The category distribution of a word is smoothed by that of its tag in the context of the
    neighbouring tags, which in turn is smoothed by that of the tag. The word occurrence in question
    is not counted, so that the charts resemble those of unseen words.

    Attributes:
        counts: counts of categories for each tag, for each tag with its neighbours, and for each
            word with its tag.
    """

    counts: tuple[dict[Any, Counter[int]], ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence[Any]], categories: Sequence[Sequence[int]]) -> Lexicon:
        """Count the categories of training sentences.

        Args:
            sentences: the training sentences.
            categories: for each sentence ``[n]`` the categories of its words.
        """
        lexicon = cls(({}, {}, {}))
        for s, gold_categories in zip(sentences, categories, strict=True):
            for keys, category in zip(_keys(s), gold_categories, strict=True):
                for table, key in zip(lexicon.counts, keys, strict=True):
                    table.setdefault(key, Counter())[category] += 1
        return lexicon

    def candidates(
        self, s: Sentence[Any], gold_categories: Sequence[int], ratio: float, most: int
    ) -> list[list[int]]:
        """Return the categories of each word in a training chart, always including the gold one.

        Args:
            s: a training sentence.
            gold_categories: ``[n]`` its gold categories.
            ratio: minimum probability of a category, relative to that of the best one.
            most: maximum number of categories, besides the gold one.
        """
        candidates_of_words: list[list[int]] = []
        for keys, category in zip(_keys(s), gold_categories, strict=True):
            scores: dict[int, float] = {}
            for table, key, base in zip(self.counts, keys, _SMOOTHING, strict=True):
                counts = table[key]
                total = counts.total() - 1 + base
                scores = {candidate: p * base / total for candidate, p in scores.items() if total}
                for candidate, n in counts.items():
                    left = n - (candidate == category)
                    if left:
                        scores[candidate] = scores.get(candidate, 0.0) + left / total
            ordered = sorted(scores, key=lambda c: (-scores[c], c))[:most]
            best = scores[ordered[0]] if ordered else 0.0
            candidates_of_words.append(
                sorted({*(c for c in ordered if scores[c] >= ratio * best), category})
            )
        return candidates_of_words


def _keys(s: Sentence[Any]) -> list[tuple[Any, ...]]:
    tags = ("", *s.xpos, "")
    lower = properties(s)["word"]
    return [(tags[i + 1], tags[i : i + 3], (word, tags[i + 1])) for i, word in enumerate(lower)]


_SMOOTHING = (0.0, 5.0, 3.0)
"""The pseudo-count of the coarser distribution, for the tag, the context and the word."""
