import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.formats.conllu.reading import directional_quotes
from tests.formats.conllu.builders import record, word


def changed(*marks):
    """Punctuate marks given as (form, tag, head); word 1 is the root, word 2 its child."""
    lines = [word(1, "a", 0), word(2, "b", 1)]
    lines += [
        word(i, form, head, "punct", "PUNCT", tag) for i, (form, tag, head) in enumerate(marks, 3)
    ]
    tokens = record(*lines).tokens
    forms, replaced, straight = directional_quotes(tokens, [t.upos == "PUNCT" for t in tokens])
    assert forms[:2] == ["a", "b"]
    return forms[2:], replaced, straight


@pytest.mark.parametrize(
    "form, tag, expected",
    [
        ('"', "``", "“"),
        ('"', "''", "”"),
        ("''", "``", "“"),
        ("''", "''", "”"),
        ("''", "_", "”"),
        ("``", "_", "“"),
        ('""', "``", "“"),
        ("'", "``", "‘"),
        ("'", "''", "’"),
        ("`", "_", "‘"),
    ],
)
def test_a_tag_or_the_form_tells_the_side(form, tag, expected):
    assert changed((form, tag, 1)) == ([expected], 1, 0)


def test_marks_of_one_head_pair_up_in_order():
    quote = ('"', "PUNCT", 1)
    assert changed(*[quote] * 5) == (["“", "”", "“", "”", '"'], 4, 1)


def test_heads_and_kinds_pair_up_apart():
    marks = [('"', "_", 1), ("'", "_", 1), ('"', "_", 2), ("'", "_", 1), ('"', "_", 1)]
    assert changed(*marks) == (["“", "‘", '"', "’", "”"], 4, 1)


def test_other_marks_and_words_stay():
    assert changed(("“", "``", 1), (",", "''", 1)) == (["“", ","], 0, 0)
    tokens = record(word(1, "'", 0), word(2, "'", 1)).tokens
    assert directional_quotes(tokens, [False, False]) == (["'", "'"], 0, 0)


@given(st.lists(st.tuples(st.sampled_from(['"', "'"]), st.just("_"), st.sampled_from([1, 2]))))
def test_untagged_marks_come_in_pairs(marks):
    forms, replaced, straight = changed(*marks)
    assert replaced + straight == len(marks)
    assert replaced == 2 * sum(form in "“‘" for form in forms) == 2 * sum(f in "”’" for f in forms)
    assert straight <= 4
