"""Threefry compared with published results, and tests of the randomness of its bits."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from semirings.threefry import threefry_2x32

COUNTERS = 2**16
ONES = 0xFFFFFFFF
PI = (0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344)


# The file kat_vectors of Random123, the authors' library: rounds, counter, key, result.
@pytest.mark.parametrize(
    "rounds, counter, key, result",
    [
        (13, (0, 0), (0, 0), (0x9D1C5EC6, 0x8BD50731)),
        (13, (ONES, ONES), (ONES, ONES), (0xFD36D048, 0x2D17272C)),
        (13, *PI, (0xBA3E4725, 0xF27D669E)),
        (20, (0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        (20, (ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        (20, *PI, (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(rounds: int, counter: tuple[int, int], key: tuple[int, int], result):
    words = np.array(counter, np.uint32)
    block = threefry_2x32(key, (jnp.asarray(words[0]), jnp.asarray(words[1])), rounds)
    assert tuple(map(int, block)) == result


@cache
def stream() -> np.ndarray:
    """Return ``[counters, 2]`` words for the counters 0, 1, 2, ... under one key."""
    low = jnp.arange(COUNTERS, dtype=jnp.uint32)
    words = jax.jit(lambda low: threefry_2x32((0, 0), (jnp.zeros_like(low), low)))(low)
    return np.stack(words, 1)


def test_bytes_are_uniform():
    each = stream().view(np.uint8)
    for position in range(8):
        counts = np.bincount(each[:, position], minlength=256)
        assert stats.chisquare(counts).pvalue > 1e-3, position


@pytest.mark.parametrize("lag", [1, 2, 3, 64])
def test_successive_words_are_independent(lag: int):
    """A table of pairs of bytes at both ends of words, and the correlation of whole words."""
    words = stream()
    for before, after in ((words[:-lag, 0], words[lag:, 0]), (words[:-lag, 0], words[lag:, 1])):
        assert stats.pearsonr(before.astype(float), after.astype(float)).pvalue > 1e-3
        for shift in (0, 28):
            x, y = before >> shift & 15, after >> shift & 15
            table = np.bincount(x * 16 + y, minlength=256).reshape(16, 16)
            assert stats.chi2_contingency(table).pvalue > 1e-3


def test_the_two_words_of_a_block_are_independent():
    x, y = (stream() >> 28).T
    table = np.bincount(x * 16 + y, minlength=256).reshape(16, 16)
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_every_bit_of_key_and_counter_flips_half_of_the_bits():
    """Avalanche: 128 inputs by 64 outputs, each of which flips in about half of the blocks."""
    blocks, inputs = 2000, 128
    generator = np.random.default_rng(0)
    blocks_in = generator.integers(0, 2**32, (4, blocks), dtype=np.uint32)
    flipped = np.repeat(blocks_in[:, None], inputs, 1)
    for bit in range(inputs):
        flipped[bit // 32, bit] ^= np.uint32(1 << bit % 32)

    @jax.jit
    def bits(words: jax.Array) -> tuple[jax.Array, jax.Array]:
        return threefry_2x32((words[0], words[1]), (words[2], words[3]))

    changed = np.stack(bits(flipped)) ^ np.stack(bits(blocks_in))[:, None]
    flips = np.unpackbits(changed[..., None].view(np.uint8), axis=-1).sum(2)
    scores = (flips - blocks / 2) / np.sqrt(blocks / 4)
    assert scores.size == inputs * 64
    assert np.abs(scores).max() < stats.norm.isf(1e-3 / scores.size)
    assert 1e-3 < stats.chi2.sf(np.sum(scores**2), scores.size) < 1 - 1e-3
