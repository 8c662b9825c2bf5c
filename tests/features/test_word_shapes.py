"""Word shapes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.features.word_shapes import (
    CAPITALISED,
    LOWER,
    MIXED,
    SHAPES,
    UPPER,
    apply_shape,
    capitalise,
    mixed_forms,
    possible,
    shape_of,
)

MIXED_FORMS = mixed_forms(
    ["iPhone", "iPhone", "Iphone", "IPhone", "McX", "the", "UN", "I", "straße"]
)


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("the", LOWER), ("The", CAPITALISED), ("UN", UPPER), ("I", CAPITALISED), ("iPhone", MIXED),
        ("1990", LOWER), ("'Tis", CAPITALISED), ("我", LOWER), ("straße", LOWER), ("", LOWER),
    ],
)  # fmt: skip
def test_shapes_written_out(form: str, shape: int):
    assert shape_of(form) == shape
    if shape != MIXED:
        assert apply_shape(form.lower(), shape, {}) == form


def test_the_table_has_the_most_frequent_spelling():
    assert MIXED_FORMS == {"iphone": "iPhone", "mcx": "McX"}
    assert possible("iphone", MIXED_FORMS).tolist() == [True] * SHAPES
    assert apply_shape("iphone", MIXED, MIXED_FORMS) == "iPhone"


def test_what_a_word_cannot_be():
    assert possible("我", {}).tolist() == [True, False, False, False]
    assert possible("i", {}).tolist() == [True, True, False, False]
    assert possible("1a", {}).tolist() == [True, True, False, False]
    assert possible("the", {}).tolist() == [True, True, True, False]


@given(st.text(max_size=12))
def test_only_the_case_of_letters_changes(text: str):
    low = text.lower()
    for shape in range(SHAPES):
        if possible(low, {})[shape]:
            reshaped = apply_shape(low, shape, {})
            assert len(reshaped) == len(low)
            assert all(a == b or a == b.upper() for a, b in zip(reshaped, low, strict=True))
            assert reshaped.lower() == low.lower()


def test_a_capital_of_two_characters_is_none():
    assert capitalise("ßa") == "ßa"
    assert apply_shape("straße", UPPER, {}) == "STRAßE"


@pytest.mark.parametrize("form", ["ısı", "µg", "ſo", "aσ"])
def test_a_capital_of_another_letter_is_none(form: str):
    """Examples are the Turkish dotless i, micro, the long s, a non-final sigma."""
    assert capitalise(form).lower() == form.lower()
    assert apply_shape(form, UPPER, {}).lower() == form.lower()
    assert apply_shape("λόγος", UPPER, {}) == "ΛΌΓΟΣ"
