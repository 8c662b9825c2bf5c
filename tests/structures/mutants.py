"""Incorrect chains, one for each check of the conformance suite that must find it.

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

from semipunct.structures import LinearChain, Recursion, Total
from semirings import Counting, Derivation, Divergence, Entropy, KBest
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


def reweighs_within_a_budget(c: Faulty, s: Any, weights: Any, recursion: Recursion) -> Any:
    power = 1.0 if recursion.budget_mib is None else 1.2
    return jax.tree.map(lambda x: power * x, weights)


FAULTS: dict[str, tuple[Any, Weights | None, Totals | None]] = {
    "number of derivations": (Counting, None, twice),
    "log partition": (Log, None, shifted),
    "marginals": (Log, forgets_gradients, None),
    "slopes": (Log, None, other_second_derivatives),
    "averages": (Entropy, None, measures_in_bits),
    "infinite divergence": (Divergence, None, diverges_little),
    "best": (Derivation, None, shifted),
    "ranked": (KBest, None, twice),
    "ties": (None, None, None),
    "samples": (None, None, None),
    "padding": (Log, None, shifts_padding),
    "NaN in padding": (Log, None, multiplies_padding),
    "independent items": (Log, None, mixes_items),
    "impossible": (Derivation, None, allows_the_impossible),
    "NaN": (Derivation, None, hides_nan),
    "large weights": (Log, clips, None),
    "devices": (object, reweighs_within_a_budget, None),
}
"""For each check the semiring of a fault, and the changed log weights or totals."""

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
        sharp = jax.tree.map(lambda x: 1.2 * x, self.weights)
        weights = self.choose("samples", sharp, self.weights)
        return LinearChain(weights, self.lengths, self.method).trace(key, count, recursion)

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


MUTANTS: dict[str, type[LinearChain]] = {
    "double precision": pytree(ComputesInSinglePrecision),
    "memory plans": pytree(HasNoBudget),
    "transformations": NoPytree,
}
"""Incorrect structures by the check that has to find them."""


def case_of(kind: type[LinearChain], **fault: int) -> Any:
    def build() -> LinearChain:
        chain: Any = CHAIN.build()
        given = {name: jnp.int32(value) for name, value in fault.items()}
        return kind(chain.weights, chain.lengths, chain.method, **given)

    return replace(CHAIN, name=kind.__name__, build=build)
