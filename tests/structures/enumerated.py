"""Results of a distribution compared with an explicit list of all derivations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Structure
from semipunct.structures.distribution import Answer, Distribution
from semirings import Semiring

K = 3
SAMPLES = 400
Derivations = Sequence[Sequence[Any]]
"""All derivations for each item of a batch: parts without the batch axis, arrays of numbers."""


class Sums(NamedTuple):
    """The log partition and marginals."""

    log: tuple[jax.Array, Any]


class Choices(NamedTuple):
    """The other results, computed together since compilation dominates."""

    best: Answer
    top: Answer
    mean: jax.Array
    entropy: jax.Array
    frequency: Any


@jax.jit
def summed(structure: Structure) -> Sums:
    """Compute sums; all tests with arrays of the same shapes share the compiled function."""
    return Sums(Distribution(structure).log_partition_and_marginals())


@jax.jit
def chosen(structure: Structure, feature: Any) -> Choices:
    d = Distribution(structure)
    samples = d.sample(jax.random.key(7), SAMPLES, 100).parts
    frequency = jax.tree.map(lambda x: jnp.mean(x, 0), samples)
    return Choices(d.best(), d.top(K), d.expectation(feature), d.entropy(), frequency)


@cache
def log_partition(semiring: Semiring) -> Callable[[Structure], jax.Array]:
    """Compile a function for the log of the total in a semiring."""

    def of(structure: Structure) -> jax.Array:
        total = structure.total(semiring)
        return semiring.log_weight(total.value) + total.log_scale

    return jax.jit(of)


def dot(parts: Any, numbers: Any) -> float:
    """Compute the sum over used parts; minus infinity matters only where a part is used."""
    return sum(
        float(np.sum(np.where(x != 0, x * np.where(x != 0, y, 0.0), 0.0)))
        for x, y in zip(jax.tree.leaves(parts), jax.tree.leaves(numbers), strict=True)
    )


def close(computed: Any, expected: Any, atol: float = 2e-5) -> None:
    jax.tree.map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=2e-5, atol=atol), computed, expected
    )


def check_sums(structure: Structure, derivations: Derivations) -> None:
    """Compare the log partition and the marginals of each item."""
    sums = summed(structure)
    for b, derivations_of_item in enumerate(derivations):
        scored = weighed(structure, derivations_of_item, b)
        total = np.logaddexp.reduce([w for w, _ in scored]) if scored else -np.inf
        marginals = average(structure, scored, b)
        for answer in sums:
            close(item(answer, b), (total, marginals))


def check_choices(structure: Structure, feature: Any, derivations: Derivations) -> None:
    """Compare the choices and averages of each item."""
    choices = chosen(structure, feature)
    for b, derivations_of_item in enumerate(derivations):
        scored = weighed(structure, derivations_of_item, b)
        top = jax.tree.map(lambda x, b=b: np.asarray(x[:, b]), choices.top)
        answer = item(choices._replace(top=None), b)
        for rank in range(K):
            if rank < len(scored):
                ranked = jax.tree.map(lambda x, r=rank: x[r], top)
                close(ranked, Answer(scored[rank][1], scored[rank][0]))
            else:
                assert top.log_weight[rank] == -np.inf
        if not scored:
            assert answer.best.log_weight == -np.inf
            continue
        close(answer.best, Answer(scored[0][1], scored[0][0]))
        p = probabilities(scored)
        close(answer.mean, p @ [dot(d, item(feature, b)) for _, d in scored])
        close(answer.entropy, -(p @ np.log(p)))
        # Five standard deviations; that of one draw is at most half of its range.
        marginals = average(structure, scored, b)
        most = max(float(np.max(x, initial=1)) for _, d in scored for x in jax.tree.leaves(d))
        close(answer.frequency, marginals, most * 2.5 / SAMPLES**0.5)


def item(tree: Any, b: int) -> Any:
    return jax.tree.map(lambda x: np.asarray(x[b], np.float64), tree)


def weighed(structure: Structure, derivations: Sequence[Any], b: int) -> list[tuple[float, Any]]:
    """Return log weights and parts of the possible derivations of one item, best first."""
    weights = item(structure.expand().log_weights, b)
    scored = sorted(((dot(d, weights), d) for d in derivations), key=lambda x: -x[0])
    return [x for x in scored if x[0] > -np.inf]


def probabilities(scored: list[tuple[float, Any]]) -> np.ndarray:
    weights = np.array([w for w, _ in scored])
    return np.exp(weights - np.logaddexp.reduce(weights))


def average(structure: Structure, scored: list[tuple[float, Any]], b: int) -> Any:
    if not scored:
        return jax.tree.map(np.zeros_like, item(structure.expand().log_weights, b))
    p = probabilities(scored)
    return jax.tree.map(lambda *xs: np.tensordot(p, xs, 1), *(d for _, d in scored))


def drawn(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return random log weights, some of them minus infinity."""
    weights = generator.normal(0, 1.5, shape).astype(np.float32)
    weights[generator.random(shape) < 0.1] = -np.inf
    return weights
