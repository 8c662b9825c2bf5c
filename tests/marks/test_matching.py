import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import PAIRS, Puncteme
from semipunct.marks.matching import (
    REMEMBERED,
    TYPOGRAPHIC,
    Matcher,
    PairingErrors,
    Place,
    matched_pairs,
    pairing_errors,
)

TOKENS = [*"()[]“”„«»‘’", '"', "'", "¿", "?", ",", "."]
SENTENCES = st.lists(st.lists(st.sampled_from(TOKENS), max_size=3).map(tuple), max_size=6)
MATCHERS = {
    "remembered": REMEMBERED,
    "typographic": TYPOGRAPHIC,
    "errors": Matcher(PAIRS, closes_past_others=False),
    "straight, innermost": Matcher(REMEMBERED.pairs, closes_past_others=False),
}


def read(
    slots: list[Puncteme], matcher: Matcher
) -> tuple[list[tuple[Place, Place]], list[Place], PairingErrors]:
    """Compute pairs, open marks and errors by the documented rule, mark by mark."""
    pairs = matcher.pairs
    text = [(i, j, token) for i, slot in enumerate(slots) for j, token in enumerate(slot)]
    state = ["nothing"] * len(text)
    matches: list[tuple[Place, Place]] = []
    lost = unopened = 0
    for position, (slot, index, token) in enumerate(text):
        may_open = any(opening == token for opening, _ in pairs)
        may_close = any(closing == token for _, closing in pairs)
        waiting = [k for k in range(position) if state[k] == "open"]
        fitting = [k for k in waiting if (text[k][2], token) in pairs]
        if may_open and not matcher.closes_past_others:
            fitting = [k for k in fitting if k == waiting[-1]]
        if fitting:
            partner = fitting[-1]
            lost += sum(k > partner for k in waiting)
            for k in waiting:
                state[k] = "closed" if k >= partner else "open"
            matches.append((text[partner][:2], (slot, index)))
        elif may_open:
            state[position] = "open"
        elif may_close:
            unopened += 1
    still = [text[k][:2] for k in range(len(text)) if state[k] == "open"]
    return matches, still, PairingErrors(lost + len(still), unopened)


@pytest.mark.parametrize("name", MATCHERS)
@given(slots=SENTENCES)
def test_matching_is_what_the_rule_says(name: str, slots: list[Puncteme]):
    matcher = MATCHERS[name]
    pairs, still, errors = read(slots, matcher)
    assert matched_pairs(slots, matcher) == pairs
    waiting: tuple[str, ...] = ()
    for slot in slots:
        waiting = matcher.after(waiting, slot)
    assert waiting == tuple(slots[i][j] for i, j in still)
    if not matcher.closes_past_others:
        assert pairing_errors(slots, matcher.pairs) == errors


def test_many_marks_take_linear_time():
    slots = [("(",)] * 50_000 + [("!", "]")] * 50_000 + [(")",)] * 50_000
    assert len(matched_pairs(slots)) == 50_000
