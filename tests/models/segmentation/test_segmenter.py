"""Texts of any length, segmented in windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.located import BLANKS
from semipunct.models.segmentation import segmenter
from semipunct.models.segmentation.segmenter import Segmenter

TEXT = "So, ba Mo do. Al li.e gu ke.\n\nSo do\tdo " * 5


def test_windows_make_no_difference(untrained: Segmenter, monkeypatch: pytest.MonkeyPatch):
    texts = [TEXT, TEXT[:7], "", TEXT[3:100]]
    whole = untrained.segment(texts)
    score = untrained._scores(untrained.parameters, texts)
    monkeypatch.setattr(segmenter, "WINDOW", 16)
    monkeypatch.setattr(segmenter, "_ROWS", (8,))
    for small, large in zip(untrained._scores(untrained.parameters, texts), score, strict=True):
        np.testing.assert_allclose(small, large, atol=1e-4)
    assert untrained.segment(texts) == whole
    assert 1 < len(whole[0].sentences) < len(whole[0].tokens)


def test_texts_do_not_depend_on_their_company(untrained: Segmenter):
    texts = [TEXT[i : i + 5 * i] for i in range(1, 30, 7)]
    together = untrained.segment(texts)
    assert together == [untrained.segment([text])[0] for text in texts]


@given(st.text(max_size=40))
def test_every_character_but_blanks_is_in_one_token(untrained: Segmenter, text: str):
    for segmentation in untrained.segment([text]):
        inside = np.zeros(len(segmentation.text), int)
        for start, end in segmentation.tokens:
            assert not BLANKS.match(segmentation.text[start])
            assert not BLANKS.match(segmentation.text[end - 1])
            inside[start:end] += 1
        assert inside.max(initial=0) <= 1
        for char, covered in zip(segmentation.text, inside, strict=True):
            assert covered or BLANKS.match(char)
        assert not segmentation.ends or segmentation.ends[-1]


def test_an_address_is_one_token(untrained: Segmenter):
    address = "https://x.org/a?b=c&d=e"
    (segmentation,) = untrained.segment([f"So {address}, ba"])
    assert any(start <= 3 and end >= 3 + len(address) for start, end in segmentation.tokens)


def test_a_long_text_is_cut_at_blanks(untrained: Segmenter, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(segmenter, "LONGEST", 40)
    parts = [part.text for part in segmenter._parts(0, TEXT)]
    assert "".join(parts) == TEXT
    assert all(len(part) <= 40 and BLANKS.match(part[-1]) for part in parts)
    word = "w" * 100
    assert [len(part.text) for part in segmenter._parts(0, word)] == [40, 40, 20]
    (segmentation,) = untrained.segment([TEXT])
    assert segmentation.tokens[-1][1] == len(TEXT.rstrip())


def test_marks_are_told_by_characters_or_by_the_table(untrained: Segmenter):
    assert untrained.is_mark("...")
    assert not untrained.is_mark("a.")
    assert untrained.words("al") == ("a", "el")
