"""Rewriting of the text between two words."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks.quotes import Gap, kept_tokens
from semipunct.marks.quotes import rewritten as rewritten_pieces


def rewritten(*args: Any) -> str:
    return "".join(rewritten_pieces(*args))


def test_what_stays_keeps_its_surroundings():
    gap = Gap((",", "—"), (",", "—"), ("", "\t", "  "))
    assert rewritten(gap, (",", "—"), [False, True, True]) == ",\t—  "
    assert rewritten(gap, (",",), [False, True]) == ",\t"
    assert rewritten(gap, ("—",), [True, True]) == "\t—  "
    assert rewritten(gap, (",", ")", "—"), [False, False, True, True]) == ",)\t—  "


def test_a_straight_mark_that_stays_is_spelt_as_it_was():
    gap = Gap(("“",), ('"',), (" ", ""))
    assert rewritten(gap, (",", "“"), [False, True, False]) == ', "'


def test_what_is_more_than_a_space_is_never_lost():
    gap = Gap((), (), ("\n\t",))
    assert rewritten(gap, (",",), [False, True]) == ",\n\t"
    assert rewritten(gap, ("/",), [False, False]) == "/\n\t"
    assert rewritten(Gap((), (), ("",)), (",",), [False, True]) == ", "


def test_edges_stay_outside():
    assert rewritten(Gap((), (), ("  ",), opens=True), ("“",), [False, False]) == "  “"
    assert rewritten(Gap(("!",), ("!",), ("", "\r\n"), closes=True), ("?",), [False, False]) == (
        "?\r\n"
    )
    assert rewritten(Gap(("!",), ("!",), ("", "\r\n"), closes=True), (), [False]) == "\r\n"
    assert rewritten(Gap((), (), ("\t",), opens=True, closes=True), (",",), [False] * 2) == "\t,"


TOKENS = st.lists(st.sampled_from([",", ".", "“", "("]), max_size=4).map(tuple)
SPACES = st.sampled_from(["", " ", "  ", "\t", "\n "])


@given(st.data(), TOKENS, TOKENS, st.booleans(), st.booleans())
def test_all_marks_are_written_and_all_of_what_is_no_space(data, old, new, opens, closes):
    spaces = tuple(data.draw(SPACES) for _ in range(len(old) + 1))
    row = [data.draw(st.booleans()) for _ in range(len(new) + 1)]
    pieces = rewritten_pieces(Gap(old, old, spaces, opens, closes), new, row)
    assert tuple(pieces[1::2]) == new
    found = "".join(pieces)
    assert "".join(found.split()) == "".join(new)
    for char in "\t\n":
        assert found.count(char) == "".join(spaces).count(char)


@given(TOKENS, TOKENS)
def test_tokens_that_are_kept_are_the_same_ones_in_order(old, new):
    found = kept_tokens(old, new)
    numbers = [number for number in found if number]
    assert numbers == sorted({*numbers})
    assert all(old[number - 1] == token for number, token in zip(found, new, strict=True) if number)
