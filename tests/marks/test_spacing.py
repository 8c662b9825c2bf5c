import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import ABBREVIATION, FINAL, INITIAL
from semipunct.marks.spacing import (
    are_spaced,
    compound_slots,
    revised_spaces,
    slot_spaces,
    text,
    token_sides,
    visible,
)

TOKENS = [*",.“”\"'()¿?-—/，「」»«"]


def layout(pattern, words):
    """Split a pattern with `_` for words and tokens separated by spaces into forms and slots."""
    slots = [tuple(part.split()) for part in pattern.split("_")]
    return words.split(), slots


@pytest.mark.parametrize(
    "pattern, words, expected",
    [
        ("_ , _ _ .", "Yes I do", "Yes, I do."),
        ("“ _ ? ” _ _ .", "Why he asked", "“Why?” he asked."),
        ("\" _ , \" _ _ : ' _ ! '", "No he said Go", "\"No,\" he said: 'Go!'"),
        ("_ ( _ [ _ ] ) _", "a b c d", "a (b [c]) d"),
        ("_ — _ — _ ...", "a b c", "a — b — c..."),
        ("_ / _ ; _ ?!", "and or not", "and/or; not?!"),
        ("_ _ „ _ “ _", "Er sagte ja leise", "Er sagte „ja“ leise"),
        ("_ » _ « _ .", "Hun sagde ja", "Hun »sagde« ja."),
        ("_ ” _ ” _ .", "Hon sade ja", "Hon ”sade” ja."),
        ("_ » _ » _ .", "Hän sanoi niin", "Hän »sanoi» niin."),
        ("« _ » _ ‹ _ ›", "a b c", "«a» b ‹c›"),
        ("`` _ '' -LRB- _ -RRB-", "a b", "``a'' -LRB-b-RRB-"),
        ("¿ _ _ ? ¡ _ !", "Qué hora Dímelo", "¿Qué hora? ¡Dímelo!"),
        ("_ , ¿ _ _ ? ,", "Y qué tal", "Y, ¿qué tal?,"),
        ("_ ، _ ( _ _ ) ؟", "نعم هل هذا صحيح", "نعم، هل (هذا صحيح)؟"),
        ("_ _ । _ ॥", "यह घर है", "यह घर। है॥"),
        ("_ , _ 、 _ （ _ ） 。", "同樣 施力 大小 不同", "同樣,施力、大小（不同）。"),
        ("「 _ _ 」 _ ·  _ ！", "你 好 約翰 史密斯", "「你好」約翰·史密斯！"),
        ("_ _ 、 _ 。", "これ は ペン", "これは、ペン。"),
        ("_ _ , _ _", "在 1960 年 Google", "在1960,年Google"),
        ("_ , _ “ _ ” .", "한국 중국 美", "한국, 중국 “美”."),
        ("_ _ , _", "ภาษา ไทย ดี", "ภาษาไทย,ดี"),
    ],
)
def test_typography(pattern, words, expected):
    forms, slots = layout(pattern, words)
    assert text(forms, slots) == expected


def test_special_tokens():
    slots = [(INITIAL, "“"), (ABBREVIATION, "”"), (), (ABBREVIATION, ".", FINAL)]
    assert text(["Mr", "Smith", "etc"], slots) == "“Mr.” Smith etc.."
    assert visible(slots) == [("“",), ("”",), (), (".",)]


def test_known_spaces_win_between_words_only():
    slots = [(), (), (",",), ()]
    assert text(["can", "not", "x"], slots, [False, False, None]) == "cannot, x"
    assert text(["可", "以", "了"], [()] * 4, [True, None, None]) == "可 以了"


@pytest.mark.parametrize(
    "relations, heads, expected",
    [
        (("compound", "root"), (2, 0), [False, False]),
        (("root", "appos"), (0, 1), [True, True]),
        (("root", "flat"), (0, 1), [False, False]),
    ],
)
def test_hyphens_join_compounds(relations, heads, expected):
    compounds = compound_slots(heads, relations)
    for tokens, spaces in (
        (("-",), expected),
        (("--",), [True, True]),
        (("-", ","), [True, False, True]),
    ):
        rows = slot_spaces(["al", "Qaida"], [(), tokens, ()], compounds=compounds)
        assert rows[1] == spaces


def test_a_straight_mark_without_a_partner():
    assert token_sides([('"',), (), ("'",)]) == [["right"], [], ["left"]]
    assert token_sides([(), ('"',), ()]) == [[], ["right"], []]


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("a", "b", True),
        ("。", "a", False),
        ("字", "a", False),
        ("字", "한", True),
        ("ｶﾅ", "。", False),
        ("", "", True),
        ("ß", "🙂", True),
    ],
)
def test_scripts(before, after, expected):
    assert are_spaced(before, after) == expected
    assert are_spaced(after, before) == expected


class TestRevisedSpaces:
    """The original is w1 m2 w3 with given spaces; slot 1 changes."""

    def revised(self, tokens, numbers, middle, spaces):
        slots = [(), tokens, ()]
        rows = slot_spaces(["a", "b"], slots)
        units = [(0, 1), (1, *numbers, 3), (3, 0)]
        return revised_spaces(rows, slots, units, ["a", middle, "b"], spaces)[1]

    def test_a_space_comes_back(self):
        assert self.revised((), (), ",", [False, True, True]) == [True]
        assert self.revised((), (), "-", [False, False, True]) == [True]

    def test_words_that_were_apart_stay_so(self):
        # In a file without information on spaces, Chinese words are not joined one by one.
        rows = slot_spaces(["同樣", "施力"], [(), (), ()])
        units = [(0, 1), (1, 3), (3, 0)]
        assert rows[1] == [False]
        assert revised_spaces(rows, [()] * 3, units, "abc", [True] * 3)[1] == [True]
        assert revised_spaces(rows, [()] * 3, units, "abc", [False] * 3)[1] == [False]

    def test_what_stays_keeps_its_spaces(self):
        assert self.revised((",",), (2,), ",", [True, False, True]) == [True, False]
        assert self.revised((",", "“"), (2, 0), ",", [True, False, True]) == [True, True, False]

    def test_dashes_take_over_from_dashes(self):
        assert self.revised(("—",), (0,), "-", [False, False, True]) == [False, False]
        assert self.revised(("—",), (0,), ",", [False, True, True]) == [True, True]
        assert self.revised((",", "-"), (0, 2), "-", [True, False, True]) == [False, True, False]

    def test_what_is_not_said_follows_the_rules(self):
        assert self.revised((",",), (2,), ",", [None, None, True]) == [False, True]

    def test_a_dash_between_glued_words(self):
        slots = [(), ("-",), ()]
        rows = slot_spaces(["a", "b"], slots)
        units = [(0, 1), (1, 0, 2), (2, 0)]
        assert revised_spaces(rows, slots, units, ["a", "b"], [False, True])[1] == [False, False]
        assert revised_spaces(rows, slots, units, ["a", "b"], [True, True])[1] == [True, True]

    def test_what_follows_the_sentence_stays(self):
        rows = slot_spaces(["a"], [(), (".",)])
        assert revised_spaces(rows, [(), (".",)], [(0, 1), (1, 0, 0)], ["a"], [False]) == [
            [False],
            [False, False],
        ]


@given(st.lists(st.sampled_from(["a", "b2", "字", "한", "'s"]), min_size=1, max_size=6), st.data())
def test_nothing_but_spaces_is_added(forms, data):
    slots = [
        tuple(data.draw(st.lists(st.sampled_from(TOKENS), max_size=3)))
        for _ in range(len(forms) + 1)
    ]
    spaced = text(forms, slots)
    pieces = [*slots[0]]
    for form, slot in zip(forms, slots[1:], strict=True):
        pieces += [form, *slot]
    assert spaced.replace(" ", "") == "".join(pieces)
    assert spaced == " ".join(spaced.split())
    rows = slot_spaces(forms, slots)
    assert [len(row) for row in rows] == [len(slot) + 1 for slot in slots]
    assert not rows[0][0]
    assert not rows[-1][-1]
    # A comma, a stop and a closing bracket are never separated from the preceding text.
    for row, slot in zip(rows, slots, strict=True):
        assert not any(row[place] for place, token in enumerate(slot) if token in ",.)?，」")
        assert not any(row[place + 1] for place, token in enumerate(slot) if token in "(¿「/")
