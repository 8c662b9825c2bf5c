"""Capitals of addresses, mentions, tags and code have a meaning, and are never changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.fixed_parts import LONGEST_CODE, Casing, divide_by_case


@pytest.mark.parametrize(
    "form, word",
    [
        ("http://a.b/c?d=e", ""),
        ("www.a.org", ""),
        ("anna@x.org", ""),
        ("@anna", ""),
        ("#tag", ""),
        ("`foo`", ""),
        ("<b>so</b>", "so"),
        ("<b><i>so</i>", "so"),
        ("<br>", ""),
        ("so</i>", "so"),
        ("so", "so"),
        ("so<b>ba</b>", ""),
    ],
)
def test_what_may_change(form: str, word: str):
    (parts,) = divide_by_case([form])
    assert parts.word == word
    assert "".join(parts) == form


def test_code_has_two_ends_near_each_other():
    assert [parts.word for parts in divide_by_case(["`so", "ba", "do`", "gu"])] == [
        "",
        "",
        "",
        "gu",
    ]
    far = ["`so", *["ba"] * LONGEST_CODE, "do`"]
    assert [parts.word for parts in divide_by_case(far)] == far
    assert divide_by_case(["`so", "ba"])[1] == Casing("", "ba", "")


@given(st.lists(st.text(st.sampled_from("ab`<>/@.:#"), min_size=1), max_size=40))
def test_nothing_is_lost(forms: list[str]):
    assert ["".join(parts) for parts in divide_by_case(forms)] == forms
