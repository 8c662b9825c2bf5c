"""Threefry compared with published results."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from semirings.threefry import threefry_2x32

ONES = 0xFFFFFFFF
PI = (0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344)


# The file kat_vectors of Random123, the authors' library, for 20 rounds.
@pytest.mark.parametrize(
    "counter, key, result",
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        (*PI, (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(counter: tuple[int, int], key: tuple[int, int], result):
    words = np.array(counter, np.uint32)
    block = threefry_2x32(key, (jnp.asarray(words[0]), jnp.asarray(words[1])))
    assert tuple(map(int, block)) == result
