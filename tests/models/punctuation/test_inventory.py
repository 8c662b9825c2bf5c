"""The content of the inventory, and the spelling of the open puncteme."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from semipunct.marks import FINAL, INITIAL, OPEN, START, UNK
from semipunct.models.punctuation.inventory import build_inventory
from semipunct.models.punctuation.options import ModelOptions
from tests.models.punctuation.cases import TRAINING, model, sentence, spelling_probability

TINY = {"minimum_token_count": 2, "minimum_pair_count": 1, "minimum_context_count": 1}
SOME = (
    sentence([2, 0], ["“", "” ,", "."], ["advmod", "root"]),
    sentence([2, 0], ["“", "”", ". !"], ["advmod", "root"]),
    sentence([0, 1], ["", ",", ""], ["root", "dep"]),
)


def test_symbols_and_tokens():
    inventory = build_inventory(SOME, ModelOptions(**TINY))
    assert inventory.symbols[:5] == (START, INITIAL, FINAL, OPEN, UNK)
    # Most frequent first, ties in code point order; tokens that occur once are unknown.
    assert inventory.symbols[5:] == (",", ".", "“", "”")
    assert set(inventory.tokens) == {UNK, ",", ".", "“", "”"}
    number = inventory.symbols.index
    assert inventory.encode(("^", ",", "!", "<open>")) == (
        number(INITIAL), number(","), number(UNK), number(UNK)
    )  # fmt: skip


def test_pairs_are_parts_of_what_flanks_constituents_and_every_single_token():
    inventory = build_inventory(SOME, ModelOptions(**TINY))
    pairs = [inventory.pair_name(p) for p in range(len(inventory.pairs))]
    assert len(set(pairs)) == len(pairs)
    assert pairs[0] == ((), ())
    assert inventory.labels[0] == ()
    seen = {
        (("“",), ("”", ",")), (("“",), ("”",)), (("“",), (",",)), ((), ("”", ",")),
        (("“",), (".",)), (("“",), (".", UNK)), (("“",), (UNK,)), ((), (".", UNK)),
        ((",",), ()), ((), (",",)),
    }  # fmt: skip
    assert seen <= set(pairs)
    for token in (*inventory.tokens, OPEN):
        assert {((token,), ()), ((), (token,))} <= set(pairs)
    assert ((OPEN,), (OPEN,)) in pairs
    extra = set(pairs) - seen
    assert all(len(left) + len(right) <= 1 or (left, right) == ((OPEN,), (OPEN,))
               for left, right in extra if OPEN in left + right)  # fmt: skip
    assert inventory.allowed is None


def test_longer_punctemes_and_rarer_pairs_are_left_to_the_back_off():
    options = ModelOptions(**{**TINY, "longest_puncteme": 1, "minimum_pair_count": 2})
    inventory = build_inventory(SOME, options)
    assert max(map(len, inventory.labels)) == 1
    pairs = {inventory.pair_name(p) for p in range(len(inventory.pairs))}
    assert (("“",), ("”",)) in pairs  # twice
    assert (("“",), (",",)) not in pairs  # once


def test_counts_are_of_whole_strings_by_relation():
    inventory = build_inventory(SOME, ModelOptions(**TINY))
    pairs = {inventory.pair_name(p): p for p in range(len(inventory.pairs))}
    row = {relation: i for i, relation in enumerate(inventory.relations)}
    assert inventory.counts.shape == (len(row) + 1, len(pairs))
    assert inventory.counts[row["advmod"], pairs[("“",), ("”",)]] == 1
    assert inventory.counts[row["advmod"], pairs[("“",), ("”", ",")]] == 1
    assert inventory.counts[row["dep"], pairs[(",",), ()]] == 1
    assert inventory.counts[row["root"], pairs[(), ()]] == 1
    np.testing.assert_array_equal(inventory.counts[-1], inventory.counts[:-1].sum(0))


def test_hard_sets_are_the_papers():
    """V: all surface strings; W_d: all pairs of them around a constituent of the relation."""
    inventory = build_inventory(SOME, ModelOptions(**TINY, hard_sets=True))
    pairs = {inventory.pair_name(p): p for p in range(len(inventory.pairs))}
    assert set(pairs) == {
        (("“",), ("”", ",")), (("“",), ("”",)), (("“",), (".",)), (("“",), (".", UNK)),
        ((), ()), ((",",), ()),
    }  # fmt: skip
    assert inventory.allowed is not None
    row = {relation: i for i, relation in enumerate(inventory.relations)}
    allowed = {p for p, i in pairs.items() if inventory.allowed[row["advmod"], i]}
    assert allowed == {(("“",), ("”", ",")), (("“",), ("”",))}
    # An unseen relation permits all pairs of any relation.
    assert inventory.allowed[-1].all()


def test_spelling_is_a_distribution_over_strings_of_at_least_one_token():
    """The length is geometric: the mass of strings of up to k tokens converges to 1."""
    inventory = model("l2r").inventory
    tokens = [inventory.symbols.index(t) for t in inventory.tokens]
    spelling = inventory.spelling
    assert spelling_probability(spelling, []) == 0
    mass = 0.0
    for length in range(1, 5):
        strings = itertools.product(tokens, repeat=length)
        mass += math.fsum(spelling_probability(spelling, s) for s in strings)
        assert mass == pytest.approx(1 - (1 - spelling.stop) ** length, rel=1e-9)


def test_the_inventory_does_not_depend_on_the_order_of_sentences():
    options = ModelOptions(**TINY)
    in_order, reversed_order = (build_inventory(s, options) for s in (TRAINING, TRAINING[::-1]))
    assert in_order.symbols == reversed_order.symbols
    assert in_order.labels == reversed_order.labels
    np.testing.assert_array_equal(in_order.pairs, reversed_order.pairs)
    np.testing.assert_array_equal(in_order.counts, reversed_order.counts)
    assert in_order.spelling == reversed_order.spelling
