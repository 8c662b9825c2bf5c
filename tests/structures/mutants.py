"""Incorrect chains by the check of the conformance suite that must find it, and what it shows.

The faults of ``FAULTS`` are switched by data, so that the programs of the suite are compiled once
for all of them; the others need a structure each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.structures.extending import LinearChain, Recursion, Total
from semirings import Counting, Derivation, Divergence, Entropy, KBest, Sampling, Viterbi
from semirings.log import Log
from tests.structures.cases import CASES

CHAIN = CASES[0]


def finite(x: jax.Array) -> jax.Array:
    return jnp.where(jnp.isfinite(x), x, 0.0)


def flipped(parts: Any) -> Any:
    """Reverse the states, which affects only the order of ties."""
    return jax.tree.map(lambda x: x[..., ::-1, ::-1] if x.ndim == 4 else x[..., ::-1], parts)


@jax.custom_jvp
def once(x: jax.Array) -> jax.Array:
    return x


@once.defjvp
def _(primals: Any, tangents: Any) -> Any:
    # The first derivative is one, the second is not zero.
    return primals[0], tangents[0] * (1 + primals[0] - jax.lax.stop_gradient(primals[0]))


Weights = Callable[["Faulty", Any, Any, Recursion], Any]
Totals = Callable[["Faulty", Any, Total], Total]


def scaled(total: Total, by: Any) -> Total:
    return total._replace(log_scale=total.log_scale + by)


def twice(c: Faulty, s: Any, total: Total) -> Total:
    return total._replace(value=s.plus(total.value, total.value))


def shifted(c: Faulty, s: Any, total: Total) -> Total:
    return scaled(total, 0.01)


def forgets_gradients(c: Faulty, s: Any, weights: Any, _: Recursion) -> Any:
    return weights._replace(emission=jax.lax.stop_gradient(weights.emission))


def other_second_derivatives(c: Faulty, s: Any, total: Total) -> Total:
    return total._replace(value=once(total.value))


def measures_in_bits(c: Faulty, s: Any, total: Total) -> Total:
    return total._replace(value=total.value._replace(nats=total.value.nats / np.log(2.0)))


def diverges_little(c: Faulty, s: Any, total: Total) -> Total:
    return total._replace(value=total.value._replace(nats=jnp.minimum(total.value.nats, 1e30)))


def shifts_long_lists(c: Faulty, s: Any, total: Total) -> Total:
    return scaled(total, 0.01 * (s.k > 4))


def reverses(c: Faulty, s: Any, weights: Any, _: Recursion) -> Any:
    return jax.tree.map(lambda x: jnp.where(x == -jnp.inf, x, -x), weights)


def is_wrong_unless_traced(c: Faulty, s: Any, total: Total) -> Total:
    return scaled(total, 0.0 if isinstance(total.log_scale, Tracer) else 0.1)


def shifts_padding(c: Faulty, s: Any, total: Total) -> Total:
    padded = c.lengths < c.weights.emission.shape[1]
    return scaled(total, 0.01 * padded * jnp.tanh(finite(c.weights.emission[:, -1, 0])))


def multiplies_padding(c: Faulty, s: Any, total: Total) -> Total:
    padding = jnp.where(c.lengths < 4, 0.0 * c.weights.emission[:, -1, 0], 0.0)
    return scaled(total, jnp.where(jnp.isnan(padding), padding, 0.0))


def mixes_items(c: Faulty, s: Any, total: Total) -> Total:
    return scaled(total, 0.01 * jnp.mean(finite(c.weights.emission)))


def hides_nan(c: Faulty, s: Any, total: Total) -> Total:
    return total._replace(log_scale=jnp.nan_to_num(total.log_scale), value=jax.tree.map(
        lambda x: jnp.where(jnp.isnan(x), -1.0, x).astype(x.dtype), total.value
    ))  # fmt: skip


def allows_the_impossible(c: Faulty, s: Any, total: Total) -> Total:
    least: Any = s.lift(jnp.full_like(total.log_scale, -30.0))
    return total._replace(value=s.plus(total.value, least))


def clips(c: Faulty, s: Any, weights: Any, _: Recursion) -> Any:
    return jax.tree.map(lambda x: jnp.where(x == -jnp.inf, x, jnp.clip(x, -40.0, 40.0)), weights)


def reweighs(c: Faulty, s: Any, weights: Any, _: Recursion) -> Any:
    return jax.tree.map(lambda x: 1.4 * x, weights)


def reweighs_within_a_budget(c: Faulty, s: Any, weights: Any, recursion: Recursion) -> Any:
    return weights if recursion.budget_mib is None else reweighs(c, s, weights, recursion)


FAULTS: dict[str, tuple[Any, Weights | None, Totals | None]] = {
    "number of derivations": (Counting, None, twice),
    "log partition": (Log, None, shifted),
    "marginals": (Log, forgets_gradients, None),
    "slopes": (Log, None, other_second_derivatives),
    "slopes in reverse mode": (Log, None, other_second_derivatives),
    "averages": (Entropy, None, measures_in_bits),
    "infinite divergence": (Divergence, None, diverges_little),
    "best": (Derivation, reverses, None),
    "ranked": (KBest, None, twice),
    "ranked: long": (KBest, None, shifts_long_lists),
    "ties": (None, None, None),
    "samples": (None, None, None),
    "samples: reverse pass": (Sampling, reweighs, None),
    "log prob": (None, None, None),
    "padding": (Log, None, shifts_padding),
    "NaN in padding": (Log, None, multiplies_padding),
    "independent items": (Log, None, mixes_items),
    "impossible": (Derivation, None, allows_the_impossible),
    "NaN": (Derivation, None, hides_nan),
    "large weights": (Log, clips, None),
    "uncompiled": (Log, None, is_wrong_unless_traced),
    "totals": (Viterbi, None, allows_the_impossible),
    "devices": (object, reweighs_within_a_budget, None),
}
"""By check the semirings of a fault, and the changed log weights or totals."""

NUMBERS = {name: number for number, name in enumerate(FAULTS)}


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths", "fault"],
    meta_fields=["method"],
)
@dataclass(frozen=True)
class Faulty(LinearChain):
    """A chain with the fault of ``FAULTS`` that has the number ``fault``, or none."""

    fault: Any = -1

    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        weights = self.weights
        for name, (kind, change, _) in FAULTS.items():
            if kind is not None and isinstance(semiring, kind) and change is not None:
                changed = change(self, semiring, self.weights, recursion)
                weights = self.choose(name, changed, weights)
        if isinstance(semiring, Derivation):
            weights = self.choose("ties", flipped(weights), weights)
            feature = self.choose("ties", flipped(feature), feature)
        inner = LinearChain(weights, self.lengths, self.method)
        total = inner.total(semiring, feature, recursion)
        for name, (kind, _, change) in FAULTS.items():
            if kind is not None and isinstance(semiring, kind) and change is not None:
                total = self.choose(name, change(self, semiring, total), total)
        return total

    def trace(self, key: jax.Array, count: int, recursion: Recursion) -> Any:
        sharp = jax.tree.map(lambda x: 1.4 * x, self.weights)
        weights = self.choose("samples", sharp, self.weights)
        return LinearChain(weights, self.lengths, self.method).trace(key, count, recursion)

    def unnormalized_log_prob(self, parts: Any) -> jax.Array:
        less = parts._replace(transition=jnp.zeros_like(parts.transition))
        return super().unnormalized_log_prob(self.choose("log prob", less, parts))

    def choose(self, name: str, changed: Any, right: Any) -> Any:
        is_on = self.fault == NUMBERS[name]
        return jax.tree.map(lambda x, y: jnp.where(is_on, x, y), changed, right)


class ComputesInSinglePrecision(LinearChain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        total = super().total(semiring, feature, recursion)
        return jax.tree.map(lambda x: x.astype(jnp.float32).astype(x.dtype), total)


class HasNoBudget(LinearChain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        return super().total(semiring, feature)


def pytree(cls: Any) -> Any:
    fields = {"data_fields": ["weights", "lengths"], "meta_fields": ["method"]}
    return jax.tree_util.register_dataclass(cls, **fields)


@dataclass(frozen=True)
class NoPytree(LinearChain):
    pass


class CarriesShapes(LinearChain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        total = super().total(semiring, feature, recursion)
        start = jnp.zeros(total.log_scale.shape, total.log_scale.dtype)
        last, _ = jax.lax.scan(lambda x, _: (x + total.log_scale, None), start, None, length=1)
        return total._replace(log_scale=last)


class CallsTheHost(LinearChain):
    def total(self, semiring: Any, feature: Any = None, recursion: Recursion = Recursion()) -> Any:
        low = self.weights.emission[:, 0, 0] < 0
        # Without a `vmap_method` a callback cannot be mapped.
        low = jax.pure_callback(np.asarray, jax.ShapeDtypeStruct(low.shape, low.dtype), low)
        return scaled(super().total(semiring, feature, recursion), jnp.where(low, 0.0, 0.0))


class Fresh(str):
    """A static field that equals no other."""

    def __eq__(self, other: object) -> bool:
        return self is other or (not isinstance(other, Fresh) and str.__eq__(self, other))

    __hash__ = str.__hash__


class IsAlwaysNew(LinearChain):
    def with_log_weights(self, log_weights: Any) -> Any:
        return replace(self, weights=log_weights, method=Fresh("sequential"))


MUTANTS: dict[str, type[LinearChain]] = {
    "double precision": pytree(ComputesInSinglePrecision),
    "memory plans": pytree(HasNoBudget),
    "transformations": NoPytree,
    "transformations: compiled once": pytree(IsAlwaysNew),
    "devices: shard_map": pytree(CarriesShapes),
    "devices: vmap": pytree(CallsTheHost),
}
"""Incorrect structures by the check that has to find them."""


def case_of(kind: type[LinearChain], **fault: int) -> Any:
    def build() -> LinearChain:
        chain: Any = CHAIN.build()
        given = {name: jnp.int32(value) for name, value in fault.items()}
        return kind(chain.weights, chain.lengths, chain.method, **given)

    return replace(CHAIN, name=kind.__name__, build=build)
