"""Brackets that are inserted have partners, at the least cost."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import Puncteme
from semipunct.marks.balance import balanced, encloses, unmatched

TOKENS = ((), ("(",), (")",), ("[",), ("]",), (",",), ("]", ")"), (")", "."))
PARTNERS = {"(": ")", "[": "]"}


def lone(string: str) -> int:
    """Count unmatched marks by deleting innermost pairs; other marks between them are in the way.

    A closing mark reaches past open marks of the other kind, which are then unmatched.
    """
    waiting: list[str] = []
    count = 0
    for char in string:
        if char in PARTNERS:
            waiting.append(char)
        elif char in PARTNERS.values():
            opening = next(o for o, c in PARTNERS.items() if c == char)
            if opening in waiting:
                while waiting.pop() != opening:
                    count += 1
            else:
                count += 1
    return count + len(waiting)


SLOTS = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=6)
FORMS = ("a", ":)", "b(c)", "d", "(e", "f")


@given(SLOTS)
def test_unmatched_marks_are_counted_with_and_without_those_of_words(slots: list[Puncteme]):
    forms = FORMS[: len(slots) - 1]
    only = "".join("".join(slot) for slot in slots)
    all_ = "".join("".join(s) + w for s, w in zip(slots, (*forms, ""), strict=True))
    assert unmatched(slots, forms) == (lone(only), lone(all_))


COSTS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(TOKENS), st.integers(0, 9).map(float)), min_size=1, max_size=3
    ),
    min_size=1,
    max_size=5,
)


@given(COSTS, st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_the_choice_is_the_best_of_all(
    alternatives: list[list[tuple[Puncteme, float]]], limits: tuple[int, int]
):
    forms = FORMS[: len(alternatives) - 1]
    possible = [
        sum(cost for _, cost in way)
        for way in itertools.product(*alternatives)
        if all(a <= b for a, b in zip(unmatched([s for s, _ in way], forms), limits, strict=True))
    ]
    found = balanced(alternatives, forms, limits)
    if found is None:
        assert not possible
        return
    known = [min(c for s, c in of if s == t) for of, t in zip(alternatives, found, strict=True)]
    assert sum(known) == pytest.approx(min(possible))
    assert all(a <= b for a, b in zip(unmatched(found, forms), limits, strict=True))


def test_long_sentences_with_many_alternatives_end():
    ways = [((), 0.4), (("(",), 0.3), ((")",), 0.3), (("“",), 0.35), (("”",), 0.35)]
    found = balanced([ways] * 300, ["w"] * 299, (0, 0))
    assert found is not None
    assert unmatched(found, ["w"] * 299) == (0, 0)
    assert sum(map(bool, found)) > 250  # almost all slots get a mark with a partner


def test_straight_quotes_pair_with_themselves_and_question_marks_do_not():
    assert unmatched([('"',), ('"',), ("?",)], ["a", "b"]) == (0, 0)
    assert unmatched([('"',), (), ("¿",)], ["a", "b"]) == (1, 1)
    assert encloses(('"',))
    assert not encloses(("?", ","))
