"""Small weights are set to zero within a limit on perplexity; removing zeros changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from semipunct.models.punctuation.attach import FEATURES
from semipunct.models.punctuation.decode import corpus_log_likelihood
from semipunct.models.punctuation.pruning import THRESHOLDS, prune_weights, round_weights
from tests.models.punctuation.cases import SENTENCES, model

TEMPLATES = ("N", "L", "S", "side", "history")


def case():
    m = model("l2r", templates=TEMPLATES)
    return m, m.initial_parameters(3, 0.01)


def test_what_is_left_out_changes_nothing():
    m, parameters = case()
    zeroed = round_weights(parameters, 0.012)
    smaller, weights = m.without_zeros(zeroed)
    for name in FEATURES:
        assert 0 < len(weights[name]) < len(parameters[name]) / 2
        assert (weights[name] != 0).all()
    before, after = m.features.sizes, smaller.features.sizes
    assert all(0 < after[table] < before[table] for table in before)
    assert all(len(family.kept) for family in smaller.features.conjunctions)
    expected = corpus_log_likelihood(m, zeroed, SENTENCES)
    np.testing.assert_allclose(
        corpus_log_likelihood(smaller, weights, SENTENCES), expected, rtol=1e-5
    )
    again, unchanged = smaller.without_zeros(weights)
    assert again.features.sizes == smaller.features.sizes
    assert {n: x.tolist() for n, x in unchanged.items()} == {
        n: x.tolist() for n, x in weights.items()
    }


def test_rounding_written_out():
    weights = {name: np.zeros(0, np.float32) for name in FEATURES}
    weights |= {"attach.side": np.array([0.1, -0.02, 0.0199, 0.0], np.float32)}
    weights |= {"attach.pair": np.array([0.001, -0.002], np.float32), "channel": np.ones(2)}
    rounded = round_weights(weights, 0.02)
    np.testing.assert_array_equal(
        rounded["attach.side"], np.float32(np.float16([0.1, -0.02, 0, 0]))
    )
    # The largest weight stays.
    np.testing.assert_array_equal(rounded["attach.pair"], np.float32(np.float16([0.0, -0.002])))
    assert rounded["channel"] is weights["channel"]
    assert {x.dtype for name, x in rounded.items() if name in FEATURES} == {np.dtype(np.float32)}


@pytest.mark.parametrize("allowed", [0, 1, 4, len(THRESHOLDS)])
def test_the_largest_threshold_that_perplexity_allows_for(allowed):
    _, parameters = case()
    count = sum(len(parameters[name]) for name in FEATURES)

    def zeros(weights):
        return sum(int((weights[name] == 0).sum()) for name in FEATURES)

    most = zeros(round_weights(parameters, THRESHOLDS[allowed - 1])) if allowed else 0
    tried = []

    def perplexity(weights):
        tried.append(weights)
        return 1.0 + (zeros(weights) > most)

    pruned = prune_weights(parameters, 0.5, perplexity)
    # Each call is an evaluation, which takes seconds.
    assert len(tried) <= 4
    assert any(pruned is weights for weights in tried) == bool(allowed)
    assert zeros(pruned) == most < count
