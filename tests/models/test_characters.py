"""Character n-grams of words, and their codes."""

from __future__ import annotations

import numpy as np

from semipunct.models.forms import ngrams, shape
from semipunct.models.parsing.vocabulary import ParserVocabulary
from tests.models.parsing.treebank import planted


def test_ngrams_written_out():
    assert ngrams("ab") == [
        "pa", "fb", "pab", "fab", "pab>", "f<ab",
        "3<ab", "3ab>", "2<a", "2ab", "2b>", "1<", "1a", "1b", "1>",
    ]  # fmt: skip


def test_shapes_written_out():
    words = ["walking", "Walking", "IBM", "iPad", "I", "1998", "3.50", "12,000,000", "\u4f60\u597d"]
    shapes = ["aa", "Aaa", "AA", "aAaa", "A", "0000", "0-00", "00-000-0", "xx"]
    assert [shape(word) for word in words] == shapes


def test_a_long_word_has_few_ngrams():
    assert len(ngrams("x" * 10_000 + "y")) < 20
    assert len(ngrams("".join(map(chr, range(0x4E00, 0x4E00 + 5000))))) < 250


def test_codes_are_of_ngrams_that_forms_share():
    vocabulary = ParserVocabulary.of(planted(10, 0), 1, 2)
    forms = sorted({form for s in planted(10, 0) for form in s.forms})
    rows = vocabulary.ngrams([*forms, "zzqqy"])
    assert rows.shape == (len(forms) + 1, vocabulary.most)
    for form, row in zip(forms, rows.tolist(), strict=False):
        pieces = [vocabulary.ngram[code - 1] for code in row if code]
        assert (
            pieces
            == [piece for piece in ngrams(form) if piece in vocabulary.ngram][: vocabulary.most]
        )
        assert all(sum(piece in ngrams(form) for form in forms) > 1 for piece in pieces)
    assert vocabulary.ngrams([]).shape == (0, vocabulary.most)
    everything = ParserVocabulary.of(planted(10, 0), 1, 1)
    assert len(everything.ngram) > len(vocabulary.ngram)
    np.testing.assert_array_equal(everything.ngrams(["zzqqy"])[0, -1], 0)
