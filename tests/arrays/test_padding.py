"""Batches of sentences: every sentence occurs once, with little padding."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from semipunct.arrays.padding import (
    balanced_batches,
    bucketed_batches,
    buckets,
    in_small_batches,
    pad_rows,
    padded_length,
    room,
    row_lengths,
    shuffled_batches,
)


# By words alone, all batches would end before or after the long sentence.
@example([1, 1, 1, 500, 1, 1, 1, 1], 2, 0)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_every_sentence_is_in_one_batch(lengths: list[int], batch: int, seed: int):
    together = list(balanced_batches(lengths, batch, np.random.default_rng(seed)))
    assert sorted(chain.from_iterable(together)) == list(range(len(lengths)))
    assert all(together)
    assert len(together) == len(
        list(shuffled_batches(len(lengths), batch, np.random.default_rng(seed)))
    )


def test_batches_have_about_equally_many_words():
    lengths = np.random.default_rng(0).integers(1, 60, 1000)
    order = np.random.default_rng(1)
    words = [
        int(lengths[members].sum()) for members in balanced_batches(lengths.tolist(), 20, order)
    ]
    assert max(words) - min(words) <= 2 * lengths.max()


@given(st.lists(st.integers(1, 900), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_sentences_of_a_bucket_have_one_padded_length(lengths: list[int], batch: int, seed: int):
    for generator in (None, np.random.default_rng(seed)):
        together = list(bucketed_batches(lengths, batch, generator))
        assert sorted(chain.from_iterable(together)) == list(range(len(lengths)))
        assert len(together) == buckets(lengths, batch)
        for members in together:
            (length,) = {padded_length(lengths[i]) for i in members}
            assert all(lengths[i] <= length for i in members)
            assert 1 <= len(members) <= room(length, batch)


@given(st.lists(st.integers(1, 400), max_size=60))
def test_the_padding_of_a_sentence_in_a_small_batch_is_its_own(lengths: list[int]):
    """Each sentence is in one batch, whose shape is the same if the sentence is alone."""
    batches = list(in_small_batches(lengths))
    assert sorted(i for members, _ in batches for i in members) == list(range(len(lengths)))
    for members, (size, length) in batches:
        assert 1 <= len(members) <= size
        for i in members:
            assert lengths[i] <= length
            assert list(in_small_batches([lengths[i]])) == [([0], (size, length))]


def test_short_lines_are_padded_little():
    (members, shape), (last_members, again) = in_small_batches([9] * 70)
    assert (len(members), len(last_members)) == (64, 6)
    assert shape == again == (64, 12)


def test_padded_lengths_written_out():
    assert [padded_length(n) for n in (1, 8, 9, 12, 13, 24, 25, 33, 400)] == [
        16, 16, 16, 16, 16, 24, 32, 48, 512,
    ]  # fmt: skip
    # The total number of words is about constant; a long sentence is a batch of its own.
    assert [room(n, 32) for n in (8, 24, 48, 512, 1024)] == [96, 32, 16, 1, 1]


def test_padded_arrays_written_out():
    rows = [np.array([[1, 2], [3, 4]], np.int8), np.array([[5, 6]], np.int8)]
    padded = pad_rows(rows, (3, 3), fill=9)
    assert padded.dtype == np.int8
    nine = [9, 9]
    assert padded.tolist() == [[[1, 2], [3, 4], nine], [[5, 6], nine, nine], [nine] * 3]
    columns = pad_rows([row.T for row in rows], (3, 3), axis=1, fill=9)
    np.testing.assert_array_equal(columns, np.moveaxis(padded, 2, 0))
    assert row_lengths([2, 1], 3).tolist() == [2, 1, 0]
    # A sentence without words consists of padding only.
    assert pad_rows([np.zeros(0, bool)], (1, 2), fill=True).tolist() == [[True, True]]
