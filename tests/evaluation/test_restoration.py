import json
import math
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.evaluation.restoration import (
    PairingFigures,
    Score,
    occurring_pairs,
    restoration_statistics,
)
from semipunct.marks import PAIRS, Puncteme
from semipunct.marks.matching import pairing_errors
from tests.evaluation.cases import GOLD, PREDICTED

tokens = st.sampled_from([",", ".", "“", "”", "''", "<abbr>"])
punctemes = st.lists(tokens, max_size=5).map(tuple)
pairs_of_sentences = st.lists(
    st.lists(st.tuples(punctemes, punctemes), min_size=1, max_size=5), max_size=4
)


def test_every_number_of_a_tiny_case():
    figures = restoration_statistics(GOLD, PREDICTED).figures()
    assert figures.sentences == 4
    assert figures.slots == 4 + 4 + 3 + 2
    assert figures.edit_distance == 1 + (1 + 2 + 1) + (1 + 1 + 1) + 0
    assert figures.average_edit_distance == 8 / 13
    assert figures.rows()[3:6] == [
        ("F1 over all marks", "0.6316"), ("  precision", "0.6000"), ("  recall", "0.6667")
    ]  # fmt: skip
    assert figures.exact_slots == 3 + 1 + 0 + 2
    assert figures.slot_accuracy == 6 / 13
    assert (figures.exact_sentences, figures.sentence_accuracy) == (1, 1 / 4)
    assert figures.marks == {  # true positives, predicted, gold
        "!": Score.of(0, 1, 0),
        "(": Score.of(0, 1, 1),
        ")": Score.of(1, 2, 1),
        ",": Score.of(0 + 1, 0 + 2, 1 + 1),
        ".": Score.of(1 + 0 + 1, 1 + 0 + 1, 1 + 1 + 1),
        "“": Score.of(1, 1, 1),
        "”": Score.of(1, 1, 1),
    }
    assert figures.micro == Score.of(6, 10, 9)
    assert figures.micro.precision == 6 / 10
    assert figures.micro.recall == 6 / 9
    assert figures.micro.f1 == pytest.approx(2 * (6 / 10) * (6 / 9) / (6 / 10 + 6 / 9))
    assert figures.macro.precision == pytest.approx((0 + 0 + 1 / 2 + 1 / 2 + 1 + 1 + 1) / 7)
    # ! has no recall, because it does not occur in the gold standard.
    assert figures.macro.recall == pytest.approx((0 + 1 + 1 / 2 + 2 / 3 + 1 + 1) / 6)
    assert figures.macro.f1 == pytest.approx((0 + 0 + 2 / 3 + 1 / 2 + 4 / 5 + 1 + 1) / 7)
    assert figures.pairing_errors.predicted == PairingFigures(openings=0, closings=1)
    assert figures.pairing_errors.gold == PairingFigures(openings=0, closings=0)


@pytest.mark.parametrize("gold", [[], [[(), ()]]], ids=["no sentence", "no mark"])
def test_what_is_undefined_is_nan_and_not_zero(gold: list[list[Puncteme]]):
    figures = restoration_statistics(gold, gold).figures()
    assert set(figures.micro.as_dict().values()) == {None, 0}
    assert set(figures.macro.as_dict().values()) == {None}
    assert math.isnan(figures.average_edit_distance) == (not gold)
    json.dumps(figures.as_dict(), allow_nan=False)


@given(pairs_of_sentences)
def test_corpus_figures_are_sums_over_sentences(data: list[list[tuple[Puncteme, Puncteme]]]):
    gold, predicted = ([[pair[side] for pair in s] for s in data] for side in (0, 1))
    whole = restoration_statistics(gold, predicted, PAIRS).figures()
    alone = [
        restoration_statistics([g], [p], PAIRS).figures()
        for g, p in zip(gold, predicted, strict=True)
    ]
    for name in ("sentences", "slots", "edit_distance", "exact_slots", "exact_sentences"):
        assert getattr(whole, name) == sum(getattr(f, name) for f in alone)
    for mark, score in whole.marks.items():
        of_mark = [f.marks[mark] for f in alone if mark in f.marks]
        assert score.true_positives == sum(s.true_positives for s in of_mark)
        assert score.predicted == sum(s.predicted for s in of_mark)
        assert score.gold == sum(s.gold for s in of_mark)
    for side in ("gold", "predicted"):
        for place in ("openings", "closings"):
            read = attrgetter(f"pairing_errors.{side}.{place}")
            assert read(whole) == sum(map(read, alone))


def test_only_pairs_that_occur_in_the_truth_count():
    english = [[("(",), (")",), ("!",)]]
    spanish = [[("¡",), ("!",), ("?",)]]
    assert occurring_pairs(english) == {("(", ")")}
    assert occurring_pairs(spanish) == {("¡", "!")}
    assert pairing_errors(english[0], occurring_pairs(english)) == (0, 0)
    assert pairing_errors(spanish[0], occurring_pairs(spanish)) == (0, 0)
    # A system that writes ¡ does not affect what is counted, in the gold standard or in its output.
    statistics = restoration_statistics(english, [[("(",), (), ("¡",)]])
    assert statistics.pairs == {("(", ")")}
    assert statistics.figures().pairing_errors.as_dict() == {
        "predicted": {"openings": 1, "closings": 0},
        "gold": {"openings": 0, "closings": 0},
    }
    figures = restoration_statistics(english, english, PAIRS).figures()
    assert figures.pairing_errors.gold == PairingFigures(openings=0, closings=1)


def test_words_must_not_change():
    with pytest.raises(UsageError, match="1 gold sentences and 2 predicted"):
        restoration_statistics([[()]], [[()], [()]])
    with pytest.raises(UsageError, match="sentence 2: 2 gold slots and 3 predicted"):
        restoration_statistics([[()], [(), ()]], [[()], [(), (), ()]])


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"slots": np.array([4, 4, 3])}, "slots has 3 sentences and edit_distance has 4"),
        ({"slots": np.array([4, 4, 3, 0])}, "sentence 4: there is no slot"),
        ({"edit_distance": np.array([1, -4, 3, 0])}, "sentence 2: edit_distance is negative"),
        ({"edit_distance": np.array([1, 2, 3, 0])}, "sentence 2: fewer edits than wrong slots"),
        ({"edit_distance": np.array([1, 4, 3, 1])}, "sentence 4: exact slots against edit"),
        ({"exact_slots": np.array([5, 1, 0, 2])}, "sentence 1: more exact slots than slots"),
        ({"predicted": np.zeros((4, 7), int)}, "sentence 1: more true positives than tokens"),
        ({"gold": np.zeros((4, 6), int)}, r"gold has shape \(4, 6\)"),
        ({"gold_pairing": np.zeros((4, 3), int)}, "gold_pairing has shape"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        replace(restoration_statistics(GOLD, PREDICTED), **changes)
