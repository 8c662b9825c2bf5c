"""Attributes of the marks to the left of a slot, and p(l) p(r | l) as documented."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semipunct.features.history import (
    CLOSING,
    OPENING,
    SEEN,
    MarkHistory,
    history_codes,
    history_columns,
)
from semipunct.features.vocabulary import Vocabulary
from semipunct.features.words import Words
from tests.models.punctuation.cases import sentence

TOKENS = ("<unk>", ",", ".", "“", "”", "(", ")", '"', "^", "$")
SYMBOLS = Vocabulary({"upos": (), "relation": (), "form": (), "token": TOKENS})
LOOKING_BACK = ("N", "W", "A", "C", "L", "R", "S", "history")
NONE = len(TOKENS) + 1


def code(token: str) -> int:
    return TOKENS.index(token) + 1


def after(slots: Sequence[str]) -> MarkHistory:
    """Return the state of one sentence after some slots."""
    history = MarkHistory((1,), SYMBOLS)
    for i, slot in enumerate(slots):
        history.read(i, np.array([history.strings.number(tuple(slot.split()))]))
    return history


def seen(history: MarkHistory, slot: int) -> dict[str, int]:
    return {
        name: int(column[0]) for name, column in zip(SEEN, history.seen_columns(slot), strict=True)
    }


@pytest.mark.parametrize(
    ("slots", "innermost"),
    [
        (["“", "", "”"], None),
        (["“", "(", ""], "("),
        (["“", "(", "”"], None),  # a closing mark also closes what was opened after its partner
        (["(", ") ("], "("),
        (['"', "", '"'], None),
        (['"', '" "'], '"'),
        ([")", ","], None),
        (["»", "«"], None),  # both without a code: `<unk>` opens nothing
        (["(", *["“"] * 20, *["”"] * 7], "“"),
        (["(", *["“"] * 20, *["”"] * 8], None),  # only the innermost eight are remembered
    ],
)
def test_the_innermost_mark_that_waits_for_its_partner(slots: list[str], innermost: str | None):
    expected = NONE if innermost is None else code(innermost)
    assert seen(after(slots), len(slots))["open"] == expected


def test_columns_are_what_is_seen_from_both_edges():
    s = sentence([2, 5, 4, 2, 0], ["“", "", ", ;", "", "", ". ”"])
    # A shorter and a longer sentence in the batch change nothing.
    longer = (sentence([0], [", .", "”"]), sentence([2, 3, 4, 5, 6, 0], ["“"] * 7))
    words = Words.of([longer[0], s, longer[1]])
    together = history_columns(words, SYMBOLS)
    columns = {name: column[1:6] for name, column in together.items()}
    quote, comma, unknown = code("“"), code(","), code("<unk>")
    assert columns["left_seen"].tolist() == [NONE, NONE, quote, quote, NONE]
    assert columns["right_seen"].tolist() == [quote, unknown, unknown, unknown, unknown]
    assert columns["left_since"].tolist() == [0, 0, 2, 2, 0]
    assert columns["right_since"].tolist() == [0, 2, 0, 2, 4]
    assert columns["right_marked"].tolist() == [1, 2, 2, 2, 2]
    assert columns["left_open"].tolist() == [NONE, NONE, quote, quote, NONE]
    assert columns["edge"].tolist() == [quote, quote, comma, comma, quote]
    # At the beginning, within, at the beginning, at the beginning, within.
    assert columns["last_place"].tolist() == [2, 3, 2, 2, 3]
    empty = history_columns(Words.of([sentence([0], ["", ""])]), SYMBOLS)
    assert empty["last_place"].tolist() == [0]
    codes = history_codes(SYMBOLS)
    assert set(codes) == set(columns) == {*OPENING, *CLOSING}
    assert all(column.max() < codes[name] for name, column in columns.items())
