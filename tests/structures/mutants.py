"""Incorrect chains whose faults only large weights, precision or other semirings show.

``OF_RANGE`` maps each to the check of the conformance suite that must detect it.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from semipunct.structures import LinearChain, Recursion, Total
from semirings import Entropy, Viterbi
from tests.structures.test_testing import Chain, registered, scaled


class Clips(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        clipped = jax.tree.map(
            lambda x: jnp.where(x == -jnp.inf, x, jnp.clip(x, -40.0, 40.0)), self.weights
        )
        return LinearChain.total(self.with_log_weights(clipped), semiring, feature, recursion)


class ClipsTheScale(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return total._replace(log_scale=jnp.clip(total.log_scale, -60.0, 60.0))


class ComputesInSinglePrecision(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        def rounded(x: jax.Array) -> jax.Array:
            return x.astype(jnp.float32).astype(x.dtype) if x.dtype == jnp.float64 else x

        return jax.tree.map(rounded, total)


class IsWrongUnlessTraced(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        traced = isinstance(total.log_scale, Tracer)
        return total if traced else scaled(total, 0.1)


class IsPossibleInOtherSemirings(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, (Entropy, Viterbi)):
            return total
        least: Any = semiring.lift(jnp.full_like(total.log_scale, -30.0))
        return total._replace(value=semiring.plus(total.value, least))


OF_RANGE: dict[type[LinearChain], str] = {
    registered(Clips): "large weights",
    registered(ClipsTheScale): "large weights",
    registered(ComputesInSinglePrecision): "double precision",
    registered(IsWrongUnlessTraced): "uncompiled",
    registered(IsPossibleInOtherSemirings): "totals of nothing",
}
