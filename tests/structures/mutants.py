"""Incorrect chains, each with one fault, by the check of the conformance suite that must detect it.

``OF_RANGE`` are those that only large weights, precision or other semirings show, ``OF_SIZE`` those
that only a large enough case shows, ``OF_ANSWERS`` those of single answers.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from semipunct.structures import LinearChain, Recursion, Total
from semirings import Counting, Covariance, Derivation, Divergence, Entropy, KBest, Viterbi
from semirings.log import Log
from tests.structures.test_testing import Chain, finite, flipped, registered, scaled


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


# Faults that a small case cannot show.


class IsWrongAtPositionEight(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        emission = self.weights.emission
        if emission.shape[1] > 8:
            emission = emission.at[:, 8].multiply(1.2)
        inner = self.with_log_weights(self.weights._replace(emission=emission))
        return LinearChain.total(inner, semiring, feature, recursion)


class IsWrongInTheFifthState(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        emission = self.weights.emission
        if emission.shape[2] > 4:
            emission = emission.at[:, :, 4].multiply(1.2)
        inner = self.with_log_weights(self.weights._replace(emission=emission))
        return LinearChain.total(inner, semiring, feature, recursion)


class IsWrongForTheFifthItem(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return scaled(total, 0.01 * (jnp.arange(len(self.lengths)) == 4))


class IsWrongForEmptyItems(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return scaled(total, 0.01 * (self.lengths == 0))


OF_SIZE: dict[type[LinearChain], str] = {
    registered(IsWrongAtPositionEight): "log partition",
    registered(IsWrongInTheFifthState): "log partition",
    registered(IsWrongForTheFifthItem): "log partition",
    registered(IsWrongForEmptyItems): "log partition",
}
"""Incorrect chains by the check that detects them in a case that is large enough."""


# Faults of single answers.


@jax.custom_vjp
def transposed_gradient(x: jax.Array) -> jax.Array:
    return x


transposed_gradient.defvjp(lambda x: (x, None), lambda _, g: (jnp.swapaxes(g, -1, -2),))


class TransposesMarginals(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        transition = transposed_gradient(self.weights.transition)
        inner = self.with_log_weights(self.weights._replace(transition=transition))
        return LinearChain.total(inner if semiring == Log() else self, semiring, feature, recursion)


class LosesLateGradients(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        transition = self.weights.transition
        early = (jnp.arange(transition.shape[1]) < 2)[:, None, None]
        transition = jnp.where(early, transition, jax.lax.stop_gradient(transition))
        inner = self.with_log_weights(self.weights._replace(transition=transition))
        return LinearChain.total(inner, semiring, feature, recursion)


class NormalisesWithTheFirstItem(Chain):
    """The scale of one item, divided out of all, is put back for the first only."""

    def changed(self, semiring: Any, total: Total) -> Total:
        return scaled(total, 0.001 * jnp.arange(len(self.lengths)))


class EndsWithTheFirstDraw(Chain):
    """The last emission does not depend on the key."""

    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        places, possible = super().trace(key, count, recursion)
        states = self.weights.emission.shape[2]
        batch = jnp.arange(len(self.lengths))
        last = jnp.maximum(self.lengths - 1, 0)
        emission = places.emission.at[:, batch, last].set(places.emission[0, batch, last])
        before = jnp.maximum(self.lengths - 2, 0)
        pair = places.transition[:, batch, before]
        moved = pair - pair % states + jnp.maximum(emission[:, batch, last], 0) % states
        transition = places.transition.at[:, batch, before].set(jnp.where(pair < 0, pair, moved))
        return places._replace(emission=emission, transition=transition), possible


class RepeatsDraws(Chain):
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        places, possible = super().trace(key, -(-count // 20), recursion)
        return jax.tree.map(lambda x: jnp.repeat(x, 20, 0)[:count], places), possible


class CountsUpToTwenty(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, Counting):
            return total
        return total._replace(value=jax.tree.map(lambda x: jnp.minimum(x, 20), total.value))


class MeasuresInBits(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, Entropy):
            return total
        return total._replace(value=total.value._replace(nats=total.value.nats / jnp.log(2.0)))


class ComparesWithItself(Chain):
    """The divergence is that of the distribution from itself."""

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        feature = self.expand().weights if isinstance(semiring, Divergence) else feature
        return super().total(semiring, feature, recursion)


class VariesWithItself(Chain):
    """The covariance of two features is the variance of the first."""

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        if isinstance(semiring, Covariance):
            feature = jax.tree.map(lambda pair: (pair[0], pair[0]), feature, is_leaf=is_pair)
        return super().total(semiring, feature, recursion)


def is_pair(x: Any) -> bool:
    return type(x) is tuple


class TakesTheLastOfTies(Chain):
    """The winner is the last of equals, in the best and in every list."""

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        if isinstance(semiring, KBest):
            inner = self.with_log_weights(flipped(self.weights))
            return LinearChain.total(inner, semiring, flipped(feature), recursion)
        return super().total(semiring, feature, recursion)


class ListsTheSecondTwice(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, KBest) or semiring.k < 3:
            return total
        first, second, _, *lower = total.value.weights
        return total._replace(value=total.value._replace(weights=(first, second, second, *lower)))


class ListsInAnotherOrder(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, KBest) or semiring.k < 3:
            return total
        first, second, third, *lower = total.value.weights
        return total._replace(value=total.value._replace(weights=(first, third, second, *lower)))


class ShiftsTheBest(Chain):
    """The parts of the best derivation are marked one state too far."""

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        if isinstance(semiring, Derivation):
            feature = feature._replace(emission=jnp.roll(feature.emission, 1, axis=2))
        return super().total(semiring, feature, recursion)


class SeesPaddingOfTheLastItem(Chain):
    """The last item of those that are padded depends on its padding."""

    def changed(self, semiring: Any, total: Total) -> Total:
        longest = self.weights.emission.shape[1]
        padded = jnp.where(self.lengths < longest, jnp.arange(len(self.lengths)), -1)
        last = jnp.arange(len(self.lengths)) == jnp.max(padded)
        return scaled(total, 0.01 * last * jnp.tanh(finite(self.weights.emission[:, -1, 0])))


class AllowsTheImpossible(Chain):
    def score(self, parts: Any) -> jax.Array:
        return jnp.maximum(super().score(parts), -100.0)


class HidesNaNOfTheBest(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        if not isinstance(semiring, Derivation):
            return total
        return total._replace(log_scale=jnp.nan_to_num(total.log_scale), value=jax.tree.map(
            lambda x: jnp.where(jnp.isnan(x), -1.0, x).astype(x.dtype), total.value
        ))  # fmt: skip


OF_ANSWERS: dict[type[LinearChain], str] = {
    registered(TransposesMarginals): "marginals",
    registered(LosesLateGradients): "marginals",
    registered(NormalisesWithTheFirstItem): "log partition",
    registered(EndsWithTheFirstDraw): "samples",
    registered(RepeatsDraws): "samples",
    registered(CountsUpToTwenty): "number of derivations",
    registered(MeasuresInBits): "averages",
    registered(ComparesWithItself): "averages",
    registered(VariesWithItself): "averages",
    registered(TakesTheLastOfTies): "ties",
    registered(ListsTheSecondTwice): "ranked begins",
    registered(ListsInAnotherOrder): "ranked begins",
    registered(ShiftsTheBest): "best",
    registered(SeesPaddingOfTheLastItem): "padding",
    registered(AllowsTheImpossible): "log prob",
    registered(HidesNaNOfTheBest): "NaN",
}
"""Incorrect chains by the check that must detect them."""
