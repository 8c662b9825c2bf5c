"""Categories: reading, writing, decomposition, and the rules that relate them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.papers.ccg.derivations import Category, Part, agree, combinator, parse_category


def test_a_category_written_out():
    verb = parse_category(r"(S[dcl]\NP_1)/NP")
    assert verb.parts == (
        Part("/"), Part("\\"), Part("S", ("dcl",)), Part("NP", (), "1"), Part("NP"),
    )  # fmt: skip
    assert (verb.is_functor, verb.slash) == (True, "/")
    assert str(verb.result) == r"S[dcl]\NP_1"
    assert (verb.result.argument.parts, str(verb.argument)) == ((Part("NP", (), "1"),), "NP")
    assert str(verb.without_coindices()) == r"(S[dcl]\NP)/NP"
    assert str(verb.without_coindices().without_features()) == r"(S\NP)/NP"
    conjunct = parse_category(r"(S\NP)\(S\NP)[conj]")
    assert conjunct.is_conjunct
    assert str(conjunct.without_conjunction()) == r"(S\NP)\(S\NP)"


@pytest.mark.parametrize(
    "text",
    [
        "NP", "NP[nb]", "S[dcl][conj]", ",", "conj", "LRB", "PP_12", "NP_10:B",
        "NP[nb]_29/N_29", r"(S[dcl]\NP_10)/(S[b]_11\NP_10:B)_11", r"((S_1\NP_2)_1\(S_1\NP_2)_1)/NP",
        r"S[dcl]\NP[conj]", r"S\(NP[conj])", r"X/((Y/Z)[conj])", r"(S\NP[conj])/NP",
        "S[em]/S[X]",
    ],
)  # fmt: skip
def test_what_is_read_is_written(text: str):
    assert str(parse_category(text)) == text


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "the end"), ("(", "the end"), ("S/", "the end"), ("(S/NP", "the end"),
        (r"S\NP)", r"character 5 \('\)'\)"), ("S[", "character 2"), ("S[dcl", "character 2"),
    ],
)  # fmt: skip
def test_what_is_no_category(text: str, where: str):
    with pytest.raises(UsageError, match=f"is not a category: {where}.* is unexpected; give atoms"):
        parse_category(text)


features = st.lists(st.sampled_from(["dcl", "nb", "conj"]), max_size=2).map(tuple)
coindices = st.sampled_from(["", "", "1", "20:B"])
atoms = st.builds(Part, st.sampled_from(["S", "NP", ",", "conj"]), features, coindices)
functors = st.builds(Part, st.sampled_from("/\\"), features, coindices)
categories = st.recursive(
    atoms.map(lambda part: (part,)),
    lambda inner: st.tuples(functors, inner, inner).map(lambda t: (t[0], *t[1], *t[2])),
    max_leaves=6,
).map(Category)


@given(categories)
def test_what_is_written_is_read(category: Category):
    assert parse_category(str(category)) == category
    if "[conj]" not in str(category):  # which belongs to another category inside brackets
        assert parse_category(f"({category})") == category


@given(categories, categories, functors)
def test_a_functor_has_a_result_and_an_argument(a: Category, b: Category, part: Part):
    whole = Category((part, *a.parts, *b.parts))
    assert (whole.result, whole.argument, whole.slash) == (a, b, part.symbol)
    bare = whole.without_coindices().without_features()
    assert agree(whole, whole)
    assert agree(whole, bare)


@pytest.mark.parametrize(
    ("result", "children", "sign"),
    [
        ("NP", ("NP[nb]/N", "N"), ">"),
        ("S[dcl]", ("NP", r"S[dcl]\NP"), "<"),
        (r"S[adj]\NP", (r"(S[X]\NP)/(S[X]\NP)", r"S[adj]\NP"), ">"),
        ("S[dcl]/NP", (r"S[X]/(S[X]\NP)", r"(S[dcl]\NP)/NP"), ">B"),
        (r"S\NP", (r"NP\NP", r"S\NP"), "<B"),
        (r"(S[b]\NP)/NP", (r"(S[b]\NP)/NP", r"(S\NP)\(S\NP)"), "<Bx"),
        (r"S\NP", ("S/S", r"S\NP"), ">Bx"),
        (r"(S\NP)/NP", (r"(S\NP)/NP", r"((S\NP)\(S\NP))/NP"), "<Sx"),
        (r"S[X]/(S[X]\NP)", ("NP",), ">T"),
        (r"(S\NP)\((S\NP)/NP)", ("NP",), "<T"),
        ("NP", ("N",), "*"),
        ("NP[conj]", (",", "NP"), "Φ"),
        ("NP", ("NP", "NP[conj]"), "Φ"),
        ("S[dcl]", ("S[dcl]", "."), ","),
        (r"(S\NP)\(S\NP)", (",", "NP"), "T,"),
        ("S", ("NP", "NP"), "?"),
    ],
)
def test_rules(result: str, children: tuple[str, ...], sign: str):
    found = combinator(parse_category(result), [parse_category(each) for each in children])
    assert found.sign == sign
