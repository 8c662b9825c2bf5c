"""Odds of other strings in a slot: what is compared, and the probability of a mistake."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

import semipunct
from semipunct.corpus import Sentence
from semipunct.marks import ABBREVIATION
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.trained import model_of_kind
from semipunct.treebanks.slot_odds import Calibration, UsualStrings, slot_odds
from tests.models.punctuation.cases import sentence
from tests.trained import Finished, Tiny


def with_slots(text: str) -> Sentence:
    """Build a sentence of words ``_`` and marks."""
    slots = text.split("_")
    return sentence([0, *[1] * (len(slots) - 2)], slots)


TREEBANK = [
    with_slots("_ , _ ."),
    with_slots("_ , _ ."),
    with_slots("_ ; _ ?"),
    with_slots("_ _ ."),
]
USUAL = UsualStrings.of(TREEBANK)


def test_strings_to_compare_with():
    doubled = with_slots("_ , , _ .")
    assert USUAL.others(doubled, 1) == [(",",), (";",), ()]
    assert USUAL.others(doubled, 0) == []
    assert USUAL.others(doubled, 2) == [(), ("?",)]
    assert USUAL.others(with_slots("_ _"), 2) == [(".",), ("?",)]
    assert USUAL.others(replace(doubled, closed=frozenset((1,))), 1) == []
    # The dot of an abbreviation belongs to its word.
    assert USUAL.others(with_slots(f"_ {ABBREVIATION} _"), 1) == [(ABBREVIATION, ",")]


def test_no_partner_is_left_alone():
    bracketed = with_slots("( _ ) , _ .")
    assert USUAL.others(bracketed, 0) == []
    assert all(")" in string for string in USUAL.others(bracketed, 1))
    assert () in USUAL.others(with_slots("_ ) _ ."), 1)  # it has no partner
    with_brackets = UsualStrings.of([with_slots("_ ( _ ."), with_slots("_ , _ .")])
    assert with_brackets.others(with_slots("_ _ ."), 1) == []


def test_a_rare_mark_is_seldom_a_mistake():
    assert USUAL.log_error((",",), ()) == USUAL.log_error((",",), (",", ",")) == 0
    assert USUAL.log_error((",",), (";",)) == pytest.approx(log(1 / 7))
    assert USUAL.log_error((), (",",)) == pytest.approx(log(2 / 7) + log(7 / 12))


def test_odds_are_ratios_of_likelihoods(tiny: Tiny, finished: Finished):
    trained = semipunct.load(finished.folder)
    fitted, weights = model_of_kind(trained, PunctuationModel), trained.parameters
    sentences = list(tiny.dev[:1])
    usual = UsualStrings.of(tiny.dev)
    for one, odds in zip(sentences, slot_odds(trained, sentences, usual), strict=True):
        (written,) = corpus_log_likelihood(fitted, weights, [one])
        for slot, string, log_odds, sum_of_all in odds:
            others = [
                replace(one, slots=(*one.slots[:slot], other, *one.slots[slot + 1 :]))
                for other in usual.others(one, slot)
            ]
            scores = corpus_log_likelihood(fitted, weights, others)
            odds_of = {
                other.slots[slot]: float(score - written)
                for other, score in zip(others, scores.tolist(), strict=True)
            }
            scores_of = {s: o + usual.log_error(s, one.slots[slot]) for s, o in odds_of.items()}
            assert log_odds == pytest.approx(odds_of[string], abs=1e-3)
            assert scores_of[string] == max(scores_of.values())
            # So few sentences are no evidence for a calibration.
            assert sum_of_all == pytest.approx(log(sum(map(exp, scores_of.values()))), abs=1e-3)


def test_odds_that_are_too_sure_are_corrected():
    generator = np.random.default_rng(1)
    true = generator.normal(0, 2, 4000)
    written = generator.random(4000) < 1 / (1 + np.exp(-true))
    comma, stop = ("inner", (",",)), ("last", (".",))
    seen = [(comma, 2 * o - 1, bool(w)) for o, w in zip(true, written, strict=True)]
    seen += [(stop, o, bool(w)) for _, o, w in seen[:90]]
    calibration = Calibration.of(seen)
    for odds in (-4.0, 0.0, 6.0):
        expected = (odds + 1) / 2
        assert calibration.log_odds(comma, odds, is_written=False) == pytest.approx(
            expected, abs=0.2
        )
        assert calibration.log_odds(comma, -odds, is_written=True) == pytest.approx(
            -expected, abs=0.2
        )
        # Ninety slots are no evidence.
        assert calibration.log_odds(stop, odds, is_written=False) == odds
    assert Calibration.of((comma, -o, w) for _, o, w in seen[:500]).lines == {}
