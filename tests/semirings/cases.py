"""The semirings under test, random log weights, and comparison of values."""

from __future__ import annotations

import jax
import numpy as np
from hypothesis import strategies as st

from semirings import (
    Boolean,
    Counting,
    Covariance,
    Derivation,
    Divergence,
    Entropy,
    Expectation,
    KBest,
    Log,
    Product,
    Provenance,
    Real,
    Risk,
    Sampling,
    Semiring,
    SignedLog,
    Tropical,
    Value,
    Viterbi,
)
from tests.semirings.strings import Strings

SEMIRINGS: tuple[Semiring, ...] = (
    Covariance(),
    Derivation(),
    Divergence(),
    Entropy(),
    Expectation(),
    KBest(2),
    Log(),
    Product(),
    Real(),
    Risk(),
    Sampling(),
    SignedLog(),
    Tropical(),
    Viterbi(),
)
"""Semirings with float values."""

EVERY: tuple[Semiring, ...] = (
    *SEMIRINGS,
    Boolean(),
    Counting(),
    Product(Viterbi(), Strings()),
    Provenance(),
    Strings(),
)
"""All semirings of the project, some with parameters."""

SHAPE = (3, 2, 4)
"""The padded shape of random values."""


def same(value: Value, expected: Value, tolerance: float = 1e-4) -> None:
    """Fail unless two values agree, leaf by leaf."""
    assert jax.tree.structure(value) == jax.tree.structure(expected)
    for x, y in zip(jax.tree.leaves(value), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@st.composite
def log_weights(draw: st.DrawFn, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    """Log weights that include zeros of the semiring and ties."""
    size = int(np.prod(shape))
    some = st.one_of(st.just(-np.inf), st.integers(-3, 3), st.floats(-5, 5, width=32))
    return np.array(draw(st.lists(some, min_size=size, max_size=size)), np.float32).reshape(shape)


@st.composite
def features(draw: st.DrawFn, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    """Small features."""
    size = int(np.prod(shape))
    some = st.integers(-2, 2)
    return np.array(draw(st.lists(some, min_size=size, max_size=size)), np.float32).reshape(shape)
