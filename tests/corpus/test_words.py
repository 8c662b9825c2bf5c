"""Words without tags and tree."""

import pytest

from semipunct.corpus import Words


def test_words_have_one_more_slot():
    words = Words("a", "text.txt", 3, ("Hello", "world"), ((), (",",), ("!",)))
    assert words.where == "text.txt:3: sentence a"
    with pytest.raises(ValueError, match=r"text.txt:3: sentence a: 2 words and 2 slots"):
        Words("a", "text.txt", 3, ("Hello", "world"), ((), ()))
    with pytest.raises(ValueError, match="0 words"):
        Words("a", "text.txt", 3, (), ((),))
