"""Compiled programs that compute the results under test.

Compilation dominates the time of a check, so each program computes many results and is reused for
every change of the log weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts
from semipunct.structures.distribution import Distribution, reverse_draws
from semipunct.structures.recursion import Plan, Recursion, memory
from semipunct.structures.testing.case import Weighted
from semirings.base import Semiring
from semirings.boolean import Boolean
from semirings.counting import Counting
from semirings.numerics import log_times
from semirings.viterbi import Viterbi

T = TypeVar("T")

# Draws per sample, and samples per frequency test (traced, or drawn in the reverse pass).
DRAWS, ROUNDS, REVERSE_ROUNDS = 50, 10, 6

RANKS = 5

OTHERS: tuple[Semiring, ...] = (Viterbi(), Boolean())

# Compiler options for short computations.
FAST = {"xla_backend_optimization_level": 0}

# How often each program was traced.
traces: Counter[str] = Counter()


class Answer(NamedTuple):
    """Parts and log weights of derivations; minus infinity where there is none."""

    parts: Parts
    log_weight: jax.Array


class Sums(NamedTuple):
    """Sums and averages; numbers are ``[batch]``.

    Attributes:
        slope, change: derivatives of log partition and marginals along the second feature, forward
            over reverse mode.
        reverse_change: like ``change``, in reverse over reverse mode.
        expectation: of the first feature.
        slopes: the gradient of entropy plus expectation.
        number, scale: the number of derivations is ``number * exp(scale)``.
    """

    log_partition: jax.Array
    marginals: Parts
    slope: jax.Array
    change: Parts
    reverse_change: Parts
    entropy: jax.Array
    expectation: jax.Array
    slopes: Parts
    kl: jax.Array
    covariance: jax.Array
    number: jax.Array
    scale: jax.Array


class Lists(NamedTuple):
    """The argmax, the top ``RANKS``, and log totals in ``OTHERS``."""

    best: Answer
    top: Answer
    totals: list[jax.Array]


class Sample(NamedTuple):
    """Draws with scores, ``[draws, batch]``, and log probabilities of given derivations."""

    draws: Answer
    score: jax.Array
    log_prob: jax.Array


def _compiled(program: Callable[..., T]) -> Callable[..., T]:
    def traced(*arguments: Any) -> T:
        traces[program.__name__] += 1
        return program(*arguments)

    return wraps(program)(jax.jit(traced, compiler_options=FAST))


def _finite(x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.where(jnp.isfinite(x), x, 0.0))


@_compiled
def _sums(d: Distribution[Any], other: Distribution[Any], first: Parts, second: Parts) -> Sums:
    expanded = d.structure.expand()

    def alone(log_weights: Parts) -> Distribution[Any]:
        return replace(d, structure=expanded.with_log_weights(log_weights))

    def gradient(log_weights: Parts) -> tuple[jax.Array, Parts]:
        return alone(log_weights).log_partition_and_marginals()

    def averages(log_weights: Parts) -> tuple[jax.Array, Any]:
        inner = replace(d, structure=d.structure.with_log_weights(log_weights))
        entropy, expectation = inner.entropy(), inner.expectation(first)
        return _finite(entropy) + _finite(expectation), (entropy, expectation)

    weights = expanded.log_weights
    (log_partition, marginals), push = jax.linearize(gradient, weights)
    slope, change = push(second)
    nothing = jax.tree.map(jnp.zeros_like, log_partition)
    (reverse_change,) = jax.linear_transpose(push, weights)((nothing, second))
    slopes, (entropy, expectation) = jax.grad(averages, has_aux=True)(d.structure.log_weights)
    counting = Counting()
    number = d.sum_in(counting)
    return Sums(
        log_partition=log_partition,
        marginals=marginals,
        slope=slope,
        change=change,
        reverse_change=reverse_change,
        entropy=entropy,
        expectation=expectation,
        slopes=slopes,
        kl=d.kl_divergence(other),
        covariance=d.covariance(first, second),
        number=counting.count(number.value),
        scale=number.log_scale,
    )


def sums(w: Weighted, other: Weighted) -> Sums:
    """Compute sums and averages; ``other`` is the reference of KL."""
    return _sums(w.distribution, other.distribution, w.features(1), w.features(2))


@_compiled
def _lists(d: Distribution[Any]) -> Lists:
    totals = [(s, d.sum_in(s)) for s in OTHERS]
    logs = [log_times(s.log_weight(total.value), total.log_scale) for s, total in totals]
    # The first of the others is Viterbi.
    best = Answer(d.argmax_parts(), logs[0])
    return Lists(best, Answer(*d.top_k_parts(RANKS)), logs)


def lists(w: Weighted) -> Lists:
    """Compute argmax, top-k and totals in other semirings."""
    return _lists(w.distribution)


@_compiled
def _sample(d: Distribution[Any], key: jax.Array, derivations: Parts) -> Sample:
    total = d.log_partition()

    def weighed(parts: Parts) -> Answer:
        return Answer(parts, jnp.where(total > -jnp.inf, d.unnormalized_log_prob(parts), total))

    drawn = weighed(d.sample_parts(key, DRAWS))
    log_probs = d.unnormalized_log_prob(derivations) - total
    return Sample(drawn, d.unnormalized_log_prob(drawn.parts), log_probs)


@_compiled
def _reverse(d: Distribution[Any], key: jax.Array) -> Answer:
    parts, total = reverse_draws(d, key, DRAWS)[0], d.log_partition()
    return Answer(parts, jnp.where(total > -jnp.inf, d.unnormalized_log_prob(parts), total))


def sample(w: Weighted, seed: int) -> Sample:
    """Draw samples, and compute the log probabilities of ``derivations``."""
    return _sample(w.distribution, jax.random.key(seed), w.uniform.ask(derivations))


def reverse_sample(w: Weighted, seed: int) -> Answer:
    """Draw samples in the reverse pass, even from a ``Traceable`` structure."""
    return _reverse(w.distribution, jax.random.key(seed))


def derivations(w: Weighted) -> Parts:
    """Stack all derivations of item ``fullest`` along a leading axis."""
    rows = w.enumerations[w.fullest].parts
    return jax.tree.map(
        lambda *xs: np.stack(xs), *(w.with_item(w.zeros, w.fullest, x) for x in rows)
    )


# Computed under transformations of JAX and within a memory budget.
QUESTIONS: dict[str, Callable[[Distribution[Any]], Any]] = {
    "log partition and marginals": lambda d: d.log_partition_and_marginals(),
    "draws": lambda d: d.sample_parts(jax.random.key(1), DRAWS),
}


def answers(w: Weighted) -> dict[str, Any]:
    """Return ``QUESTIONS`` computed without transformations."""
    computed = w.ask(sums, w.other)
    return {
        "log partition and marginals": (computed.log_partition, computed.marginals),
        "draws": w.ask(sample, 1).draws.parts,
    }


def transformed(
    w: Weighted, second: Weighted, *, sharded: bool
) -> tuple[dict[str, Any], dict[str, bool]]:
    """Compute ``QUESTIONS`` for two batches within a budget, and whether each was recomputed.

    Args:
        sharded: use ``jax.jit`` with sharded batches, not ``jax.shard_map``.
    """
    recomputed = dict.fromkeys(QUESTIONS, False)
    least = max((plan.residual_mib for plan in memory(w.structure)), default=None)

    def answer_within(name: str, d: Distribution[Any]) -> Any:
        question, plans = QUESTIONS[name], list[Plan]()
        if least is None:
            return question(d)
        try:
            answer = question(replace(d, recursion=Recursion(0.95 * least, plans.append)))
        except ValueError:
            return question(d)  # So few steps store less than the states at their starts.
        recomputed[name] = any(plan.recomputes for plan in plans)
        return answer

    def answer(log_weights: Any) -> dict[str, Any]:
        d = replace(w.distribution, structure=w.structure.with_log_weights(log_weights))
        return {name: answer_within(name, d) for name in QUESTIONS}

    spec = jax.sharding.PartitionSpec("batches")
    mesh = jax.make_mesh(
        (min(2, jax.device_count()),), ("batches",), axis_types=(jax.sharding.AxisType.Auto,)
    )
    batches = [x.structure.log_weights for x in (w, second)]
    stacked = jax.tree.map(lambda *xs: jnp.stack(xs), *batches)
    every = jax.vmap(answer)
    if sharded:
        sharding = jax.sharding.NamedSharding(mesh, spec)
        stacked = jax.device_put(stacked, sharding)
        program = jax.jit(every, in_shardings=sharding, compiler_options=FAST)
    else:
        divided = jax.shard_map(every, mesh=mesh, in_specs=spec, out_specs=spec)
        program = jax.jit(divided, compiler_options=FAST)
    return program(stacked), recomputed
