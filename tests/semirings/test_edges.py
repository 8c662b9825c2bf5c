"""The tables of value and gradient in the modules of semirings, row by row."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import (
    Derivation,
    Divergence,
    Entropy,
    Expectation,
    KBest,
    Log,
    Real,
    Sampling,
    Semiring,
    SignedLog,
    Viterbi,
)

INF = np.inf
Row = tuple[Callable[..., jax.Array], list[float], float, list[float]]


def weights(semiring: Semiring, operation: str) -> Callable[..., jax.Array]:
    """Apply an operation to lifted log weights, and read the result."""

    def run(*log_weights: jax.Array) -> jax.Array:
        values = (semiring.lift(w) for w in log_weights)
        return semiring.log_weight(getattr(semiring, operation)(*values))

    return run


def means(*log_weights: jax.Array) -> Callable[..., jax.Array]:
    """Compute the mean of a sum of two terms as a function of the features."""
    s = Expectation()

    def run(*feature: jax.Array) -> jax.Array:
        values = (s.lift(jnp.float32(w), c) for w, c in zip(log_weights, feature, strict=True))
        return s.expected_value(s.plus(*values))

    return run


def entropy(*log_weights: jax.Array) -> jax.Array:
    s = Entropy()
    return s.plus(*(s.lift(w) for w in log_weights)).nats


def divergence(*q: float) -> Callable[..., jax.Array]:
    s = Divergence()

    def run(*p: jax.Array) -> jax.Array:
        return s.plus(*(s.lift(w, jnp.float32(o)) for w, o in zip(p, q, strict=True))).nats

    return run


def real(operation: str) -> Callable[..., jax.Array]:
    """Compute on weights instead of log weights."""
    return getattr(Real(), operation)


ROWS: dict[str, Row] = {
    "real, plus of zeros": (real("plus"), [0, 0], 0, [1, 1]),
    "real, times zero": (real("times"), [0, 3], 0, [3, 0]),
    "real, log of zero": (real("log_weight"), [0], -INF, [0]),
    "real, star of one": (real("star"), [1], INF, [0]),
    "log, nothing": (weights(Log(), "plus"), [-INF, -INF], -INF, [0, 0]),
    "log, tie": (weights(Log(), "plus"), [2, 2], 2 + log(2), [0.5, 0.5]),
    "log, infinite": (weights(Log(), "plus"), [INF, 1], INF, [1, 0]),
    "log, zero times infinity": (weights(Log(), "times"), [-INF, INF], -INF, [1, 1]),
    "log, star of one": (weights(Log(), "star"), [0], INF, [0]),
    "log, star close to one": (weights(Log(), "star"), [-1e-9], 9 * log(10), [1e9]),
    "signed, nothing": (weights(SignedLog(), "plus"), [-INF, -INF], -INF, [0, 0]),
    "signed, infinite": (weights(SignedLog(), "plus"), [INF, 1], INF, [0, 0]),
    "signed, zero times infinity": (weights(SignedLog(), "times"), [-INF, INF], -INF, [0, 1]),
    "viterbi, nothing": (weights(Viterbi(), "plus"), [-INF, -INF], -INF, [1, 0]),
    "viterbi, tie": (weights(Viterbi(), "plus"), [2, 2], 2, [1, 0]),
    "viterbi, infinite": (weights(Viterbi(), "plus"), [2, INF], INF, [0, 1]),
    "viterbi, zero times infinity": (weights(Viterbi(), "times"), [-INF, INF], -INF, [1, 1]),
    "viterbi, star": (weights(Viterbi(), "star"), [-1], 0, [0]),
    "viterbi, star that gains": (weights(Viterbi(), "star"), [1], INF, [0]),
    "derivation, tie": (weights(Derivation(), "plus"), [2, 2], 2, [1, 0]),
    "derivation, zero times infinity": (weights(Derivation(), "times"), [-INF, INF], -INF, [1, 1]),
    "kbest, tie": (weights(KBest(2), "plus"), [2, 2], 2, [1, 0]),
    "kbest, nothing": (weights(KBest(2), "plus"), [-INF, -INF], -INF, [1, 0]),
    "sampling, tie": (weights(Sampling(), "plus"), [2, 2], 2 + log(2), [0.5, 0.5]),
    "sampling, nothing": (weights(Sampling(), "plus"), [-INF, -INF], -INF, [0, 0]),
    "expectation, nothing": (means(-INF, -INF), [3, 4], 0, [0, 0]),
    "expectation, infinitely much of nothing": (means(0, -INF), [3, INF], 3, [1, 0]),
    "expectation, infinite": (means(INF, 1), [3, 4], 3, [1, 0]),
    "expectation, tie": (means(1, 1), [3, 4], 3.5, [0.5, 0.5]),
    "entropy, nothing": (entropy, [-INF, -INF], 0, [0, 0]),
    "entropy, tie": (entropy, [1, 1], log(2), [0, 0]),
    "entropy, certain": (entropy, [1, -INF], 0, [0, 0]),
    "divergence, p forbids": (divergence(0, 0), [1, -INF], log(2), [0, 0]),
    "divergence, nothing": (divergence(-INF, -INF), [-INF, -INF], 0, [0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_rows(row: str):
    function, arguments, value, gradient = ROWS[row]
    inputs = [jnp.float32(a) for a in arguments]
    output, slopes = jax.value_and_grad(function, tuple(range(len(inputs))))(*inputs)
    np.testing.assert_allclose(output, value, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(slopes, gradient, rtol=1e-4, atol=1e-6)


def test_infinite_answers():
    assert divergence(0, -INF)(jnp.float32(0), jnp.float32(0)) == INF
    star = Expectation().star(Expectation().lift(jnp.zeros(2), jnp.array([3.0, 0.0])))
    assert star.mean.tolist() == [INF, 0]
    assert np.isnan(Real().times(jnp.float32(0), jnp.float32(INF)))
    assert "zero annihilates infinity" in Real().laws.broken
