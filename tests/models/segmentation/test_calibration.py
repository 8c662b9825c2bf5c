"""Temperatures with which held-out sentence ends are most probable."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from semipunct.models.scoring import Batches
from semipunct.models.segmentation.guises import IN_GUISE
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tags import LAST, STOP
from semipunct.models.segmentation.tokeniser import HIGHEST, TEMPERATURE, temperature
from tests.models.segmentation.passages import generated, is_possible, passage


def test_limits():
    odds = np.array([2.0, -1.0])
    assert temperature(odds, odds > 0) == pytest.approx(1, abs=1e-3)
    assert temperature(odds, odds < 0) == pytest.approx(HIGHEST, rel=1e-3)
    assert temperature(np.zeros(0), np.zeros(0, bool)) == 1.0
    assert temperature(np.full(2, np.nan), odds > 0) == 1.0


@given(st.lists(st.tuples(st.floats(-20, 20), st.booleans()), min_size=1, max_size=20))
def test_no_other_temperature_is_better(tokens: list[tuple[float, bool]]):
    odds, ends = np.array([o for o, _ in tokens]), np.array([e for _, e in tokens])
    right = np.where(ends, odds, -odds)

    def likelihood(t: float) -> float:
        return float(-np.log1p(np.exp(-right / t)).sum())

    best = likelihood(temperature(odds, ends))
    assert all(best >= likelihood(t) - 1e-4 * len(ends) for t in np.linspace(1, HIGHEST, 29))


def test_the_temperature_is_that_of_the_development_passages(untrained: Segmenter):
    """The log-odds are computed from a list of all taggings of each passage and guise."""
    model, own_weights = untrained.model, untrained.parameters
    written = ["al gu"], ["So", "gu"], ["o al o"], ["So", "ba o"]
    passages = [passage(*sentences) for sentences in written]
    odds, ends = [], []
    for gold in (IN_GUISE[guise](p) for p in passages for guise in model.options.guises):
        score, transition = (
            untrained._scores(own_weights, [gold.text])[0],
            own_weights["transition"],
        )
        taggings = [
            t for t in product(range(4), repeat=len(gold.text)) if is_possible(t, gold.text)
        ]
        weights = [
            sum(score[i, t] for i, t in enumerate(tags))
            + sum(transition[before, after] for before, after in pairwise(tags))
            for tags in taggings
        ]
        for (_, end), stops in list(zip(gold.tokens, gold.ends, strict=True))[:-1]:
            log_sums = {
                tag: np.logaddexp.reduce(
                    [w for w, t in zip(weights, taggings, strict=True) if t[end - 1] == tag]
                )
                for tag in (LAST, STOP)
            }
            odds.append(log_sums[STOP] - log_sums[LAST])
            ends.append(stops)
    assert {*ends} == {True, False}
    expected = temperature(np.array(odds), np.array(ends))
    assert 2 < expected < HIGHEST / 2  # otherwise the case would prove little
    calibrated = model.calibrate(own_weights, Batches(model, model.encode(passages)))
    assert calibrated[TEMPERATURE] == pytest.approx(expected, rel=1e-2)
    assert calibrated.keys() == own_weights.keys()
    assert all(calibrated[name] is own_weights[name] for name in own_weights.keys() - {TEMPERATURE})


def test_a_high_temperature_makes_sentence_ends_uncertain(
    untrained: Segmenter, monkeypatch: pytest.MonkeyPatch
):
    from semipunct.models.segmentation import segmenter

    seen: list[np.ndarray] = []

    def noted(probability: np.ndarray) -> np.ndarray:
        seen.append(probability.copy())
        return np.ones(len(probability), bool)

    monkeypatch.setattr(segmenter, "sentence_ends", noted)
    text = generated(1, 5)[0].text
    weights = dict(untrained.parameters)
    for value in (1.0, 4.0):
        weights[TEMPERATURE] = np.float32(value)
        replace(untrained, parameters=weights).segment([text])
    cold, hot = (special.logit(p[:-1].astype(float)) for p in seen)  # the last one is certain
    open_ = np.abs(cold) < 8  # float32 does not hold those nearer to one
    np.testing.assert_allclose(hot[open_], cold[open_] / 4, rtol=1e-2)
    assert np.abs(cold).max() > 0.1
