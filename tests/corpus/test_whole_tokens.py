"""Addresses, markup and numbers in text."""

import time

import pytest

from semipunct.corpus.fixed_parts import whole_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://x.org/a,b?c=(d)#e.", ["https://x.org/a,b?c=(d)#e"]),
        ("(https://x.org/a_(b)), https://x.org/a) www.x.org/[c].",
         ["https://x.org/a_(b)", "https://x.org/a", "www.x.org/[c]"]),
        ("(www.x.org), ftp://y.z/", ["www.x.org", "ftp://y.z/"]),
        ("见https://x.org/好。", ["https://x.org/"]),
        ("to a.b+c@d-e.org.", ["a.b+c@d-e.org"]),
        ('<a href="http://x.y">', ['<a href="http://x.y">']),
        ('<a href="x y">now</a> a < b > c', ['<a href="x y">', "</a>"]),
        ("Anna <a.b@c.org>, <b>", ["a.b@c.org", "<b>"]),
        ('<a href="mailto:a@b.org"> <!--@-->', ['<a href="mailto:a@b.org">', "<!--@-->"]),
        ("1.000,50 10:30 1990-1995 3 kg. 3.", ["1.000,50", "10:30", "1990-1995"]),
        ("@anna #dos # 1 a@ b#c", ["@anna", "#dos"]),
        ("so, it is: over.", []),
    ],
)  # fmt: skip
def test_places(text: str, expected: list[str]):
    assert [text[a:b] for a, b in whole_tokens(text)] == expected


@pytest.mark.parametrize("char", ["w", "1", "<a", "a.", "1.", "@", "://", "x@", "<"])
def test_time_grows_with_length(char: str):
    began = time.process_time()
    list(whole_tokens(char * 20_000))
    assert time.process_time() - began < 1
