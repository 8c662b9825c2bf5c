"""The computations that the conformance suite tests, compiled once, and comparisons."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts, Structure, Total
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.recursion import Recursion
from semipunct.structures.testing.case import Enumeration, Weighted
from semipunct.wording import quantity
from semirings.base import Semiring
from semirings.counting import Counting

T = TypeVar("T")

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


def _compiled(ask: Callable[..., T]) -> Callable[..., T]:
    """Compile a computation on the distribution of a case, and count how often it is traced."""

    def traced(*arguments: Any) -> T:
        traces[ask.__name__] += 1
        return ask(*arguments)

    program = jax.jit(traced)

    @wraps(ask)
    def of(*arguments: Any) -> T:
        return program(*(x.distribution if isinstance(x, Weighted) else x for x in arguments))

    return of


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
def sums(d: Distribution[Any]) -> Sums:
    """Compute the sums."""
    log_partition, marginals = d.log_partition_and_marginals()
    alone, gradient = slopes(d, lambda e: e.log_partition(), d.structure)
    return Sums(log_partition, alone, marginals, gradient)


@_compiled
def number(d: Distribution[Any]) -> tuple[jax.Array, jax.Array]:
    """Count the possible derivations of each item; return the count and its scale."""
    semiring = Counting()
    total = d.ask(semiring)
    return semiring.count(total.value), total.log_scale


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
    return (_forward if forward else _reverse)(w, along)


@_compiled
def best(d: Distribution[Any]) -> Answer:
    """Compute the best derivation."""
    return d.best()


@_compiled
def heads(d: Distribution[Any]) -> tuple[Answer, Answer]:
    """Compute the two best and the four best derivations."""
    return d.top(2), d.top(4)


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
def log_prob(d: Distribution[Any], parts: Parts) -> jax.Array:
    """Compute the log probabilities of derivations, ``[derivations, batch]``.

    Args:
        d: the distribution of the case.
        parts: arrays ``[derivations, batch, ...]``.
    """
    return jax.vmap(d.log_prob)(parts)


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
    return _averages(w, reference, w.features(1), w.features(2))


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
    return _more_averages(w, reference, w.features(1))


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


def require(condition: Any, message: str) -> None:
    """Fail with a message unless a condition is true.

    Args:
        condition: the condition.
        message: the message if it is false.

    Raises:
        AssertionError: if it is false.
    """
    if not condition:
        raise AssertionError(message)


def expect_number(w: Weighted, computed: Any, expected: Any, description: str) -> None:
    """Fail unless numbers are close to the expected ones.

    Args:
        w: the case, whose precision determines the tolerance.
        computed: numbers.
        expected: numbers of the same shape.
        description: the name of the quantity.
    """
    numbers = np.asarray(computed, np.float64)
    np.testing.assert_allclose(numbers, expected, rtol=w.close, atol=w.close, err_msg=description)


def expect(
    w: Weighted, computed: jax.Array, answer: Callable[[Enumeration], float], description: str
) -> None:
    """Fail unless ``[batch]`` numbers agree with the enumeration and have the expected dtype.

    Args:
        w: the case.
        computed: the numbers.
        answer: computes the expected number from an enumeration.
        description: the name of the quantity.
    """
    expect_precision(w, computed, description)
    expect_number(w, computed, [answer(e) for _, e in w.each()], f"{description} of each item")


def expect_precision(w: Weighted, computed: Any, description: str) -> None:
    """Fail unless arrays have the precision of the log weights.

    Args:
        w: the case.
        computed: a pytree of arrays.
        description: the name of the quantity.
    """
    precisions = {str(x.dtype) for x in jax.tree.leaves(computed)}
    require(
        precisions == {str(w.dtype)},
        f"{description} is {sorted(precisions)}, the log weights are {w.dtype}",
    )


def expect_parts(
    w: Weighted, computed: Parts, answer: Callable[[int, Enumeration], np.ndarray], description: str
) -> None:
    """Fail unless arrays of parts agree with the enumeration, and are zero in padding.

    Args:
        w: the case.
        computed: the arrays.
        answer: maps an item and its enumeration to the entries of the item.
        description: the name of the quantity.
    """
    expect_precision(w, computed, description)
    for item, e in w.each():
        expect_number(
            w, w.flat(computed, item), answer(item, e), f"{description}, entries of item {item}"
        )
    inside = sum(np.abs(w.flat(computed, item)).sum() for item in w.items)
    everywhere = sum(np.abs(np.asarray(x, np.float64)).sum() for x in jax.tree.leaves(computed))
    np.testing.assert_allclose(
        everywhere, inside, rtol=1e-6, atol=1e-12, err_msg=f"{description}, beyond the items"
    )


def expect_same(computed: Any, expected: Any, description: str, tolerance: float = 1e-6) -> None:
    """Fail unless two pytrees hold the same numbers.

    Args:
        computed: one.
        expected: the other.
        description: the name of the quantity.
        tolerance: relative and absolute.
    """
    for x, y in zip(jax.tree.leaves(computed), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=description)


def ranks(w: Weighted, answer: Answer, item: int) -> list[int]:
    """Return the indices of the ranked derivations of an item in the enumeration.

    Args:
        w: the case.
        answer: derivations with a leading axis.
        item: the number of the item.
    """
    is_possible = np.asarray(answer.log_weight)[:, item] > -np.inf
    return w.enumerations[item].find(w.flat(answer.parts, item, axes=1)[is_possible]).tolist()


def expect_head(w: Weighted, answer: Answer, most: int) -> None:
    """Fail unless derivations are the best of the enumeration, in order without repetitions.

    Args:
        w: the case.
        answer: derivations, best first.
        most: the number requested; if there are fewer, all.
    """
    most = min(most, max(e.possible for _, e in w.each()))
    listed = int((np.asarray(answer.log_weight).max(1) > -np.inf).sum())
    require(listed == most, f"the list has {quantity(listed, 'derivation')} instead of {most}")
    answer = jax.tree.map(lambda x: x[:most], answer)
    for item, e in w.each():
        name = f"log weights of the list of item {item}"
        expect_number(w, answer.log_weight[:, item], e.ranking(most), name)
        places = ranks(w, answer, item)
        require(
            len(set(places)) == len(places) == min(most, e.possible),
            f"item {item} has {quantity(e.possible, 'derivation')}; the list has those numbered "
            f"{places}",
        )
        name = f"log weights of the parts listed for item {item}"
        expect_number(w, e.log_weight[places], e.ranking(most)[: len(places)], name)


def few(w: Weighted, most: int) -> Weighted:
    """Forbid parts so that every item has few derivations, and some item nearly ``most``.

    Args:
        w: the case whose parts are forbidden.
        most: the maximal number of derivations of an item.
    """
    rng = np.random.default_rng(7)
    weights = w.expanded.log_weights
    for item, e in w.each():
        possible = e.parts[e.log_weight > -np.inf] != 0
        usable = possible[0]
        for _ in range(200):
            more = usable | rng.choice(possible)
            if (~possible[:, ~more].any(1)).sum() <= most:
                usable = more
        flat = np.where(usable, w.flat(weights, item), -np.inf)
        weights = w.with_item(weights, item, flat)
    return w.weighing(weights)


def other_weights(w: Weighted) -> Weighted:
    """Return other weights that forbid only what these forbid."""

    def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

    alternative = w.case.with_weights(w.base, 3)
    drawn = jax.tree.map(mixed, w.structure.log_weights, alternative.structure.log_weights)
    return w.weighing(drawn)


def lacking(w: Weighted) -> Weighted:
    """Forbid a part that only the item with the most derivations may use.

    Raises:
        AssertionError: if there is none.
    """
    used_by_rest = w.looked_at(set(w.items) - {w.fullest})
    marginals_of_item = w.with_item(w.zeros, w.fullest, w.enumerations[w.fullest].marginals)
    marginals = w.gather(marginals_of_item)
    leaves, treedef = jax.tree.flatten(w.structure.log_weights)
    for i, (shared, used) in enumerate(
        zip(jax.tree.leaves(used_by_rest), jax.tree.leaves(marginals), strict=True)
    ):
        places = np.argwhere(~shared & (np.asarray(used) > 0.01) & (np.asarray(used) < 0.99))
        if len(places):
            leaves[i] = leaves[i].at[tuple(places[0])].set(-jnp.inf)
            return w.weighing(jax.tree.unflatten(treedef, leaves))
    raise AssertionError(
        f"{w.case.name}: no part that only item {w.fullest} uses is neither certain nor forbidden; "
        "give the case a larger item, with log weights of its own"
    )


def expect_infinite(w: Weighted, divergence: jax.Array) -> None:
    """Fail unless the number of the item with the most derivations, and no other, is infinite.

    Args:
        w: the case.
        divergence: ``[batch]`` divergences of ``lacking`` from the case.
    """
    expected = [item == w.fullest for item in w.items]
    divergences = np.asarray(divergence)
    require(
        np.isinf(divergences).tolist() == expected and not np.isnan(divergences).any(),
        f"of item {w.fullest} one part is forbidden in the other; the divergences are "
        f"{divergences}",
    )
