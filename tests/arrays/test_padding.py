"""Batches of sentences: every sentence once, and few words of padding."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.arrays.padding import balanced, shuffled


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_every_sentence_is_in_one_batch(lengths: list[int], batch: int, seed: int):
    together = list(balanced(lengths, batch, np.random.default_rng(seed)))
    assert sorted(chain.from_iterable(together)) == list(range(len(lengths)))
    assert all(together)
    assert len(together) == len(list(shuffled(len(lengths), batch, np.random.default_rng(seed))))


def test_batches_have_about_equally_many_words():
    lengths = np.random.default_rng(0).integers(1, 60, 1000)
    order = np.random.default_rng(1)
    words = [int(lengths[members].sum()) for members in balanced(lengths.tolist(), 20, order)]
    assert max(words) - min(words) <= 2 * lengths.max()
