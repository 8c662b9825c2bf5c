"""Sentences of maximum expected F1, compared with an enumeration of all segmentations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.models.segmentation.sentences import SPAN, sentence_ends


def expected_f1(p: Sequence[float], ends: Sequence[bool]) -> float:
    """Compute it from its definition: twice the correct sentences over gold plus predicted ones."""
    right, begin = 0.0, 0
    for at, end in enumerate(ends):
        if end:
            before = p[begin - 1] if begin else 1.0
            right += before * p[at] * np.prod([1 - x for x in p[begin:at]])
            begin = at + 1
    return 2 * right / (sum(p) + sum(ends))


@given(st.lists(st.floats(0.02, 1), max_size=7))
def test_no_other_way_to_cut_is_better(inner: list[float]):
    p = [*inner, 1.0]
    ways = [(*way, True) for way in itertools.product((False, True), repeat=len(inner))]
    best = max(expected_f1(p, way) for way in ways)
    ends = sentence_ends(np.array(p)).tolist()
    assert expected_f1(p, ends) == pytest.approx(best, abs=1e-9)


def test_ends_that_are_not_quite_probable_are_taken():
    """No end is more likely than not, but a single sentence of 30 tokens is nearly impossible."""
    p = np.full(30, 0.3)
    ends = sentence_ends(p)
    assert ends.sum() > 2
    assert ends[-1]
    assert (p == 0.3).all()  # is not modified


def test_what_is_certain_stays():
    p = np.zeros(500)
    p[[99, 300]] = 1.0
    assert np.flatnonzero(sentence_ends(p)).tolist() == [99, 300, 499]


def test_many_ends_in_question():
    p = np.full(4 * SPAN, 0.011)
    ends = np.flatnonzero(sentence_ends(p))
    assert np.diff(ends, prepend=-1).max() <= SPAN


def test_no_tokens_and_one():
    assert sentence_ends(np.zeros(0)).tolist() == []
    assert sentence_ends(np.zeros(1)).tolist() == [True]
