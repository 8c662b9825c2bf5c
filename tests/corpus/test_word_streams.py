"""Running text is cut into words and marks that add up to it, in any script."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.word_streams import MARKS, items, tokens, word_stream

CASES = {
    'He said, "I\'m self-aware--no…" (50%).': (
        'He said , “ I\'m self-aware -- no … ” ( 50% ) .'
    ),
    "¿Qué? ¡No! word—word": "¿ Qué ? ¡ No ! word — word",
    "「你好」，他说：GPU测试3.5版。": "「 你 好 」 ， 他 说 ： GPU 测 试 3.5 版 。",
    "see http://a.b/c?d=e, x@y.org.": "see http://a.b/c?d=e , x@y.org .",
    "Wait... what?!": "Wait ... what ? !",
    "#tag & him/her at 10:02": "#tag & him/her at 10:02",
    "a。.،你": "a 。 . ، 你",
    "GDP,中国.5年 (1,000) 元,1月": "GDP , 中 国 . 5 年 ( 1,000 ) 元 , 1 月",
    "--": "--",
    "": "",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_words_and_marks(text: str):
    pieces = [mark or text[start:end] for start, end, mark in tokens(text)]
    assert pieces == CASES[text].split()


@given(st.text(st.sampled_from("ab é你،。…-—.,'\"(¿ \n\t\x00\u0301"), max_size=40))
def test_tokens_are_all_that_is_not_blank(text: str):
    tokens_found = list(tokens(text))
    edges = [place for start, end, _ in tokens_found for place in (start, end)]
    assert edges == sorted(edges)
    assert all(start < end for start, end, _ in tokens_found)
    covered = "".join(text[start:end] for start, end, _ in tokens_found)
    assert covered == "".join(c for c in text if not (c.isspace() or c == "\x00"))
    for start, end, mark in tokens_found:
        assert not mark or set(text[start:end]) <= MARKS
        assert mark or set(text[start:end]) - MARKS


def test_a_stream_is_the_words_and_what_stands_between_them():
    stream = word_stream("a.txt", items(["“One two.”\n", "\n", "Three,"] * 3))
    words = [stream.forms[i] for i in stream.words]
    slots = [stream.strings[i] for i in stream.slots]
    assert words == ["One", "two", "Three"] * 3
    assert slots == [("“",), (), (".", "”"), *[(",", "“"), (), (".", "”")] * 2, (",",)]
    parts = stream.passages(4)
    assert [(p.start, p.stop, p.choices) for p in parts] == [(0, 4, 5), (4, 8, 5), (8, 9, 2)]
    assert stream.digest != word_stream("a.txt", items(["One two. Three,"] * 3)).digest


def test_long_streams_are_mapped_from_files():
    stream = word_stream("a.txt", (w for _ in range(100_000) for w in ("a", "b", "\0.")))
    assert isinstance(stream.words, np.memmap)
    assert len(stream) == 200_000
    assert np.bincount(stream.words).tolist() == [100_000, 100_000]
    assert np.bincount(stream.slots).tolist() == [100_001, 100_000]
