"""Means of distributions over slot strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.pipelines.distributions import SlotPosterior, mean

COMMA, NONE, PERIOD = (",",), (), (".",)


def test_a_mean_written_out():
    a = SlotPosterior((NONE, COMMA), np.array([0.75, 0.25]))
    b = SlotPosterior((COMMA, PERIOD), np.array([0.5, 0.5]))
    found = mean([a, b], [0.8, 0.2])
    assert found.strings == (NONE, COMMA, PERIOD)
    np.testing.assert_allclose(found.probability, [0.6, 0.3, 0.1])


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=5), st.floats(0, 1))
def test_the_mean_of_a_distribution_with_itself_is_itself(weights: list[float], share: float):
    share_of = np.sort(np.array(weights) / np.sum(weights))[::-1]
    one = SlotPosterior(tuple((",",) * n for n in range(len(weights))), share_of)
    found = mean([one, one], [1 - share, share])
    assert {s: pytest.approx(p) for s, p in zip(one.strings, share_of, strict=True)} == dict(
        zip(found.strings, found.probability.tolist(), strict=True)
    )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_ends_are_the_two_themselves(share: float):
    a, b = (SlotPosterior((s,), np.ones(1)) for s in (COMMA, PERIOD))
    assert mean([a, b], [1 - share, share]).strings == ((PERIOD,) if share else (COMMA,))
