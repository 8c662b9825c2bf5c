"""Inverted marks have the end that they announce, or are left out: the likelier of the two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.word_streams import is_final
from semipunct.marks import Puncteme
from semipunct.pipelines.choice import CLOSING, pair_inverted_marks
from semipunct.pipelines.distributions import SlotPosterior

STRINGS: list[Puncteme] = [
    (), (",",), (".",), ("?",), ("!",), ("¿",), (".", "¿"), ("?", "¿"), ("¡",), (".", "¡"),
    ("?", "”"),
]  # fmt: skip


def view(**probabilities: float) -> SlotPosterior:
    """Return a distribution of strings whose tokens are joined in the keywords' dictionary."""
    ranked = sorted(probabilities.items(), key=lambda pair: -pair[1])
    strings = tuple(tuple(name) if name != "_" else () for name, _ in ranked)
    return SlotPosterior(strings, np.array([p for _, p in ranked]))


NOTHING = view(_=1.0)


@pytest.mark.parametrize(
    "opens, asks, expected",
    [
        (0.9, 0.3, [("¿",), (), ("?",)]),  # 0.9 * 0.3 > 0.1 * 0.7
        (0.6, 0.3, [(), (), (".",)]),  # 0.6 * 0.3 < 0.4 * 0.7
    ],
)
def test_both_or_neither(opens: float, asks: float, expected: list[Puncteme]):
    views = [view(**{"¿": opens, "_": 1 - opens}), NOTHING, view(**{"?": asks, ".": 1 - asks})]
    strings = [("¿",), (), (".",)]
    everything = lambda slot, string: True  # noqa: E731
    assert pair_inverted_marks(strings, [(), (), ()], views, everything) == expected
    # What stands is never changed, and what may not stand is not inserted.
    assert pair_inverted_marks(strings, [("¿",), (), ()], views, everything) == strings
    assert pair_inverted_marks(strings, [(), (), (".",)], views, everything)[0] == ()
    assert pair_inverted_marks(strings, [(), (), ()], views, lambda i, s: "?" not in s)[0] == ()


@pytest.mark.parametrize(
    "opens, asks, expected",
    [
        (0.3, 0.9, [("¿",), (), ("?",)]),  # 0.3 * 0.9 > 0.7 * 0.1
        (0.1, 0.6, [(), (), (".",)]),  # 0.1 * 0.6 < 0.9 * 0.4
        (0.0, 0.6, [(), (), ("?",)]),  # a language without inverted marks
    ],
)
def test_an_end_has_its_beginning(opens: float, asks: float, expected: list[Puncteme]):
    views = [view(**{"_": 1 - opens, "¿": opens}), NOTHING, view(**{"?": asks, ".": 1 - asks})]
    strings = [(), (), ("?",)]
    assert pair_inverted_marks(strings, [()] * 3, views, lambda slot, string: True) == expected
    assert pair_inverted_marks(strings, [(), (), ("?",)], views, lambda i, s: True) == strings


def test_the_next_question_stays_open():
    asks = view(**{".¿": 0.6, "?": 0.2, "?¿": 0.2})
    views = [view(**{"¿": 0.9, "_": 0.1}), asks, view(**{"?": 0.9, ".": 0.1})]
    strings = [("¿",), (".", "¿"), ("?",)]
    chosen = pair_inverted_marks(strings, [()] * 3, views, lambda slot, string: True)
    assert chosen == [("¿",), ("?", "¿"), ("?",)]


@given(st.data())
def test_no_inverted_mark_is_left_alone(data: st.DataObject):
    size = data.draw(st.integers(1, 6))
    chance = np.random.default_rng(data.draw(st.integers(0, 99)))
    views, strings = [], []
    for _ in range(size + 1):
        weights = chance.dirichlet(np.full(len(STRINGS), 0.3))
        order = np.argsort(-weights)
        views.append(SlotPosterior(tuple(STRINGS[i] for i in order), weights[order]))
        strings.append(STRINGS[int(order[0])])
    chosen = pair_inverted_marks(strings, [()] * len(strings), views, lambda slot, string: True)
    for slot, string in enumerate(chosen):
        for opening in CLOSING.keys() & set(string):
            ends = [i for i in range(slot + 1, size + 1) if is_final(chosen[i])]
            assert CLOSING[opening] in chosen[ends[0]]
    changed = [(a, b) for a, b in zip(strings, chosen, strict=True) if a != b]
    paired = {*CLOSING, *CLOSING.values()}
    assert bool(changed) <= any(paired & set(string) for string in strings)
