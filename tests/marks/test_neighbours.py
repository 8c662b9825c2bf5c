"""Marks that may stand beside the marks of words."""

import pytest

from semipunct.marks.spacing import may_stand_between
from semipunct.marks.tokens import is_emoticon, is_picture


@pytest.mark.parametrize(
    ("string", "before", "after"),
    [
        (".", "Yahoo!", "in"), ("?", "Yahoo!", ""), (". ”", "Yahoo!", ""), (",", "fell,", "then"),
        (".", "anna:", "hey"), (",", "fell.", "then"), ("”", 'said"', ""), ("“", "a", "“b"),
        (".", ":)", ""), ("!", "😀", ""), ("。", "吗？", ""), ("-", "a-", "b"),
    ],
)  # fmt: skip
def test_no_mark_is_doubled(string: str, before: str, after: str):
    assert not may_stand_between(tuple(string.split()), before, after)


@pytest.mark.parametrize(
    ("string", "before", "after"),
    [
        (",", "Yahoo!", "which"), (".", "c)", ""), ("”", "Yahoo!", ""), (".", "%", ""),
        ("", "a.", ""),
        (",", "up", ":)"), (",", "use", ".NET"), ("“", "said", "b"), (",", ":)", "then"),
        (".", "20°", ""), (".", "etc", ""), ("—", "self", "that"), (",", "", "b"),
        ('"', "boys'", ""),
    ],
)  # fmt: skip
def test_other_marks_may_stand(string: str, before: str, after: str):
    assert may_stand_between(tuple(string.split()), before, after)


def test_emoticons_and_pictures():
    faces = ":) :-) ;( :D :P (: :)) <3 ^_^ ¯\\_(ツ)_/¯ :'( =) :/ :3"
    assert all(map(is_emoticon, faces.split()))
    words_and_marks = ") :: ( 8) .) :. . , 3:) -- <4 :Don a:)"
    assert not any(map(is_emoticon, words_and_marks.split()))
    assert all(map(is_picture, ("😀", "❤️", "⚠", "👩‍👩‍👧")))
    assert not any(map(is_picture, ("°", "©", "a😀", "%", "!", "字")))
