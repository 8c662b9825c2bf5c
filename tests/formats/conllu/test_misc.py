import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.formats.conllu.misc import attributes, escape, unescape, with_attributes

VALUES = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.sampled_from("abcXYZ:.-_"), min_size=1)


@given(VALUES)
def test_escaping_can_be_undone(value):
    escaped = escape(value)
    assert unescape(escaped) == value
    assert not set(escaped) & set("|=\t\n\r ")
    assert not any(char.isspace() for char in escaped)


@given(st.dictionaries(KEYS, VALUES), st.dictionaries(KEYS, VALUES))
def test_new_values_win_and_old_ones_stay(old, new):
    column = with_attributes(with_attributes("_", old), new)
    assert attributes(column) == {**old, **new}
    assert list(attributes(column)) == list({**old, **new})


@pytest.mark.parametrize(
    "column, added, expected",
    [
        ("_", {}, "_"),
        ("_", {"A": "1"}, "A=1"),
        ("SpaceAfter=No", {"A": "1"}, "SpaceAfter=No|A=1"),
        ("A=0|B=2", {"A": "1"}, "A=1|B=2"),
        ("A=0|B=2|A=3", {"A": "1"}, "A=1|B=2"),
        ("bare|A=x=y", {"B": ""}, "bare|A=x=y|B="),
        ("", {"A": "1"}, "A=1"),
    ],
)
def test_columns(column, added, expected):
    assert with_attributes(column, added) == expected


def test_foreign_values_need_not_be_escapes():
    assert attributes("Gloss=5%|Bare|Odd=%FF") == {"Gloss": "5%", "Bare": "", "Odd": "%FF"}


@pytest.mark.parametrize("key", ["", "a b", "a|b", "a=b", "a\tb"])
def test_a_key_that_would_break_the_column_is_refused(key):
    with pytest.raises(UsageError, match="cannot be the name of a MISC attribute"):
        with_attributes("_", {key: "1"})
