"""Span agreement."""

import pytest

from semipunct.evaluation.segmentation import SpanCounts


def test_f1_written_out():
    counts = SpanCounts.of([(0, 2), (3, 5), (5, 6)], [(0, 2), (3, 6)])
    assert counts == (3, 2, 1)
    assert counts.f1 == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert counts.plus(SpanCounts(1, 1, 1)) == (4, 3, 2)


def test_nothing_to_find():
    assert SpanCounts().f1 == 1.0
    assert SpanCounts.of([], [(0, 1)]).f1 == 0.0
