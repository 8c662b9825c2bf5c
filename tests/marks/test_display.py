"""Symbols for display: names of special tokens are never shown as text."""

import pytest

from semipunct.marks import ABBREVIATION, OPEN, START, UNK, display_form, legend, shown_string
from semipunct.marks.tokens import MEANINGS, SPECIAL_TOKENS, SYMBOLS


def test_every_special_token_that_output_may_hold_has_a_symbol_and_a_meaning():
    # The symbol of an empty window is internal to the channel.
    assert SYMBOLS.keys() == MEANINGS.keys() == SPECIAL_TOKENS - {START}
    assert len(set(SYMBOLS.values())) == len(SYMBOLS)
    for symbol in SYMBOLS.values():
        assert not set("<>[]") & set(symbol)
        assert not any(char.isalnum() or char.isspace() for char in symbol)


@pytest.mark.parametrize("token", [",", "”", "-LRB-", "<<"])
def test_marks_of_a_text_are_shown_as_they_are(token: str):
    assert display_form(token) == token


def test_strings():
    assert shown_string((ABBREVIATION, ".")) == ".° ."
    assert shown_string((), "nothing") == "nothing"
    assert shown_string(()) == ""


def test_a_legend_explains_what_occurs():
    assert legend([",", "."]) == ""
    assert legend([UNK, ABBREVIATION, UNK]) == (
        ".° the period of an abbreviation; ▢ a mark too rare for the model to tell from others"
    )
    assert legend([OPEN]).startswith("◌ any string of marks")
