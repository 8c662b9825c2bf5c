"""Each check of the shipped conformance suite detects a deliberately incorrect structure."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import SkipTest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from semipunct.structures import Distribution, LinearChain, Recursion, Total
from semipunct.structures.testing import CHECKS, Event, check
from semipunct.structures.testing.case import Enumeration, chi_square
from semirings import Counting, Derivation, Divergence, Expectation, KBest, Sampling
from semirings.log import Log
from tests.selection import selected
from tests.structures.cases import CASES, chain_events
from tests.structures.known import RANGE

CHAIN = CASES[0]
MUTANTS: dict[str, type[LinearChain]] = {}
"""Incorrect structures by the check that has to detect them."""


def registered(cls: Any) -> Any:
    fields = {"data_fields": ["weights", "lengths"], "meta_fields": ["method"]}
    return jax.tree_util.register_dataclass(cls, **fields)


def for_check(name: str) -> Callable[[Any], Any]:
    def entered(cls: Any) -> Any:
        MUTANTS[name] = registered(cls)
        return cls

    return entered


class Chain(LinearChain):
    """A chain with changed sums in some semirings."""

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        return self.changed(semiring, super().total(semiring, feature, recursion))

    def changed(self, semiring: Any, total: Total) -> Total:
        return total


def twice(semiring: Any, total: Total) -> Total:
    return total._replace(value=semiring.plus(total.value, total.value))


def scaled(total: Total, by: Any) -> Total:
    return total._replace(log_scale=total.log_scale + by)


def shifted(semiring: Any, total: Total) -> Total:
    """Increase a weight by 1%."""
    return scaled(total, 0.01)


def finite(x: jax.Array) -> jax.Array:
    return jnp.where(jnp.isfinite(x), x, 0.0)


def flipped(parts: Any) -> Any:
    """Reverse the states, which affects only the order of ties."""
    return jax.tree.map(lambda x: x[..., ::-1, ::-1] if x.ndim == 4 else x[..., ::-1], parts)


@for_check("number of derivations")
class CountsTwice(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return twice(semiring, total) if isinstance(semiring, Counting) else total


@for_check("log partition")
class Shifted(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return shifted(semiring, total) if semiring == Log() else total


@for_check("marginals")
class LosesGradients(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        weights = self.weights._replace(emission=jax.lax.stop_gradient(self.weights.emission))
        inner = self.with_log_weights(weights) if semiring == Log() else self
        return LinearChain.total(inner, semiring, feature, recursion)


@jax.custom_vjp
def reversible(x: jax.Array) -> jax.Array:
    return x


reversible.defvjp(lambda x: (x, None), lambda _, g: (g,))


@for_check("slopes in forward mode")
class ForbidsForwardMode(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return total._replace(value=jax.tree.map(reversible, total.value))


@jax.custom_jvp
def once(x: jax.Array) -> jax.Array:
    return x


@once.defjvp
def _(primals: Any, tangents: Any) -> Any:
    # The first derivative is one, the second is not zero.
    return primals[0], tangents[0] * (1 + primals[0] - jax.lax.stop_gradient(primals[0]))


@for_check("slopes in reverse mode")
class HasOtherSecondDerivatives(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return total._replace(value=once(total.value)) if semiring == Log() else total


@for_check("best")
class BestIsShifted(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return shifted(semiring, total) if isinstance(semiring, Derivation) else total


@for_check("ranked begins")
class ListsTwice(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return twice(semiring, total) if isinstance(semiring, KBest) else total


@for_check("ranked ends")
class ListsWhatIsForbidden(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        weights = jax.tree.map(lambda x: jnp.maximum(x, -9.0), self.weights)
        inner = self.with_log_weights(weights) if isinstance(semiring, KBest) else self
        return LinearChain.total(inner, semiring, feature, recursion)


@for_check("ranked goes on")
class LongListsAreShifted(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        long = isinstance(semiring, KBest) and semiring.k > 4
        return shifted(semiring, total) if long else total


class Flips(Chain):
    def flips(self, semiring: Any) -> bool:
        raise NotImplementedError

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        if self.flips(semiring):
            inner = self.with_log_weights(flipped(self.weights))
            return LinearChain.total(inner, semiring, flipped(feature), recursion)
        return super().total(semiring, feature, recursion)


@for_check("ties")
class BestFlips(Flips):
    def flips(self, semiring: Any) -> bool:
        return isinstance(semiring, Derivation)


@for_check("ties in lists")
class ShortListsFlip(Flips):
    def flips(self, semiring: Any) -> bool:
        return isinstance(semiring, KBest) and semiring.k == 2


@for_check("longer lists")
class ShortListsAreReweighed(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        short = isinstance(semiring, KBest) and semiring.k == 2
        weights = jax.tree.map(lambda x: -x if short else x, self.weights)
        weights = jax.tree.map(lambda x: jnp.where(x == jnp.inf, -jnp.inf, x), weights)
        return LinearChain.total(self.with_log_weights(weights), semiring, feature, recursion)


class Reweighs(Chain):
    """Raises weights to the power of 1.2 in some semirings, or within a budget."""

    def reweighs(self, semiring: Any, recursion: Recursion) -> bool:
        raise NotImplementedError

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        power = 1.2 if self.reweighs(semiring, recursion) else 1.0
        inner = self.with_log_weights(jax.tree.map(lambda x: power * x, self.weights))
        return LinearChain.total(inner, semiring, feature, recursion)


@for_check("samples")
class TracesOtherWeights(Chain):
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        sharp = self.with_log_weights(jax.tree.map(lambda x: 1.2 * x, self.weights))
        return LinearChain.trace(sharp, key, count, recursion)


@for_check("samples in the reverse pass")
class SamplesOtherWeights(Reweighs):
    def reweighs(self, semiring: Any, recursion: Recursion) -> bool:
        return isinstance(semiring, Sampling)


@for_check("keys decide")
class IgnoresKeys(Chain):
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        return super().trace(jax.random.key(5), count, recursion)


@for_check("averages")
class ForgetsFeatures(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        if isinstance(semiring, Expectation):
            feature = feature._replace(transition=jnp.zeros_like(feature.transition))
        return super().total(semiring, feature, recursion)


class Diverges(Chain):
    """Changes divergences or cross entropies."""

    cross = False

    def changed(self, semiring: Any, total: Total) -> Total:
        if isinstance(semiring, Divergence) and semiring.cross == self.cross:
            nats = self.nats(total.value.nats)
            return total._replace(value=total.value._replace(nats=nats))
        return total

    def nats(self, nats: jax.Array) -> jax.Array:
        return jnp.minimum(nats, 1e30)


@for_check("more averages")
class CrossEntropyIsShifted(Diverges):
    cross = True

    def nats(self, nats: jax.Array) -> jax.Array:
        return nats + 0.01


@for_check("infinite divergence")
class DivergesLittle(Diverges):
    pass


@for_check("infinite cross entropy")
class CrossesLittle(Diverges):
    cross = True


@for_check("log prob")
class ForgetsTransitions(Chain):
    def score(self, parts: Any) -> jax.Array:
        return super().score(parts._replace(transition=jnp.zeros_like(parts.transition)))


@for_check("padding")
class LooksAtPadding(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        beyond = jnp.where(self.lengths < 4, finite(self.weights.emission[:, -1, 0]), 0.0)
        return scaled(total, beyond - jax.lax.stop_gradient(beyond) + 0.01 * (beyond > 1))


@for_check("padding of samples")
class DrawsByPadding(Chain):
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        beyond = finite(self.weights.emission[0, -1, 0])
        key = jax.random.fold_in(key, jnp.round(1000 * beyond).astype(jnp.int32))
        return super().trace(key, count, recursion)


@for_check("independent items")
class MixesItems(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return scaled(total, 0.01 * jnp.mean(finite(self.weights.emission)))


@for_check("impossible")
class HasNaN(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        nothing = jnp.all(self.weights.emission == -jnp.inf)
        return scaled(total, jnp.where(nothing, jnp.nan, 0.0).astype(total.log_scale.dtype))


@for_check("impossible draws")
class DrawsTheImpossible(Chain):
    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        places, possible = super().trace(key, count, recursion)
        return places, jnp.ones_like(possible)


@for_check("NaN")
class HidesNaN(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return total._replace(log_scale=jnp.nan_to_num(total.log_scale), value=jax.tree.map(
            lambda x: jnp.where(jnp.isnan(x), -jnp.inf, x).astype(x.dtype), total.value
        ))  # fmt: skip


@for_check("NaN in padding")
class MultipliesPadding(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        return scaled(
            total, jnp.where(self.lengths < 4, 0.0 * self.weights.emission[:, -1, 0], 0.0)
        )


@for_check("devices")
class CarriesShapes(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        start = jnp.zeros(total.log_scale.shape, total.log_scale.dtype)
        last, _ = jax.lax.scan(lambda x, _: (x + total.log_scale, None), start, None, length=1)
        return total._replace(log_scale=last)


@for_check("vmap")
class CallsTheHost(Chain):
    def changed(self, semiring: Any, total: Total) -> Total:
        low = self.weights.emission[:, 0, 0] < 0
        shape = jax.ShapeDtypeStruct(low.shape, low.dtype)
        # Without a `vmap_method` a callback cannot be mapped.
        return scaled(total, jnp.where(jax.pure_callback(np.asarray, shape, low), 0.0, 0.0))


@for_check("compiled once")
class IsAlwaysNew(Chain):
    def with_log_weights(self, log_weights: Any) -> Any:
        return replace(self, weights=log_weights, method=Fresh("sequential"))


class Fresh(str):
    """A static field that equals no other."""

    def __eq__(self, other: object) -> bool:
        return self is other or (not isinstance(other, Fresh) and str.__eq__(self, other))

    __hash__ = str.__hash__


@for_check("memory budget")
class BudgetReweighs(Reweighs):
    def reweighs(self, semiring: Any, recursion: Recursion) -> bool:
        return recursion.budget_mib is not None


@for_check("memory plans")
class HasNoBudget(Chain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        return super().total(semiring, feature)


@dataclass(frozen=True)
class NoPytree(LinearChain):
    pass


MUTANTS["transformations"] = NoPytree


def case_of(kind: type[LinearChain]) -> Any:
    def build() -> LinearChain:
        chain: Any = CHAIN.build()
        return kind(chain.weights, chain.lengths, chain.method)

    return replace(CHAIN, name=kind.__name__, build=build)


FEW = {"log partition", "marginals", "best", "samples", "padding"}
FAST = selected(MUTANTS, FEW.__contains__)


@pytest.mark.parametrize("name", FAST)
def test_a_wrong_structure_is_found(name: str):
    with pytest.raises(AssertionError, match="1 of 1 checks fail") as caught:
        check(case_of(MUTANTS[name]), [name])
    assert f"\n{name}: " in str(caught.value)


def test_every_check_has_a_structure_to_find():
    # `test_mutants` has those for the checks of range, and cases that are too small;
    # `test_devices` has two devices for "sharded".
    assert set(MUTANTS) == set(CHECKS) - {*RANGE, "size", "sharded"}


def test_single_precision_is_found(x64: None):
    @registered
    class IsSingle(Chain):
        def changed(self, semiring: Any, total: Total) -> Total:
            return jax.tree.map(lambda x: x.astype(jnp.float32), total)

    with pytest.raises(AssertionError, match=r"is \['float32'\], the log weights are float64"):
        check(case_of(IsSingle), ["log partition"])


def test_what_needs_two_devices_is_skipped_with_the_reason():
    if jax.device_count() == 1:
        with pytest.raises(SkipTest, match="sharded: jax has one device; XLA_FLAGS="):
            check(CHAIN, ["sharded"])
    check(CHAIN, ["sharded", "transformations"])


def test_all_failures_are_reported():
    with pytest.raises(AssertionError) as caught:
        check(case_of(NoPytree), ["transformations", "number of derivations", "memory plans"])
    message = str(caught.value)
    assert message.startswith(
        "NoPytree, in log and float32: 3 of 3 checks fail\nnumber of derivations:"
    )
    assert "\ntransformations: TypeError: " in message


@pytest.mark.parametrize(
    "events, said",
    [
        ([], "item 0 has no derivation"),
        (
            [Event(np.zeros(3))],
            r"item 0 has parts of the shapes \[\(3,\)\]; the item's rows .* have",
        ),
    ],
)
def test_a_wrong_enumeration_is_an_error(events: list[Event], said: str):
    with pytest.raises(AssertionError, match=said):
        check(replace(CHAIN, derivations=lambda item: events), ["best"])


def test_an_enumeration_that_repeats_itself_is_found():
    case = replace(CHAIN, derivations=lambda item: [*chain_events(item)] * 2)
    with pytest.raises(AssertionError, match="enumeration of item 0 repeats itself: 1 of 2 differ"):
        check(case, ["number of derivations"])


def test_what_is_no_check_is_refused():
    with pytest.raises(ValueError, match=r"no checks: \['entropy'\]; there are number of"):
        check(CHAIN, ["entropy"])


def test_nothing_is_found_in_a_structure_that_is_right():
    check(CHAIN, ["log partition", "best"])


def test_what_is_no_derivation_is_named():
    e = Enumeration.of(np.eye(3), np.zeros(3), np.zeros(3))
    assert e.find(np.eye(3)[[2, 0]]).tolist() == [2, 0]
    with pytest.raises(
        AssertionError, match=r"1 of 2 .* uses the parts \[0, 2\], so often: \[1.0, 2"
    ):
        e.find(np.array([[0.0, 1, 0], [1, 0, 2]]))


def test_chi_square_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for cells in (2, 3, 12, 100):
        expected = rng.uniform(5, 50, cells)
        observed = rng.poisson(expected)
        statistic = ((observed - expected) ** 2 / expected).sum()
        p_of_scipy = stats.chi2.sf(statistic, cells - 1)
        assert chi_square(observed, expected) == pytest.approx(p_of_scipy, rel=1e-3, abs=1e-6)
    rare = chi_square(np.array([30, 3, 4, 3]), np.array([30.0, 3, 4, 3]))
    assert rare == 1
    assert chi_square(np.array([40, 0]), np.array([38.0, 2])) == 1  # one cell is left


def test_structures_of_two_classes_are_not_taken_for_each_other():
    kinds = (CHAIN.build(), case_of(Shifted).build(), case_of(CountsTwice).build())
    structures = [jax.tree.structure(Distribution(x)) for x in kinds]
    assert len({repr(x) for x in structures}) == 3
    for a, b in itertools.combinations(structures, 2):
        assert a != b
