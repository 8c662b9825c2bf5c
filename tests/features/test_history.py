"""Attributes of the marks to the left of a slot, and p(l) p(r | l) as documented."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semipunct.features.history import (
    CLOSING,
    NOWHERE,
    OPENING,
    SEEN,
    MarkHistory,
    history_codes,
    history_columns,
)
from semipunct.features.vocabulary import Vocabulary
from semipunct.features.words import Words
from semipunct.models.punctuation.attach import log_attach, tree_scores
from tests.models.punctuation.cases import SENTENCES, batch_of, model, sentence

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


def test_what_is_seen_from_a_slot():
    slots = ["“", "", ", ;", "", "", ". ”"]
    quote, unknown = code("“"), code("<unk>")
    views = [seen(after(slots[:i]), i) for i in range(6)]
    assert [(f["seen"], f["marked"], f["open"]) for f in views] == [
        (NONE, 0, NONE),
        (quote, 1, quote),
        (quote, 1, quote),
        (unknown, 2, quote),
        (unknown, 2, quote),
        (unknown, 2, quote),
    ]
    assert seen(after([","] * 9), 9)["marked"] == 5


def test_how_far_back_the_last_mark_is():
    slots = [",", "", ",", "", "", ""]
    assert [seen(after(slots[:i]), i)["since"] for i in range(6)] == [0, 0, 2, 0, 2, 4]
    assert seen(after([]), 3)["since"] == 4  # the beginning of the sentence
    assert seen(after(slots), 10**6)["since"] == 15
    history = after(slots)
    assert history.last_marked.tolist() == [2]
    assert history.distinct(3).last_place(np.array([1, 2, 3])).tolist() == [[3], [2], [1]]
    assert after([]).last_marked.tolist() == [NOWHERE]
    assert after([]).distinct(0).last_place(np.array([0])).tolist() == [[0]]


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


@pytest.mark.parametrize("hard_sets", [False, True])
def test_a_left_puncteme_is_drawn_first(hard_sets: bool):
    """p(l) uses summed weights and the features at the left edge, p(r | l) the others."""
    m = model("none", templates=LOOKING_BACK, hard_sets=hard_sets)
    p = m.initial_parameters(3, 0.7)
    batch = batch_of(m, SENTENCES)
    arguments = (m.read(p, batch), m.attach_tables, batch.features, batch.relation)
    score, log_p = (np.asarray(f(*arguments), np.float64) for f in (tree_scores, log_attach))
    lefts, rights = m.inventory.pairs.T
    allowed = np.ones(score.shape, bool)
    if hard_sets:
        allowed = m.inventory.allowed[batch.relation]
    symmetric = m.attach_tables.symmetric[0]
    rows = m.features.extract(SENTENCES)
    weights = {t: m.supports[t].table(p[f"attach.{t}"]) for t in ("opening", "closing")}
    for word in range(sum(len(s.forms) for s in SENTENCES)):
        gain = {
            t: sum(
                table[c].astype(np.float64)
                for c in rows[t].context[slice(*rows[t].start[word : word + 2])]
            )
            for t, table in weights.items()
        }
        weight = np.where(allowed[word], np.exp(score[word]), 0)
        right_weights = weight * np.exp(gain["closing"][rights] + gain["closing"][-1] * symmetric)
        first = np.array(
            [weight[lefts == a].sum() * np.exp(gain["opening"][a]) for a in range(lefts.max() + 1)]
        )
        expected = [
            first[a] / first.sum() * right_weights[i] / right_weights[lefts == a].sum()
            if right_weights[i]
            else 0.0
            for i, a in enumerate(lefts)
        ]
        np.testing.assert_allclose(np.exp(log_p[word]), expected, rtol=2e-4, atol=1e-7)
