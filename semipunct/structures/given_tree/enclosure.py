"""Totals of given trees in the reals, with an interval enclosure to detect underflow.

``Real`` is the fastest semiring for given trees, but products below the smallest float underflow to
zero, and the lost derivations may be the only ones that the rest of a sentence allows.
``RoundedUp`` replaces such a product by the smallest float instead. All weights are nonnegative and
every operation is monotone, so the true total lies between the totals in the two semirings, up to
rounding. Where they agree, underflow had no relevant effect. Where they do not, the result is NaN,
and the total has to be computed in ``Log``.

Source: Moore (1966), Interval analysis: outward rounding.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from semipunct.structures.given_tree.trees import GivenTrees, inside
from semirings.base import Semiring
from semirings.numerics import matmul
from semirings.real import Real

AGREEMENT = 1e-5
"""The tolerance for the difference of two log totals, relative where they exceed one."""


class RoundedUp(Real):
    """Reals in which products of positive numbers are rounded up, never to zero."""

    name = "rounded-up"

    def times(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Multiply, rounding products that underflow up."""
        return _up(a * b, (a > 0) & (b > 0))

    def prod(self, a: jax.Array, axis: int) -> jax.Array:
        """Multiply along one axis by ``times``."""
        return Semiring.prod(self, a, axis)

    def matmul(self, a: jax.Array, b: jax.Array) -> jax.Array:
        """Multiply matrices, adding the smallest float for each product of positive numbers."""
        positive = matmul((a > 0).astype(a.dtype), (b > 0).astype(b.dtype))
        return matmul(a, b) + positive * jnp.finfo(a.dtype).tiny

    def lift(self, log_weight: jax.Array, feature: Any = None) -> jax.Array:
        """Return the exponential of the log weight, zero only for minus infinity."""
        return _up(jnp.exp(log_weight), log_weight > -jnp.inf)

    def balance(self, a: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
        """Divide by the largest entry, rounding quotients that underflow up."""
        divided, log_factor = Real.balance(self, a, axes)
        return _up(divided, a > 0), log_factor


def log_totals(trees: GivenTrees) -> jax.Array:
    """Return the log of each sentence's total in ``Real``, ``[sentences]``.

    NaN where the enclosure is wider than ``AGREEMENT``, so that the total is not known: compute
    such totals in ``Log``.

    Args:
        trees: a batch; its feature is ignored.
    """
    trees = trees._replace(feature=None)
    fast = _log_totals(trees, Real())
    above = _log_totals(trees, RoundedUp())
    # The precision of large logarithms is relative.
    tolerance = AGREEMENT * jnp.maximum(1.0, jnp.abs(fast))
    agree = jnp.isfinite(fast) & (above - fast <= tolerance)
    return jnp.where(agree | (above == -jnp.inf), fast, jnp.nan)


def _log_totals(trees: GivenTrees, semiring: Semiring) -> jax.Array:
    total = inside(trees, semiring)
    return semiring.log_weight(total.value) + total.log_scale


def _up(a: jax.Array, positive: jax.Array) -> jax.Array:
    return jnp.where(positive, jnp.maximum(a, jnp.finfo(a.dtype).tiny), a)
