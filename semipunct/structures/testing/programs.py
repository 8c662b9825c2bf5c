"""The computations that the conformance suite tests: three programs, and one of their transforms.

Nearly all of the time that a check takes is compilation. So each program answers many questions on
the whole batch, and is run again for each change of the log weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts, Total
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.draws import Traceable
from semipunct.structures.recursion import Plan, Recursion
from semipunct.structures.testing.case import Weighted
from semirings.base import Semiring
from semirings.boolean import Boolean
from semirings.counting import Counting
from semirings.viterbi import Viterbi

T = TypeVar("T")

DRAWS = 2000
"""The number of draws in a sample."""

RANKS = 5
"""The length of the longer list: more than ``Distribution.ranking`` begins with."""

OTHERS: tuple[Semiring, ...] = (Viterbi(), Boolean())
"""Semirings whose totals are compared, besides those of all questions."""

FAST = {"xla_backend_optimization_level": 0}
"""Compiler options for programs that compute little."""

traces: Counter[str] = Counter()
"""The number of times that each program was traced."""


class Sums(NamedTuple):
    """Sums and averages; numbers are ``[batch]``, and gradients of the expanded log weights.

    Attributes:
        log_partition, marginals: the sum, and its gradient.
        slope, change: their derivatives in the direction of the second feature, in forward mode.
        slope_of_marginals: the second feature times the marginals.
        reverse: the gradient of the log partition and of ``slope_of_marginals`` with respect to the
            unexpanded log weights, in reverse over reverse mode.
        entropy, expectation: averages of the distribution, the second of the first feature.
        slopes: the gradient of the sum of these two.
        kl, cross_entropy: divergences from another distribution.
        covariance: that of both features.
        number, scale: the number of derivations times the exponential of the scale.
        others: log weights of totals in ``OTHERS``.
    """

    log_partition: jax.Array
    marginals: Parts
    slope: jax.Array
    change: Parts
    slope_of_marginals: jax.Array
    reverse: Parts
    entropy: jax.Array
    expectation: jax.Array
    slopes: Parts
    kl: jax.Array
    cross_entropy: jax.Array
    covariance: jax.Array
    number: jax.Array
    scale: jax.Array
    others: list[jax.Array]


class Lists(NamedTuple):
    """The best derivation, and the first two and the first ``RANKS``."""

    best: Answer
    two: Answer
    more: Answer


class Sample(NamedTuple):
    """Draws with their log probabilities, ``[draws, batch]``; and draws in the reverse pass."""

    draws: Answer
    log_prob: jax.Array
    reverse: Answer | None


def _compiled(program: Callable[..., T]) -> Callable[..., T]:
    """Compile a program, and count how often it is traced."""

    def traced(*arguments: Any) -> T:
        traces[program.__name__] += 1
        return program(*arguments)

    return wraps(program)(jax.jit(traced, compiler_options=FAST))


def _finite(x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.where(jnp.isfinite(x), x, 0.0))


@_compiled
def _sums(d: Distribution[Any], other: Distribution[Any], first: Parts, second: Parts) -> Sums:
    expanded = d.structure.expand()

    def reverse(log_weights: Parts) -> tuple[jax.Array, Any]:
        inner = replace(d, structure=d.structure.with_log_weights(log_weights))
        log_partition, marginals = inner.log_partition_and_marginals()
        slope = expanded.by_item(jax.tree.map(jnp.multiply, marginals, second))
        return _finite(log_partition) + _finite(slope), (log_partition, marginals, slope)

    def forward(log_weights: Parts) -> tuple[jax.Array, Parts]:
        inner = replace(d, structure=expanded.with_log_weights(log_weights))
        # Computed separately: the first is forward mode alone, the second forward over reverse.
        return inner.log_partition(), inner.marginals()

    def averages(log_weights: Parts) -> tuple[jax.Array, Any]:
        inner = replace(d, structure=expanded.with_log_weights(log_weights))
        entropy, expectation = inner.entropy(), inner.expectation(first)
        return _finite(entropy) + _finite(expectation), (entropy, expectation)

    at, weights = d.structure.log_weights, expanded.log_weights
    gradient, (log_partition, marginals, slope) = jax.grad(reverse, has_aux=True)(at)
    slopes, means = jax.grad(averages, has_aux=True)(weights)
    counting = Counting()
    number = d.ask(counting)
    totals = [(s, d.ask(s)) for s in OTHERS]
    return Sums(
        log_partition,
        marginals,
        *jax.jvp(forward, (weights,), (second,))[1],
        slope,
        gradient,
        *means,
        slopes,
        d.kl(other),
        d.cross_entropy(other),
        d.covariance(first, second),
        counting.count(number.value),
        number.log_scale,
        [s.log_weight(total.value) + total.log_scale for s, total in totals],
    )


def sums(w: Weighted, other: Weighted) -> Sums:
    """Compute sums and averages.

    Args:
        w: the case with log weights.
        other: other weights of the same shapes, for divergences.
    """
    return _sums(w.distribution, other.distribution, w.features(1), w.features(2))


@_compiled
def _lists(d: Distribution[Any]) -> Lists:
    return Lists(d.best(), d.top(2), d.top(RANKS))


def lists(w: Weighted) -> Lists:
    """Compute the best derivations."""
    return _lists(w.distribution)


def _draws(d: Distribution[Any], key: jax.Array) -> Answer:
    drawn = d.sample(key, DRAWS, together=500)
    return Answer(drawn.parts, drawn.log_weight)


@_compiled
def _sample(d: Distribution[Any], key: jax.Array) -> Sample:
    drawn, reverse = _draws(d, key), None
    if isinstance(d.structure, Traceable):
        reverse = _draws(replace(d, structure=Untraced(d.structure, type(d.structure))), key)
    return Sample(drawn, jax.vmap(d.log_prob)(drawn.parts), reverse)


def sample(w: Weighted, seed: int = 1) -> Sample:
    """Draw many derivations."""
    return _sample(w.distribution, jax.random.key(seed))


QUESTIONS: dict[str, Callable[[Distribution[Any]], Any]] = {
    "log partition and marginals": lambda d: d.log_partition_and_marginals(),
    "best": lambda d: d.best(),
    "draws": lambda d: _draws(d, jax.random.key(1)),
    "entropy": lambda d: d.entropy(),
}
"""What is computed with transformations of JAX, within a memory budget."""


def answers(w: Weighted) -> dict[str, Any]:
    """Return the answers to ``QUESTIONS`` that the programs give."""
    computed = w.ask(sums, w.other)
    return {
        "log partition and marginals": (computed.log_partition, computed.marginals),
        "best": w.ask(lists).best,
        "draws": w.ask(sample).draws,
        "entropy": computed.entropy,
    }


def budgets(w: Weighted) -> dict[str, float | None]:
    """Return for each question the memory budget that forces recomputation, or None."""

    def plans_of(question: Callable[[Distribution[Any]], Any], budget: float | None) -> list[Plan]:
        plans: list[Plan] = []
        recursion = Recursion(budget, plans.append)
        jax.eval_shape(lambda: question(replace(w.distribution, recursion=recursion)))
        return plans

    found: dict[str, float | None] = {}
    for name, question in QUESTIONS.items():
        found[name] = None
        plans = plans_of(question, None) if name != "entropy" else []
        if plans:
            budget = 0.95 * max(plan.residual_mib for plan in plans)
            try:
                kept = any(plan.recomputes for plan in plans_of(question, budget))
            except ValueError:
                continue  # So few steps store less than the states at their starts.
            if not kept:
                raise AssertionError(f"{name}: a budget of {budget} MiB is not kept")
            found[name] = budget
    return found


def transformed(w: Weighted, second: Weighted, *, sharded: bool) -> dict[str, Any]:
    """Answer ``QUESTIONS`` for two batches at once, within a memory budget.

    Args:
        w: the case with log weights.
        second: other log weights.
        sharded: whether ``jax.jit`` divides the batches among two devices; otherwise
            ``jax.shard_map`` does, among two or one.
    """
    allowed = w.ask(budgets)

    def answer(log_weights: Any) -> dict[str, Any]:
        d = replace(w.distribution, structure=w.structure.with_log_weights(log_weights))
        return {
            name: question(replace(d, recursion=Recursion(allowed[name])))
            for name, question in QUESTIONS.items()
        }

    spec = jax.sharding.PartitionSpec("batches")
    mesh = jax.make_mesh(
        (min(2, jax.device_count()),), ("batches",), axis_types=(jax.sharding.AxisType.Auto,)
    )
    batches = [x.structure.log_weights for x in (w, second)]
    stacked = jax.tree.map(lambda *xs: jnp.stack(xs), *batches)
    every = jax.vmap(answer)
    if sharded:
        sharding = jax.sharding.NamedSharding(mesh, spec)
        compiled = jax.jit(every, in_shardings=sharding, compiler_options=FAST)
        return compiled(jax.device_put(stacked, sharding))
    divided = jax.shard_map(every, mesh=mesh, in_specs=spec, out_specs=spec)
    return jax.jit(divided, compiler_options=FAST)(stacked)


@partial(jax.tree_util.register_dataclass, data_fields=["structure"], meta_fields=["kind"])
@dataclass(frozen=True)
class Untraced:
    """A wrapper that is not ``Traceable`` even if the structure is.

    Attributes:
        structure: the wrapped structure.
        kind: its class, a static field by which JAX distinguishes wrapped structures.
    """

    structure: Any
    kind: type

    @property
    def log_weights(self) -> Parts:
        """The log weights of all parts."""
        return self.structure.log_weights

    def with_log_weights(self, log_weights: Parts) -> Untraced:
        return replace(self, structure=self.structure.with_log_weights(log_weights))

    def expand(self) -> Untraced:
        return replace(self, structure=self.structure.expand())

    def by_item(self, parts: Parts) -> jax.Array:
        return self.structure.by_item(parts)

    def score(self, parts: Parts) -> jax.Array:
        return self.structure.score(parts)

    def total(
        self, semiring: Semiring, feature: Parts | None = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Sum over all derivations; arguments as in ``Structure.total``."""
        return self.structure.total(semiring, feature, recursion)
