"""Categorical distributions, each shared by identical draws."""

from collections import Counter

import numpy as np

from semipunct.models.punctuation.draws import Categorical
from tests.models.punctuation.frequencies import pvalue

DRAWS = 20_000


def test_a_point_chooses_an_outcome():
    log_weight = np.array([[0.0, np.log(2), 0.0], [np.log(3), -np.inf, 0.0]], np.float32)
    distribution = np.array([0, 0, 0, 0, 1, 1, 1])
    choice = Categorical.of(log_weight - 50, distribution)
    points = np.array([0.0, 0.24, 0.26, 0.76, 0.74, 0.76, 0.999])
    assert choice.draw(points).tolist() == [0, 0, 1, 2, 0, 2, 2]
    np.testing.assert_allclose(choice.probability(0), [0.25] * 4 + [0.75] * 3, rtol=1e-6)
    np.testing.assert_allclose(choice.probability(1), [0.5] * 4 + [0.0] * 3, rtol=1e-6)


def test_outcomes_are_as_frequent_as_they_are_probable():
    generator = np.random.default_rng(4)
    scores = generator.normal(0, 2, (3, 40)).astype(np.float32)
    scores[1, ::3] = -np.inf
    distribution = np.arange(3 * DRAWS) % 3
    drawn = Categorical.of(scores, distribution).draw(generator.random(3 * DRAWS))
    for d, weights in enumerate(np.exp(scores.astype(np.float64))):
        expected = dict(enumerate((weights / weights.sum()).tolist()))
        counts = Counter(drawn[distribution == d].tolist())
        assert all(expected[x] > 0 for x in counts)
        assert pvalue(counts, expected, DRAWS) > 1e-4


def test_scores_far_from_zero_neither_overflow_nor_vanish():
    scores = np.array([[1000.0, 1000.0], [-1000.0, -1000.0]], np.float32)
    choice = Categorical.of(scores, np.array([0, 1]))
    np.testing.assert_array_equal(choice.probability(1), [0.5, 0.5])


def test_no_draws():
    assert (
        Categorical.of(np.zeros((2, 3), np.float32), np.zeros(0, int)).draw(np.zeros(0)).size == 0
    )
