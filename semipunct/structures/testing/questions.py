"""The computations that the conformance suite tests, compiled once for each structure."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts, Structure, Total
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.recursion import Recursion
from semipunct.structures.testing.case import Weighted
from semirings.base import Semiring
from semirings.counting import Counting

DRAWS = 2000
"""The number of draws in a sample."""
traces: Counter[str] = Counter()
"""The number of times that each computation was traced."""


class Sums(NamedTuple):
    """The log partition with the marginals, and with its gradient for unexpanded weights."""

    log_partition: jax.Array
    alone: jax.Array
    marginals: Parts
    gradient: Parts


class Averages(NamedTuple):
    """Averages over derivations, one for each averaging semiring."""

    entropy: jax.Array
    kl: jax.Array
    expectation: jax.Array
    covariance: jax.Array


class MoreAverages(NamedTuple):
    """Further averages, and gradients."""

    cross_entropy: jax.Array
    variance: jax.Array
    entropy_slopes: Parts
    expectation_slopes: Parts


def _compiled(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a computation, and count how often it is traced."""

    def traced(*arguments: Any) -> Any:
        traces[ask.__name__] += 1
        return ask(*arguments)

    return jax.jit(traced)


def slopes(
    d: Distribution[Any],
    answer: Callable[[Distribution[Any]], jax.Array],
    structure: Structure | None = None,
) -> tuple[jax.Array, Parts]:
    """Return a quantity and its gradient with respect to the log weights.

    Args:
        d: the distribution.
        answer: computes the quantity.
        structure: the structure whose log weights are varied; the expanded one by default.
    """
    at = d.structure.expand() if structure is None else structure

    def of(log_weights: Parts) -> tuple[jax.Array, jax.Array]:
        log_answer = answer(replace(d, structure=at.with_log_weights(log_weights)))
        return jnp.sum(jnp.where(jnp.isfinite(log_answer), log_answer, 0.0)), log_answer

    gradient, answers = jax.grad(of, has_aux=True)(at.log_weights)
    return answers, gradient


@_compiled
def _sums(d: Distribution[Any]) -> Sums:
    log_partition, marginals = d.log_partition_and_marginals()
    alone, gradient = slopes(d, lambda e: e.log_partition(), d.structure)
    return Sums(log_partition, alone, marginals, gradient)


def sums(w: Weighted) -> Sums:
    """Compute the sums."""
    return _sums(w.distribution)


@_compiled
def _number(d: Distribution[Any]) -> tuple[jax.Array, jax.Array]:
    semiring = Counting()
    total = d.ask(semiring)
    return semiring.count(total.value), total.log_scale


def number(w: Weighted) -> tuple[jax.Array, jax.Array]:
    """Count the possible derivations of each item; return the count and its scale."""
    return _number(w.distribution)


@_compiled
def _forward(d: Distribution[Any], along: Parts) -> tuple[jax.Array, Parts]:
    expanded = d.structure.expand()

    def value_and_slopes(log_weights: Parts) -> tuple[jax.Array, Parts]:
        inner = replace(d, structure=expanded.with_log_weights(log_weights))
        # Computed separately: the first is forward mode alone, the second forward over reverse
        # mode.
        return inner.log_partition(), inner.marginals()

    return jax.jvp(value_and_slopes, (expanded.log_weights,), (along,))[1]


@_compiled
def _reverse(d: Distribution[Any], along: Parts) -> tuple[jax.Array, Parts]:
    def slope(e: Distribution[Any]) -> jax.Array:
        return e.structure.by_item(jax.tree.map(jnp.multiply, e.marginals(), along))

    return slopes(d, slope)


@partial(jax.jit, static_argnums=1)
def _totals(structure: Structure, semirings: tuple[Semiring, ...]) -> list[jax.Array]:
    totals = [(s, structure.total(s)) for s in semirings]
    return [s.log_weight(total.value) + total.log_scale for s, total in totals]


def totals(w: Weighted, semirings: tuple[Semiring, ...]) -> list[jax.Array]:
    """Compute the log weights ``[batch]`` of totals in several semirings.

    Args:
        w: the case with log weights.
        semirings: the semirings.
    """
    return _totals(w.structure, semirings)


def in_a_direction(w: Weighted, along: Parts, *, forward: bool) -> tuple[jax.Array, Parts]:
    """Return the derivatives of the log partition and of the marginals in a direction.

    Args:
        w: the case with log weights.
        along: a number for each part.
        forward: whether to use forward mode, which is forward over reverse for marginals; otherwise
            only reverse mode.
    """
    return (_forward if forward else _reverse)(w.distribution, along)


@_compiled
def _best(d: Distribution[Any]) -> Answer:
    return d.best()


def best(w: Weighted) -> Answer:
    """Compute the best derivation."""
    return _best(w.distribution)


@_compiled
def _heads(d: Distribution[Any]) -> tuple[Answer, Answer]:
    return d.top(2), d.top(4)


def heads(w: Weighted) -> tuple[Answer, Answer]:
    """Compute the two best and the four best derivations."""
    return _heads(w.distribution)


def compute_ranking(w: Weighted, most: int) -> Answer:
    """Compute ranked derivations, best first, with a leading axis.

    Args:
        w: the case with log weights.
        most: the maximal number.
    """
    ranked = list(itertools.islice(w.distribution.ranking(), most))
    return jax.tree.map(lambda *xs: np.stack(xs), *ranked)


@_compiled
def _draws(d: Distribution[Any], key: jax.Array) -> Answer:
    drawn = d.sample(key, DRAWS, together=500)
    return Answer(drawn.parts, drawn.log_weight)


def draws(w: Weighted, seed: int, *, untraced: bool = False) -> Answer:
    """Draw many derivations.

    Args:
        w: the case with log weights.
        seed: the seed of the random key.
        untraced: whether to sample in the reverse pass even if the structure is ``Traceable``.
    """
    d = w.distribution
    if untraced:
        d = replace(d, structure=Untraced(d.structure, type(d.structure)))
    return _draws(d, jax.random.key(seed))


@_compiled
def _log_prob(d: Distribution[Any], parts: Parts) -> jax.Array:
    return jax.vmap(d.log_prob)(parts)


def log_prob(w: Weighted, parts: Parts) -> jax.Array:
    """Compute the log probabilities of derivations, ``[derivations, batch]``.

    Args:
        w: the case with log weights.
        parts: arrays ``[derivations, batch, ...]``.
    """
    return _log_prob(w.distribution, parts)


@_compiled
def _averages(
    d: Distribution[Any], reference: Distribution[Any], first: Parts, second: Parts
) -> Averages:
    return Averages(d.entropy(), d.kl(reference), d.expectation(first), d.covariance(first, second))


def averages(w: Weighted, reference: Weighted) -> Averages:
    """Compute averages.

    Args:
        w: the case with log weights.
        reference: other weights of the same shapes, for divergences.
    """
    return _averages(w.distribution, reference.distribution, w.features(1), w.features(2))


@_compiled
def _more_averages(
    d: Distribution[Any], reference: Distribution[Any], feature: Parts
) -> MoreAverages:
    return MoreAverages(
        d.cross_entropy(reference),
        d.variance(feature),
        slopes(d, lambda e: e.entropy())[1],
        slopes(d, lambda e: e.expectation(feature))[1],
    )


def more_averages(w: Weighted, reference: Weighted) -> MoreAverages:
    """Compute the other averages.

    Args:
        w: the case with log weights.
        reference: other weights of the same shapes, for the cross entropy.
    """
    return _more_averages(w.distribution, reference.distribution, w.features(1))


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
