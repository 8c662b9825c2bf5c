"""Corrections: one for each changed slot, which together turn one punctuation into the other."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.marks.corrections import corrections

STRINGS = st.lists(st.sampled_from([",", ".", "”", ";"]), max_size=4).map(tuple)
SENTENCES = st.lists(st.tuples(STRINGS, STRINGS), min_size=1, max_size=5)


@pytest.mark.parametrize(
    "before, after, start, old, new, error",
    [
        ("", ",", 0, "", ",", "missing ,"),
        (",", "", 0, ",", "", "superfluous ,"),
        (", ,", ",", 1, ",", "", "doubled ,"),
        (". . .", ".", 1, ". .", "", "doubled . ."),
        ("” ,", ", ”", 0, "” ,", ", ”", "moved ” ,"),
        (",", ";", 0, ",", ";", "replaced , by ;"),
        (") , “", ") ; “", 1, ",", ";", "replaced , by ;"),
        (", .", ".", 0, ",", "", "superfluous ,"),
        ("”", ". ”", 0, "", ".", "missing ."),
        (", , ;", ", ;", 1, ",", "", "doubled ,"),
    ],
)
def test_what_changes_and_the_kind_of_the_error(before, after, start, old, new, error):
    slots = [(), tuple(before.split()), ()]
    (one,) = corrections(slots, [(), tuple(after.split()), ()])
    assert (one.slot, one.start, one.before, one.after, one.error) == (
        1, start, tuple(old.split()), tuple(new.split()), error
    )  # fmt: skip


@given(SENTENCES)
def test_they_lead_from_one_to_the_other(pairs):
    before, after = zip(*pairs, strict=True)
    edits = corrections(before, after)
    changed = list(before)
    for edit in edits:
        string = changed[edit.slot]
        assert string[edit.start : edit.stop] == edit.before
        changed[edit.slot] = (*string[: edit.start], *edit.after, *string[edit.stop :])
    assert tuple(changed) == after
    assert [edit.slot for edit in edits] == [i for i, (a, b) in enumerate(pairs) if a != b]


@given(SENTENCES)
def test_what_changes_is_as_short_as_it_can_be(pairs):
    for edit in corrections(*zip(*pairs, strict=True)):
        if edit.before and edit.after:
            assert edit.before[0] != edit.after[0]
            assert edit.before[-1] != edit.after[-1]
        assert (edit.kind == "missing") == (not edit.before)
        assert (edit.kind in ("superfluous", "doubled")) == (not edit.after)
        if edit.before and edit.after:
            assert (edit.kind == "moved") == (Counter(edit.before) == Counter(edit.after))


def test_slots_of_which_nothing_is_known_are_left_alone():
    assert corrections([(",",), (".",)], [None, (".",)]) == ()


def test_as_many_slots_before_and_after():
    with pytest.raises(UsageError, match="2 slots and 1 corrected"):
        corrections([(), ()], [()])
