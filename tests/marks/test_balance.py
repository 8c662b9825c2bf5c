"""Brackets that are inserted have partners, at the least cost."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import Puncteme
from semipunct.marks.balance import (
    Unmatched,
    balance_strings,
    count_unmatched,
    encloses,
    matcher_of,
    statuses,
    without_lone_marks,
)
from semipunct.marks.matching import matched_pairs

TOKENS = ((), ("(",), (")",), ("[",), ("]",), (",",), ("]", ")"), (")", "."))
PARTNERS = {"(": ")", "[": "]"}


def partners(string: str) -> dict[int, int | None]:
    """Return the place of the partner of each bracket, None for those that have none.

    A closing mark reaches past open marks of the other kind, which are then unmatched.
    """
    partner_of: dict[int, int | None] = {}
    waiting: list[int] = []
    for place, char in enumerate(string):
        if char in PARTNERS:
            waiting.append(place)
            partner_of[place] = None
        elif char in PARTNERS.values():
            partner_of[place] = None
            if any(PARTNERS[string[i]] == char for i in waiting):
                while PARTNERS[string[i := waiting.pop()]] != char:
                    pass
                partner_of[place], partner_of[i] = i, place
    return partner_of


def lone(string: str) -> int:
    return sum(partner is None for partner in partners(string).values())


def counts(slots: list[Puncteme], forms: Sequence[str], existing: list[Puncteme]) -> Unmatched:
    """Count unmatched marks place by place."""
    whole = "".join("".join(s) + w for s, w in zip(slots, (*forms, ""), strict=True))
    places = [(i, token) for i, slot in enumerate(existing) for token in slot]
    before = partners("".join(token for _, token in places))
    had_partner = {places[i] for i, partner in before.items() if partner is not None}
    places = [(i, token) for i, slot in enumerate(slots) for token in slot]
    after = partners("".join(token for _, token in places))
    inserted = {i for i, (slot, token) in enumerate(places) if token not in existing[slot]}
    robbing = {place for place, partner in after.items() if partner is None}
    robbing |= {
        place
        for place, partner in after.items()
        if partner is not None and partner not in inserted and places[partner] in had_partner
    }
    alone = sum(partner is None for partner in after.values())
    return Unmatched(alone, lone(whole), len(robbing & inserted))


SLOTS = st.lists(st.sampled_from(TOKENS), min_size=6, max_size=6)
SIZES = st.integers(1, 6)
FORMS = ("a", ":)", "b(c)", "d", "(e", "f")


@given(SLOTS, SLOTS, SIZES)
def test_unmatched_marks_are_counted_with_and_without_those_of_words(
    slots: list[Puncteme], existing: list[Puncteme], size: int
):
    slots, existing, forms = slots[:size], existing[:size], FORMS[: size - 1]
    assert count_unmatched(slots, forms, statuses(existing)) == counts(slots, forms, existing)
    assert count_unmatched(slots, forms).inserted == 0


COSTS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(TOKENS), st.integers(0, 9).map(float)), min_size=1, max_size=3
    ),
    min_size=1,
    max_size=5,
)
LIMITS = st.builds(Unmatched, st.integers(0, 2), st.integers(0, 2), st.integers(0, 1))


@given(COSTS, SLOTS, LIMITS)
def test_the_choice_is_the_best_of_all(
    alternatives: list[list[tuple[Puncteme, float]]], existing: list[Puncteme], limits: Unmatched
):
    existing, forms = existing[: len(alternatives)], FORMS[: len(alternatives) - 1]

    def is_possible(slots: list[Puncteme]) -> bool:
        return all(a <= b for a, b in zip(counts(slots, forms, existing), limits, strict=True))

    possible = [
        sum(cost for _, cost in way)
        for way in itertools.product(*alternatives)
        if is_possible([s for s, _ in way])
    ]
    chosen = balance_strings(alternatives, forms, statuses(existing), limits)
    if chosen is None:
        assert not possible
        return
    costs = [min(c for s, c in of if s == t) for of, t in zip(alternatives, chosen, strict=True)]
    assert sum(costs) == pytest.approx(min(possible))
    assert is_possible(chosen)


def test_long_sentences_with_many_alternatives_end():
    ways = [((), 0.4), (("(",), 0.3), ((")",), 0.3), (("“",), 0.35), (("”",), 0.35)]
    nothing = statuses([()] * 60)
    chosen = balance_strings([ways] * 60, ["w"] * 59, nothing, Unmatched(0, 0, 0))
    assert chosen is not None
    assert count_unmatched(chosen, ["w"] * 59, nothing) == (0, 0, 0)
    assert sum(map(bool, chosen)) > 50  # almost all slots get a mark with a partner


def test_twenty_thousand_open_marks():
    """Whatever is open, a further mark takes constant time and space."""
    number = 20_000
    slots: list[Puncteme] = [("[",) * number, ("}",) * number, ("]",) * (number - 1)]
    marks = [status for by_token in statuses(slots) for status in by_token]
    assert marks == ["[", "}", "]"]
    assert count_unmatched(slots, ["so", "ba"]) == (number + 1, number + 1, 0)
    assert len(matched_pairs(slots)) == number - 1
    kept = without_lone_marks(slots, [(), (), ()], matcher_of("[]{}"))
    assert list(map(len, kept)) == [number - 1, 0, number - 1]


def test_straight_quotes_pair_with_themselves_and_question_marks_do_not():
    assert count_unmatched([('"',), ('"',), ("?",)], ["a", "b"]) == (0, 0, 0)
    assert count_unmatched([('"',), (), ("¿",)], ["a", "b"]) == (1, 1, 0)
    assert encloses(('"',))
    assert not encloses(("?", ","))
