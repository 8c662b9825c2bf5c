"""Capitals of addresses, mentions, tags and code have a meaning, and are never changed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import semipunct
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


def test_a_text_model_leaves_them(text_model: Path):
    model = semipunct.load(text_model, "text")
    assert model.restore("so ba but do") == "So ba, but do."
    for fixed in ("http://a.b/so", "so@x.org", "@so", "#so", "`so`", "`so ba so`"):
        text = model.restore(f"{fixed} ba but do so gu")
        assert text.startswith(fixed)
        assert "So gu" in text
    assert model.restore("<b>so</b> ba but do so gu").startswith("<b>")
