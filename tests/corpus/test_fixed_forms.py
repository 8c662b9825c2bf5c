"""Words whose capitals have a meaning come back as they are given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.fixed_parts import fixed_forms

ADDRESSES = ["http://a.b/c?d=e", "www.a.org", "github.com/user/repo", "anna@x.org", "~/.bashrc"]
CODE = [r"c:\temp", "foo_bar", "__init__", "std::x", "foo.bar", "os.path.join", "node.js", "x.py"]
CAPITALS = ["fooBar", "iPhone", "McDonald", "HTMLParser", "$VAR", "%s", "{0}", "{{name}}"]
SIGNS = ["@anna", "#tag", "`foo`", "<br>", "so<b>ba</b>", "&lt;", "caf&eacute;", "--all", ".net"]
NUMBERS = ["10kg", "1st", "2.5kg", "$5m", "24-year-old", "10:30am"]
TEX = [r"\emph{word}", r"\LaTeX{}"]


@pytest.mark.parametrize("form", [*ADDRESSES, *CODE, *CAPITALS, *SIGNS, *NUMBERS, *TEX])
def test_fixed(form: str):
    assert fixed_forms(["so", form, "ba"]) == {1}


WORDS = [
    "so",
    "don't",
    "O'Neill",
    "jean-luc",
    "Jean-Luc",
    "and/or",
    "'tis",
    "NATO",
    "I'M",
    "éa",
    "你",
]
INITIALS = ["u.s", "e.g", "a.m", "ph.d", "b.sc", "ee.uu", "mp3", "covid-19"]


@pytest.mark.parametrize("form", [*WORDS, *INITIALS])
def test_free(form: str):
    assert not fixed_forms(["so", form, "ba"])


def test_code_of_several_words():
    assert fixed_forms(["`so", "ba", "do`", "gu"]) == {0, 1, 2}
    assert fixed_forms(["`so", "ba"]) == {0}


@given(st.lists(st.text(st.sampled_from("ab`<>/@.:#"), min_size=1), max_size=40))
def test_indices(forms: list[str]):
    assert fixed_forms(forms) <= {*range(len(forms))}
