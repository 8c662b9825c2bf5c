import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import (
    SILENT,
    is_symmetric,
    is_unmatched,
    with_boundaries,
    without_boundaries,
)
from semipunct.marks.tokens import carries_dot

PUNCTEMES = st.lists(st.sampled_from([*"“”()[],.-"])).map(tuple)


@pytest.mark.parametrize(
    "left, right, expected",
    [
        ("(", ")", True),
        ("(“", "”)", True),
        (",“", "”,", True),
        ("-", "-", True),
        ("(“", ")”", False),
        ("(", "", False),
        ("", "", False),
        (")", "(", False),
        (".", ".", False),
    ],
)
def test_symmetry(left, right, expected):
    assert is_symmetric(tuple(left), tuple(right)) is expected


@pytest.mark.parametrize(
    "left, right, expected",
    [
        ("", "", False),
        ("", ",", False),
        ("(", ")", False),
        (",(", ")", False),
        ("“", ".”", False),
        ("(", "", True),
        ("", "”", True),
        ("(", "”", True),
        ("“(", "”)", True),
    ],
)
def test_matching(left, right, expected):
    assert is_unmatched(tuple(left), tuple(right)) is expected


@given(PUNCTEMES, PUNCTEMES)
def test_tokens_without_partners_do_not_matter_to_matching(left, right):
    def bare(tokens):
        return [token for token in tokens if token not in ",.-"]

    assert is_unmatched(left, right) == is_unmatched(bare(left), bare(right))
    if is_symmetric(left, right):
        assert not is_unmatched(left, right)


def test_boundary_marks_are_put_around_a_sentence():
    slots = [("“",), (), ("<abbr>", ".")]
    assert with_boundaries(slots) == [("^", "“"), (), ("<abbr>", ".")]
    assert with_boundaries(slots, final=True) == [("^", "“"), (), ("<abbr>", ".", "$")]
    assert with_boundaries([()], final=True) == [("^", "$")]
    marked = with_boundaries(slots, final=True)
    assert [without_boundaries(string) for string in marked] == slots
    assert {"^", "$", "<abbr>"} == SILENT


def test_words_that_carry_the_dot_of_an_abbreviation():
    forms = ["Mr.", "3.", "½.", "%.", "(.", "..", ".", "Mr", ""]
    assert [form for form in forms if carries_dot(form)] == ["Mr.", "3.", "½."]
