"""Threefry-2x32: random bits as a pure function of a key and a counter.

Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy as 1, 2, 3. The function of
``jax.random``, with a counter for every entry (docs/decisions/semirings.md).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

# Two arrays of uint32.
Words = tuple[jax.Array, jax.Array]

# The authors recommend 20 rounds; 13 pass all tests of BigCrush.
_ROUNDS = 20
_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = np.uint32(0x1BD11BDA)


def threefry_2x32(key: Words | tuple[int, int], counter: Words) -> Words:
    """Return two words of random bits for each counter, a bijection for each key."""
    first, second = (jnp.asarray(word, jnp.uint32) for word in key)
    schedule = first, second, first ^ second ^ _PARITY
    x, y = counter[0] + first, counter[1] + second
    for number in range(1, _ROUNDS + 1):
        x = x + y
        y = _rotated(y, _ROTATIONS[(number - 1) % len(_ROTATIONS)]) ^ x
        if number % 4 == 0:
            injected = number // 4
            x = x + schedule[injected % 3]
            y = y + (schedule[(injected + 1) % 3] + np.uint32(injected))
    return x, y


def _rotated(words: jax.Array, bits: int) -> jax.Array:
    return jnp.left_shift(words, np.uint32(bits)) | jnp.right_shift(words, np.uint32(32 - bits))
