"""Conversion of marks to words, and back."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Words
from semipunct.marks import ABBREVIATION
from semipunct.papers.commas.task import (
    interleave_marks,
    join_marks,
    slots_of_words,
    with_marks_as_words,
)

COMMAS = frozenset((",",))
SLOTS = st.lists(st.sampled_from([",", ".", "“", ")"]), max_size=3).map(tuple)


def test_a_sentence_written_out():
    words = Words("s", "x", 1, ("Mr", "A", "b"), ((), (ABBREVIATION,), (",", "”", ","), (".",)))
    with_words = with_marks_as_words(words, COMMAS)
    assert with_words.forms == ("Mr", "A", "''", "b", ".")
    assert with_words.slots == ((), (ABBREVIATION,), (",",), (",",), (), ())
    assert interleave_marks(with_words) == (["Mr.", "A", ",", "''", ",", "b", "."], [3, 5])


@given(st.lists(SLOTS, min_size=2, max_size=5))
def test_marks_come_back(slots: list[tuple[str, ...]]):
    words = Words("s", "x", 1, ("a",) * (len(slots) - 1), tuple(slots))
    with_words = with_marks_as_words(words, COMMAS)
    parts = slots_of_words(words, with_words.slots, COMMAS)
    back = [join_marks(slot, part, COMMAS) for slot, part in zip(slots, parts, strict=True)]
    assert replace(words, slots=tuple(back)) == words
