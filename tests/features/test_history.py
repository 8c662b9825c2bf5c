"""What is seen to the left of a slot, and that p(l) p(r | l) is made of it as documented."""

from __future__ import annotations

import numpy as np
import pytest

from semipunct.features.history import (
    NOTHING,
    NOWHERE,
    Past,
    history_codes,
    history_columns,
    last_place,
    past_codes,
    since,
)
from semipunct.features.templates import HISTORY
from semipunct.features.vocabulary import Symbols
from semipunct.models.punctuation.attach import log_attach, tree_scores
from tests.models.punctuation.cases import SENTENCES, TRAINING, batch_of, model, sentence

TOKENS = ("<unk>", ",", ".", "“", "”", "(", ")", '"', "^", "$")
SYMBOLS = Symbols({"upos": (), "relation": (), "form": (), "token": TOKENS})
LOOKING_BACK = ("N", "W", "A", "C", "L", "R", "S", "history")
NONE = len(TOKENS) + 1


def code(token: str) -> int:
    return TOKENS.index(token) + 1


def past_of(slots: list[str]) -> Past:
    past = NOTHING
    for slot in slots:
        past = past.after(tuple(slot.split()))
    return past


@pytest.mark.parametrize(
    ("slots", "opened"),
    [
        (["“", "", "”"], ()),
        (["“", "(", ""], ("“", "(")),
        (["“", "(", "”"], ()),  # A closing mark closes what was opened after its partner, too.
        (["(", ") ("], ("(",)),
        (['"', "", '"'], ()),
        (['"', '" "'], ('"',)),
        ([")", ","], ()),
        (["»", "«"], ()),  # The German way.
        (["«", "»"], ()),
        (["("] * 20, ("(",) * 8),
    ],
)
def test_marks_that_wait_for_their_partners(slots: list[str], opened: tuple[str, ...]):
    assert past_of(slots).opened == opened


def test_an_empty_slot_changes_nothing():
    past = past_of(["", ", “"])
    assert past == Past("“", 1, ("“",))
    assert past.after(()) is past
    assert past_of([","] * 9).marked == past_of([","] * 5).marked == 5


def test_what_is_seen_from_a_slot():
    slots = ["“", "", ", ;", "", "", ". ”"]
    pasts = [past_of([s.replace(";", "<unk>") for s in slots[:i]]) for i in range(6)]
    quote, unknown = code("“"), code("<unk>")
    # Last mark, marked slots, open mark.
    assert past_codes(pasts, SYMBOLS).tolist() == [
        [NONE, 0, NONE],
        [quote, 1, quote],
        [quote, 1, quote],
        [unknown, 2, quote],
        [unknown, 2, quote],
        [unknown, 2, quote],
    ]


def test_how_far_back_the_last_mark_is():
    at = np.array([NOWHERE, 0, 0, 2, 2, 2])
    assert since(np.arange(6), at).tolist() == [0, 0, 2, 0, 2, 4]  # 1, 2 or 3 words
    assert since(3, at).tolist() == [4, 4, 4, 0, 0, 0]
    assert since(10**6, at).tolist() == [15] * 6
    assert last_place(at, 1).tolist() == [0, 1, 1, 3, 3, 3]
    assert last_place(at, np.array([0, 0, 1, 2, 3, 0])).tolist() == [0, 2, 1, 2, 1, 3]


def test_columns_are_what_is_seen_from_both_edges():
    s = sentence([2, 5, 4, 2, 0], ["“", "", ", ;", "", "", ". ”"])
    left, right = np.array([0, 0, 2, 2, 0]), np.array([1, 4, 3, 4, 5])
    found = history_columns(s.slots, left, right, SYMBOLS)
    quote, comma, unknown = code("“"), code(","), code("<unk>")
    assert found["left_seen"].tolist() == [NONE, NONE, quote, quote, NONE]
    assert found["right_seen"].tolist() == [quote, unknown, unknown, unknown, unknown]
    assert found["left_since"].tolist() == [0, 0, 2, 2, 0]
    assert found["right_since"].tolist() == [0, 2, 0, 2, 4]
    assert found["right_marked"].tolist() == [1, 2, 2, 2, 2]
    assert found["left_open"].tolist() == [NONE, NONE, quote, quote, NONE]
    assert found["edge"].tolist() == [quote, quote, comma, comma, quote]
    # At the beginning, within, at the beginning, at the beginning, within.
    assert found["last_place"].tolist() == [2, 3, 2, 2, 3]
    empty = history_columns(((), ()), np.array([0]), np.array([1]), SYMBOLS)
    assert empty["last_place"].tolist() == [0]
    codes = history_codes(SYMBOLS)
    assert set(codes) == set(found)
    assert all(column.max() < codes[name] for name, column in found.items())


def test_what_comes_later_is_not_looked_at():
    """A left puncteme is drawn without the slots from its own on, a right one likewise."""
    m = model("l2r", templates=LOOKING_BACK)
    s = sentence([2, 0, 2, 3], ["", ",", "“", ".", ", ”"])
    before = m.features.extract([s])
    for slot in range(5):
        changed = sentence([2, 0, 2, 3], ["", ",", "“", ".", ", ”"][:slot] + ["” ."] * (5 - slot))
        after = m.features.extract([changed])
        for word, (left, right) in enumerate([(0, 1), (0, 4), (2, 4), (3, 4)]):
            for targets, edge in ((("opening",), left), (("closing", "closing_symmetric"), right)):
                for target in targets:
                    one, other = (
                        rows[target].context[slice(*rows[target].start[word : word + 2])]
                        for rows in (before, after)
                    )
                    if edge <= slot:
                        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("hard_sets", [False, True])
def test_a_left_puncteme_is_drawn_first(hard_sets: bool):
    """p(l) from summed weights and the features at the left edge, p(r | l) from the others."""
    m = model("none", templates=LOOKING_BACK, hard_sets=hard_sets)
    p = m.initial_parameters(3, 0.7)
    batch = batch_of(m, SENTENCES)
    arguments = (p, m.attach_tables, batch.features, batch.relation)
    score, log_p = (np.asarray(f(*arguments), np.float64) for f in (tree_scores, log_attach))
    lefts, rights = m.inventory.pairs.T
    allowed = np.ones(score.shape, bool)
    if hard_sets:
        allowed = m.inventory.allowed[batch.relation]
    symmetric = m.attach_tables.projection["symmetric"][0]
    rows = m.features.extract(SENTENCES)
    for word in range(sum(len(s.forms) for s in SENTENCES)):
        gain = {
            t: sum(
                p[f"attach.{t}"][c].astype(np.float64)
                for c in rows[t].context[slice(*rows[t].start[word : word + 2])]
            )
            for t in ("opening", "closing", "closing_symmetric")
        }
        weight = np.where(allowed[word], np.exp(score[word]), 0)
        then = weight * np.exp(gain["closing"][rights] + gain["closing_symmetric"] * symmetric)
        first = np.array(
            [weight[lefts == a].sum() * np.exp(gain["opening"][a]) for a in range(lefts.max() + 1)]
        )
        expected = [
            first[a] / first.sum() * then[i] / then[lefts == a].sum() if then[i] else 0.0
            for i, a in enumerate(lefts)
        ]
        np.testing.assert_allclose(np.exp(log_p[word]), expected, rtol=2e-4, atol=1e-7)


def test_the_templates_fire():
    m = model("l2r", templates=LOOKING_BACK)
    named = {(c.target, c.parts) for c in m.features.conjunctions if len(c.kept)}
    assert {(t.target, parts) for t in HISTORY for parts in t.contexts} <= named
    assert len(TRAINING) > len(SENTENCES)
