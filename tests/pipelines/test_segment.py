"""Plain text split into sentences that keep their positions."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Omitted, Words
from semipunct.corpus.located import RawText, is_within_word
from semipunct.models.segmentation.options import TokeniserOptions
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.pipelines.segmentation import segment
from tests.models.segmentation.passages import generated


@pytest.fixture(scope="module")
def model() -> SimpleNamespace:
    """A tokeniser with random segmentation, for properties that hold for any model."""
    fitted = Tokeniser.fit(
        generated(8, 0), TokeniserOptions(size=6, layers=2, minimum_run_count=1, minimum_count=1)
    )
    weights = {name: 3 * x for name, x in fitted.initial_parameters(5, 1.0).items()}
    return SimpleNamespace(model=fitted, parameters=weights)


CHARACTERS = st.one_of(st.characters(), st.sampled_from(list(' \t\r\n\0\ufeff.,"“”-al')))


@given(st.text(CHARACTERS, max_size=60))
def test_the_parts_of_a_text_are_the_text(model: SimpleNamespace, text: str):
    (found,) = segment(model, [text])
    assert "".join(s.text for s in found) == text
    assert [s.offset for s in found] == list(
        np.cumsum([0, *(len(s.text) for s in found)])[: len(found)]
    )
    # No sentence is without words, unless the text is.
    assert len(found) <= 1 or all(isinstance(s.content, Words) for s in found)
    for s in found:
        if isinstance(s.content, Words):
            assert s.punctuate(s.content.slots, None) == s.text
            assert all(text[s.offset + a : s.offset + b] for a, b in s.spans)


@pytest.mark.parametrize(
    "text",
    ["w" * 10_000, "word " * 5_000, "a", "\n", "?!", "שלום עולם", "\x01\t\x02 a\0b", "𐍈𐍉 ٪ \ufffd"],
)
def test_odd_texts_stay(model: SimpleNamespace, text: str):
    (found,) = segment(model, [text])
    assert "".join(s.punctuate() for s in found) == text
    if text.strip() in ("", "?!"):
        assert all(isinstance(s.content, Omitted) for s in found)


@pytest.mark.parametrize("text", ["al-ba/do al", 'ba"al, ba.do (al)ba', "al'ba-al-do", "ba'al"])
def test_marks_without_blanks_belong_to_the_word_around_them(model: SimpleNamespace, text: str):
    (found,) = segment(model, [text])
    for s in found:
        assert isinstance(s.content, Words)
        for slot, ((_, end), (start, _)) in enumerate(pairwise(s.spans), start=1):
            is_inside = " " not in s.text[end:start]
            assert not (is_inside and s.content.slots[slot])
            assert (slot in s.content.closed) == is_inside


def test_dashes_part_words_and_wide_marks_do(model: SimpleNamespace):
    assert [is_within_word(text, 1, len(text) - 1) for text in ("a-b", "a.b", "ab", "a’b")] == [
        True
    ] * 4
    outside = ("a b", "a—b", "a--b", "了，家", "了家", "a. b")
    assert not any(is_within_word(text, 1, len(text) - 1) for text in outside)


def test_what_is_whole_stays_whole(model: SimpleNamespace):
    whole = ["https://x.org/a?b=c", "1.000", "a.b@c.org", "#al"]
    text = "al " + " ba ".join(whole) + ", do."
    (found,) = segment(model, [text])
    places = [
        (s.offset + a, s.offset + b)
        for s in found
        for a, b in (*s.spans, *(mark for slot in s.marks for mark in slot))
    ]
    for part in whole:
        start = text.index(part)
        assert sum(a <= start and start + len(part) <= b for a, b in places) >= 1, part
    assert "".join(s.text for s in found) == text


def test_no_text(model: SimpleNamespace):
    assert segment(model, []) == []
    assert segment(model, [""]) == [[]]


def test_places_are_named(model: SimpleNamespace):
    (found,) = segment(model, [RawText("\n\nal ba", "x.txt", 4)])
    (first, *_) = found
    assert (first.content.path, first.content.line, first.content.sentence_id) == (
        "x.txt", 6, "#6.1",
    )  # fmt: skip
