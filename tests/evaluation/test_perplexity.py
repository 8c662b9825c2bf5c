import math

import numpy as np
import pytest

from semipunct.evaluation.perplexity import PerplexityStatistics


def test_perplexity_of_a_tiny_case():
    log_p = np.log([1 / 2, 1 / 8, 0.0], out=np.full(3, -np.inf), where=[True, True, False])
    figures = PerplexityStatistics(log_p, np.array([2, 2, 3])).figures()
    # 16 ** (1 / 4) over the 4 slots of the first two sentences
    assert figures.perplexity_of_scorable == pytest.approx(2)
    assert (figures.perplexity, figures.log_likelihood) == (math.inf, -math.inf)
    assert (figures.sentences, figures.slots, figures.unscorable) == (3, 7, 1)
    assert figures.as_dict()["perplexity"] is None
    assert figures.rows()[0] == ("perplexity per slot", "inf")
    assert len(figures.rows()) == 6
    figures = PerplexityStatistics(log_p[:2], np.array([2, 2])).figures()
    assert figures.perplexity == figures.perplexity_of_scorable == pytest.approx(2)
    assert len(figures.rows()) == 4  # without sentences of probability zero
    assert PerplexityStatistics(np.array([-1e6]), np.array([2])).score == math.inf
    assert math.isnan(PerplexityStatistics(np.zeros(0), np.zeros(0, np.int64)).figures().perplexity)


@pytest.mark.parametrize(
    "log_p, slots, complaint",
    [
        ([-1.0, math.nan], [1, 1], "sentence 2: log_likelihood is NaN"),
        ([-1.0, 0.5], [1, 1], "sentence 2: log_likelihood is positive"),
        ([-1.0, math.inf], [1, 1], "sentence 2: log_likelihood is positive"),
        ([-1.0, -1.0], [1, 0], "sentence 2: there is no slot"),
        ([-1.0], [1, 1], "log_likelihood has 1 sentence and slots has 2"),
    ],
)
def test_scores_that_cannot_be(log_p: list[float], slots: list[int], complaint: str):
    with pytest.raises(ValueError, match=complaint):
        PerplexityStatistics(np.array(log_p), np.array(slots))
