"""The oracle itself, on cases small enough for listing every path."""

import itertools
import math
from collections.abc import Mapping

import pytest

from tests.oracle import (
    FINAL,
    INITIAL,
    OPEN,
    Channel,
    Channels,
    Pair,
    Tokens,
    best,
    derivations,
    edit_paths,
    expected_unmatched,
    pair_marginals,
    posterior,
    rewrite,
    surface_distribution,
    total,
    underlying_slots,
)

EMPTY: Pair = ((), ())
# The numbers below are short so that the sums can be read; each window sums to 1.
KEEP_AA, RIGHT_AA = 0.6, 0.4
KEEP_BB, RIGHT_BB = 0.9, 0.1
KEEP_AB, LEFT_AB, RIGHT_AB, SWAP_AB = 0.4, 0.3, 0.2, 0.1
KEEP_BA, LEFT_BA, RIGHT_BA, SWAP_BA = 0.25, 0.15, 0.05, 0.55
EDITS: dict[tuple[str, str], dict[str, float]] = {
    ("a", "a"): {"keep": KEEP_AA, "absorb_right": RIGHT_AA},
    ("b", "b"): {"keep": KEEP_BB, "absorb_right": RIGHT_BB},
    ("a", "b"): {
        "keep": KEEP_AB,
        "absorb_left": LEFT_AB,
        "absorb_right": RIGHT_AB,
        "transpose": SWAP_AB,
    },
    ("b", "a"): {
        "keep": KEEP_BA,
        "absorb_left": LEFT_BA,
        "absorb_right": RIGHT_BA,
        "transpose": SWAP_BA,
    },
    (INITIAL, "a"): {"keep": 0.7, "absorb_right": 0.3},
    (INITIAL, "b"): {"keep": 0.8, "absorb_right": 0.2},
    ("a", FINAL): {"keep": 0.5, "absorb_left": 0.5},
    ("b", FINAL): {"keep": 0.85, "absorb_left": 0.15},
}
MIRROR = {
    "keep": "keep",
    "absorb_left": "absorb_right",
    "absorb_right": "absorb_left",
    "transpose": "transpose",
}
L2R, R2L = Channel("l2r", EDITS), Channel("r2l", EDITS)
STRINGS: list[Tokens] = [
    string for length in range(5) for string in itertools.product("ab", repeat=length)
]


def geometric(string: Tokens) -> float:
    """A token is one of 2, and after each the string continues with probability 1/2."""
    return 0.25 ** len(string) if string and set(string) <= {"a", "b"} else 0.0


def probability(channel: Channels, underlying: str, surface: str) -> float:
    return math.fsum(weight for weight, _ in rewrite(channel, tuple(underlying), tuple(surface)))


def test_figure_1_slots():
    # Dale means river valley: each puncteme names its side and word.
    pairs: list[Pair] = [((f"l{word}",), (f"r{word}",)) for word in range(1, 5)]
    slots = [("l2", "l1"), ("r1",), ("l4", "l3"), ("r3",), ("r4", "r2")]
    assert underlying_slots([2, 0, 4, 2], pairs, False, False) == slots
    marked = underlying_slots([2, 0, 4, 2], pairs, True, True)
    assert marked == [(INITIAL, *slots[0]), *slots[1:4], (*slots[4], FINAL)]


def test_slot_between_constituents_holds_ends_before_starts():
    # Word 1 with its child 2 is the left child of the root 3: both end at slot 2, with 2 inside 1.
    pairs: list[Pair] = [(("l1", "m1"), ("r1",)), ((), ("r2", "s2")), (("l3",), ())]
    assert underlying_slots([3, 1, 0], pairs, False, False) == [
        ("l3", "l1", "m1"),
        (),
        ("r2", "s2", "r1"),
        (),
    ]
    # Word 2 ends where its sister 3 starts.
    assert underlying_slots([0, 1, 1], [EMPTY, ((), ("x",)), (("y",), ())], False, False) == [
        (),
        (),
        ("x", "y"),
        (),
    ]


def test_figure_2_path():
    channel = Channel(
        "l2r",
        {
            ("a", "b"): {"keep": 0.9, "absorb_left": 0.1},
            ("b", "c"): {"keep": 0.8, "absorb_right": 0.2},
            ("b", "d"): {"keep": 0.7, "transpose": 0.3},
            ("b", "e"): {"keep": 0.6, "absorb_left": 0.4},
        },
    )
    edits = ("keep", "absorb_right", "transpose", "absorb_left")
    assert rewrite(channel, tuple("abcde"), tuple("ade")) == [
        (pytest.approx(0.9 * 0.2 * 0.3 * 0.4), edits)
    ]


@pytest.mark.parametrize(
    "underlying, expected",
    [
        ("", 0.0),
        ("b", 0.0),
        ("aa", 0.0),
        ("ab", SWAP_AB),
        ("ba", KEEP_BA),
        ("aab", RIGHT_AA * SWAP_AB),
        ("aba", LEFT_AB * KEEP_BA + SWAP_AB * RIGHT_AA),
        ("abb", RIGHT_AB * SWAP_AB + SWAP_AB * RIGHT_AB),
        ("bab", KEEP_BA * RIGHT_AB + LEFT_BA * SWAP_AB),
        ("baa", KEEP_BA * RIGHT_AA + RIGHT_BA * KEEP_BA),
        ("bba", KEEP_BB * LEFT_BA + RIGHT_BB * KEEP_BA),
        ("bbb", 0.0),
    ],
)
def test_figure_6_surface_ba_left_to_right(underlying: str, expected: float):
    assert probability(L2R, underlying, "ba") == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "underlying, expected",
    [
        ("ab", SWAP_AB),
        ("ba", KEEP_BA),
        # The window of the two rightmost tokens is edited first.
        ("aba", KEEP_BA * LEFT_AB + RIGHT_BA * SWAP_AB),
        ("abb", RIGHT_BB * SWAP_AB),
        ("bab", RIGHT_AB * KEEP_BA + SWAP_AB * RIGHT_BB),
        ("aab", LEFT_AB * SWAP_AB + SWAP_AB * LEFT_AB),
    ],
)
def test_surface_ba_right_to_left(underlying: str, expected: float):
    assert probability(R2L, underlying, "ba") == pytest.approx(expected, abs=1e-15)


def test_a_channel_of_direction_none_and_a_missing_window_keep():
    assert list(edit_paths(Channel("none", EDITS), ("a", "b"))) == [(1.0, ("keep",), ("a", "b"))]
    assert list(edit_paths(R2L, ("a", "c"))) == [(1.0, ("keep",), ("a", "c"))]
    assert list(edit_paths(L2R, ())) == [(1.0, (), ())]


@pytest.mark.parametrize("channel", [L2R, R2L, Channel("none", EDITS), [L2R, R2L]])
@pytest.mark.parametrize("before, after", [((), ()), ((INITIAL,), ()), ((), (FINAL,))])
def test_surface_probabilities_of_an_underlying_string_sum_to_one(
    channel: Channels, before: Tokens, after: Tokens
):
    for string in STRINGS:
        paths = list(edit_paths(channel, before + string + after))
        assert math.fsum(weight for weight, _, _ in paths) == pytest.approx(1.0)
        surfaces = {surface for _, _, surface in paths}
        assert all(surface[: len(before)] == before for surface in surfaces)
        assert all(surface[len(surface) - len(after) :] == after for surface in surfaces)
        summed = math.fsum(
            weight
            for surface in surfaces
            for weight, _ in rewrite(channel, before + string + after, surface)
        )
        assert summed == pytest.approx(1.0)


def test_left_to_right_on_the_mirror_image_is_right_to_left():
    mirrored = Channel(
        "l2r",
        {(b, a): {MIRROR[edit]: p for edit, p in row.items()} for (a, b), row in EDITS.items()},
    )
    for string in STRINGS:
        forwards = [
            (weight, tuple(MIRROR[edit] for edit in edits), surface[::-1])
            for weight, edits, surface in edit_paths(mirrored, string[::-1])
        ]
        assert forwards == list(edit_paths(R2L, string))


def test_two_passes_sum_over_the_string_between():
    passes = [L2R, R2L]
    # Between them: a b (keep), b (absorb_left), a (absorb_right) or b a (transpose).
    assert probability(passes, "ab", "a") == pytest.approx(
        KEEP_AB * RIGHT_AB + RIGHT_AB * 1.0 + SWAP_AB * LEFT_BA
    )
    assert probability(passes, "ab", "ba") == pytest.approx(KEEP_AB * SWAP_AB + SWAP_AB * KEEP_BA)
    assert (SWAP_AB * LEFT_BA, ("transpose", "absorb_left")) in rewrite(passes, ("a", "b"), ("a",))
    with pytest.raises(ValueError, match="several passes"):
        list(edit_paths(passes, (OPEN,)))


def test_open_takes_one_or_more_tokens():
    channel = Channel("l2r", EDITS, geometric)
    keep = ("keep",)
    assert rewrite(channel, (OPEN,), ()) == []
    assert rewrite(Channel("l2r", EDITS, lambda _: 0.5), (OPEN, "a"), ("a",)) == []
    assert rewrite(channel, (OPEN,), ("a", "b")) == [(0.25**2, ())]
    assert rewrite(channel, (OPEN, OPEN), ("a", "b", "b")) == [
        (0.25 * 0.25**2, keep),
        (0.25**2 * 0.25, keep),
    ]
    assert rewrite(channel, (INITIAL, OPEN), (INITIAL, "a")) == [(0.25, keep)]
    assert rewrite(channel, (OPEN, "a"), ("b", "a", "a")) == [(0.25**2, keep)]
    # a b OPEN: the window a b is edited as usual, and OPEN generates the rest.
    # The window a b is edited as usual, and OPEN generates the rest.
    assert rewrite(channel, ("a", "b", OPEN), ("b", "a")) == [
        (LEFT_AB * 0.25, ("absorb_left", "keep"))
    ]


ONE_WORD: list[dict[Pair, float]] = [{EMPTY: 0.5, ((), ("b",)): 0.3, (("a",), ("b",)): 0.2}]


def test_one_word():
    found = derivations([0], ONE_WORD, L2R, [(), ("b",)])
    assert [(d.probability, d.pairs, d.edits) for d in found] == [(0.3, (((), ("b",)),), ((), ()))]
    # With the initial mark, it may absorb the a of the third pair.
    found = derivations([0], ONE_WORD, L2R, [(INITIAL,), ("b",)], initial_mark=True)
    assert total(found) == pytest.approx(0.3 + 0.2 * 0.3)
    assert best(found).pairs == (((), ("b",)),)
    assert posterior(found) == {
        (((), ("b",)),): pytest.approx(0.3 / 0.36),
        ((("a",), ("b",)),): pytest.approx(0.06 / 0.36),
    }
    assert found[1].edits == (("absorb_right",), ())
    # With the final mark, b is on the surface only if it is kept.
    found = derivations([0], ONE_WORD, R2L, [(), (FINAL,)], final_mark=True)
    assert total(found) == pytest.approx(0.5 + 0.3 * 0.15)


def test_one_word_with_the_open_puncteme():
    channel = Channel("r2l", EDITS, geometric)
    choices: list[dict[Pair, float]] = [
        {((), ("a", "b")): 0.9, ((), (OPEN,)): 0.06, ((OPEN,), ()): 0.03, ((OPEN,), (OPEN,)): 0.01}
    ]
    ab = derivations([0], choices, channel, [(), ("a", "b")])
    assert total(ab) == pytest.approx(0.9 * KEEP_AB + 0.06 * 0.25**2)
    both = derivations([0], choices, channel, [("a",), ("b", "b")])
    assert total(both) == pytest.approx(0.01 * 0.25 * 0.25**2)
    always: list[dict[Pair, float]] = [{((), (OPEN,)): 1.0}]
    written = [total(derivations([0], always, channel, [(), string])) for string in STRINGS]
    assert math.fsum(written) == pytest.approx(1 - 0.5**4)  # the rest is longer than 4 tokens


# Word 2 is the child of word 1, so slot 2 holds its right puncteme, then that of the root.
CHILD: dict[Pair, float] = {EMPTY: 0.6, (("a",), ("a",)): 0.4}
ROOT: dict[Pair, float] = {EMPTY: 0.1, ((), ("b",)): 0.7, ((), ("a",)): 0.2}


def test_two_words_that_share_a_slot():
    heads, choices = [0, 1], [ROOT, CHILD]

    def explained(*slots: str) -> float:
        return total(derivations(heads, choices, L2R, [tuple(slot) for slot in slots]))

    assert explained("", "", "") == pytest.approx(0.1 * 0.6)
    assert explained("", "", "b") == pytest.approx(0.7 * 0.6)
    assert explained("", "a", "b") == pytest.approx(0.7 * 0.4 * LEFT_AB)
    assert explained("", "a", "ab") == pytest.approx(0.7 * 0.4 * KEEP_AB)
    assert explained("", "a", "ba") == pytest.approx(0.7 * 0.4 * SWAP_AB)
    assert explained("", "a", "a") == pytest.approx(
        0.7 * 0.4 * RIGHT_AB + 0.2 * 0.4 * RIGHT_AA + 0.1 * 0.4
    )
    assert explained("", "a", "") == 0.0
    assert explained("a", "", "") == 0.0


def test_questions_asked_of_the_derivations_of_two_words():
    found = derivations([0, 1], [ROOT, CHILD], L2R, [(), ("a",), ("a",)])
    via_b, via_a, alone = 0.7 * 0.4 * RIGHT_AB, 0.2 * 0.4 * RIGHT_AA, 0.1 * 0.4
    evidence = via_b + via_a + alone
    assert best(found).pairs == (((), ("b",)), (("a",), ("a",)))
    assert best(found).probability == pytest.approx(via_b)
    assert best(found).edits == ((), (), ("absorb_right",))
    root, child = pair_marginals(found)
    assert root == {
        EMPTY: pytest.approx(alone / evidence),
        ((), ("b",)): pytest.approx(via_b / evidence),
        ((), ("a",)): pytest.approx(via_a / evidence),
    }
    assert child == {(("a",), ("a",)): pytest.approx(1.0)}
    unmatched = expected_unmatched(found, lambda left, right: left != right)
    assert unmatched == pytest.approx((via_b + via_a) / evidence)
    assert expected_unmatched(found, lambda left, right: True) == pytest.approx(2.0)


def test_the_posterior_sums_over_edits_and_best_does_not():
    heads, choices = [0], [{((), tuple("abb")): 0.5, ((), tuple("ba")): 0.5}]
    found = derivations(heads, choices, L2R, [(), ("b", "a")])
    by_absorbing = 0.5 * RIGHT_AB * SWAP_AB
    assert sorted(d.probability for d in found) == pytest.approx(
        [by_absorbing, by_absorbing, 0.5 * KEEP_BA]
    )
    assert posterior(found)[((), ("a", "b", "b")),] == pytest.approx(
        2 * by_absorbing / (2 * by_absorbing + 0.5 * KEEP_BA)
    )


@pytest.mark.parametrize("heads", [[0, 1, 1], [2, 0, 2], [2, 3, 0], [0, 3, 1]])
@pytest.mark.parametrize("channel", [L2R, R2L, [R2L, L2R]])
@pytest.mark.parametrize("initial_mark, final_mark", [(False, False), (True, True)])
def test_derivations_agree_with_the_distribution_over_all_surfaces(
    heads: list[int], channel: Channels, initial_mark: bool, final_mark: bool
):
    choices: list[Mapping[Pair, float]] = [
        {EMPTY: 0.7, (("a",), ("b",)): 0.3},
        {EMPTY: 0.8, ((), ("a", "b")): 0.2},
        {EMPTY: 0.5, (("b",), ("b",)): 0.1, ((), ("a",)): 0.4},
    ]
    marks = (initial_mark, final_mark)
    distribution = surface_distribution(heads, choices, channel, *marks)
    assert math.fsum(distribution.values()) == pytest.approx(1.0)
    for slots, expected in distribution.items():
        assert total(derivations(heads, choices, channel, slots, *marks)) == pytest.approx(expected)


def test_what_cannot_be_enumerated_is_refused():
    with pytest.raises(ValueError, match="cycle above word 1"):
        underlying_slots([2, 1], [EMPTY, EMPTY], False, False)
    with pytest.raises(ValueError, match="not projective at word 1"):
        underlying_slots([3, 0, 2, 1], [EMPTY] * 4, False, False)
    nothing = derivations([0], ONE_WORD, L2R, [("a",), ()])
    assert total(nothing) == 0.0
    with pytest.raises(ValueError, match="no derivation"):
        posterior(nothing)
