"""Counts and Table 4 by hand, and a model compared with the oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semipunct.marks import EDITS, Edit
from semipunct.models.punctuation.decode import Analysis, SlotAnalysis
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.papers.analysis.agreement import Channel
from semipunct.papers.analysis.task import (
    count,
    expected_pairs,
    read_channel,
    relation_table,
    rewriting,
)
from tests.models.punctuation.cases import (
    SENTENCES,
    model,
    oracle_channel,
    oracle_choices,
    sentence,
)


def analysis(*slots: tuple[str, str, str]) -> Analysis:
    """Build an analysis from slots of: underlying tokens, edits as ``name a b, ...``, surface."""
    made = tuple(
        SlotAnalysis(
            tuple(underlying.split()),
            tuple(Edit(*edit.split()) for edit in edits.split(" | ") if edit),
            tuple(surface.split()),
        )
        for underlying, edits, surface in slots
    )
    return Analysis(sentence([0], ["", ""]), (((), ()),), 0.0, 0.0, made)


# The window moves from right to left: the rest of the period meets the first comma.
THREE = (", ) .", "keep ) . | absorb_left , )", ") .")
COMMAS = (", , .", "absorb_left , . | absorb_left , .", ".")


def test_bigrams_are_of_the_underlying_string_and_edits_of_the_window():
    found = count(
        [analysis(COMMAS, ("", "", "")), analysis(COMMAS, THREE), analysis((",", "", ","))]
    )
    assert found.bigrams == {(",", ","): 2, (",", "."): 2, (",", ")"): 1, (")", "."): 1}
    assert found.edits == {
        ("absorb_left", ",", "."): 4,
        ("keep", ")", "."): 1,
        ("absorb_left", ",", ")"): 1,
    }


def channel_of(tokens: str) -> Channel:
    """Build a channel that absorbs the left token with 0.7, and keeps both with 0.3."""
    table = np.zeros((4, len(tokens), len(tokens)))
    table[:2] = np.array([0.3, 0.7])[:, None, None]
    return Channel(tuple(tokens), table)


def test_the_rewriting_table():
    counts = count([analysis(COMMAS, THREE), analysis(COMMAS), analysis(("* .", "", "* ."))])
    rows = rewriting(channel_of(",.)"), counts)
    # ", )" and ") ." once, in the order of their marks; "*" is not in the channel's alphabet.
    assert [(r.a + r.b, r.times) for r in rows] == [(",,", 2), (",.", 2), (").", 1), (",)", 1)]
    assert rows[1].made == {"keep": 0, "absorb_left": 4, "absorb_right": 0, "transpose": 0}
    assert rows[1].probabilities == dict(zip(EDITS, (0.3, 0.7, 0.0, 0.0), strict=True))
    assert rows[1].edit == "absorb_left"
    assert rows[1].rule is not None
    assert rows[1].rule.result == (".",)
    assert rows[2].rule is not None
    assert rows[2].rule.edit == "keep"


PAIRS = (((), ()), ((",",), (",",)), (("(",), (")",)), ((",",), ()), (("“", "("), (")", "”")))


def test_table_4():
    expected = {
        "root": np.array([10.0, 0, 0, 0, 0]),
        "appos": np.array([1.0, 4.0, 2.0, 0.5, 0.5]),
        "conj": np.array([0.0, 1.0, 0, 3.0, 0]),
        "never": np.zeros(5),
    }
    appos, conj, root = relation_table(expected, PAIRS)
    assert (appos.relation, conj.relation, root.relation) == ("appos", "conj", "root")
    assert (appos.words, conj.words, root.words) == (8, 4, 10)
    assert appos.symmetric == pytest.approx(6.5 / 8)
    assert conj.symmetric == pytest.approx(1 / 4)
    assert (root.symmetric, root.entropy) == (0, 0)
    # 1/8 ln 8 + 1/2 ln 2 + 1/4 ln 4 + twice 1/16 ln 16, all in multiples of ln 2.
    assert appos.entropy == pytest.approx((3 / 8 + 1 / 2 + 2 / 4 + 2 * 4 / 16) * math.log(2))
    assert [(p.left, p.right, p.symmetric) for p in appos.pairs] == [
        ((",",), (",",), True),
        (("(",), (")",), True),
        ((), (), False),
        ((",",), (), False),
        (("“", "("), (")", "”"), True),
    ]
    assert [p.probability for p in conj.pairs] == [0.75, 0.25]


def test_pairs_are_weighted_by_how_often_a_relation_occurs():
    m = model("r2l")
    parameters = m.initial_parameters(3, 1.0)
    found = expected_pairs(m, parameters, SENTENCES)
    names = [m.inventory.pair_name(i) for i in range(len(m.inventory.pairs))]
    expected: dict[str, np.ndarray] = {}
    for s, words in zip(SENTENCES, oracle_choices(m, parameters, SENTENCES), strict=True):
        for relation, p in zip(s.tree.relations, words, strict=True):
            row = np.array([p[name] for name in names])
            expected[relation] = expected.get(relation, 0.0) + row
    assert found.keys() == expected.keys() == {"root", "dep", "appos", "advmod"}
    for relation, sums in found.items():
        np.testing.assert_allclose(sums, expected[relation], rtol=1e-4, atol=1e-6)
    assert expected_pairs(m, parameters, []) == {}


@pytest.mark.parametrize("direction", ["l2r", "r2l", "none"])
def test_the_channel_is_read_off_the_model(direction: str):
    m = model(direction)
    parameters = m.initial_parameters(5, 1.0)
    channel = read_channel(Rewriter.of(m, parameters))
    assert set(channel.tokens) == {"^", "$", "<unk>", *m.inventory.tokens}
    edits = oracle_channel(m, parameters).edits
    for a in m.inventory.tokens:
        for b in m.inventory.tokens:
            expected = {e: edits[a, b].get(e, 0.0) for e in EDITS}
            assert channel.edits(a, b) == pytest.approx(expected, abs=1e-6)
            assert sum(channel.outcomes(a, b).values()) == pytest.approx(1, abs=1e-6)
