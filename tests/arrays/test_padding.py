"""Batches of sentences: every sentence once, and few words of padding."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semipunct.arrays.padding import balanced, bucketed, buckets, padded_length, room, shuffled


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


@given(st.lists(st.integers(1, 900), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_sentences_of_a_bucket_have_one_padded_length(lengths: list[int], batch: int, seed: int):
    for generator in (None, np.random.default_rng(seed)):
        together = list(bucketed(lengths, batch, generator))
        assert sorted(chain.from_iterable(together)) == list(range(len(lengths)))
        assert len(together) == buckets(lengths, batch)
        for members in together:
            (length,) = {padded_length(lengths[i]) for i in members}
            assert all(lengths[i] <= length for i in members)
            assert 1 <= len(members) <= room(length, batch)


def test_padded_lengths_written_out():
    assert [padded_length(n) for n in (1, 8, 9, 12, 13, 24, 25, 33, 400)] == [
        16, 16, 16, 16, 16, 24, 32, 48, 512,
    ]  # fmt: skip
    # As many words in all, whatever the length; a long sentence is a batch of its own.
    assert [room(n, 32) for n in (8, 24, 48, 512, 1024)] == [96, 32, 16, 1, 1]
