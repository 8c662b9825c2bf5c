"""Relaxed choices: what they share, tempered weights and straight-through gradients.

The best derivation is a piecewise constant function of the weights: its gradient is zero or does
not exist. ``perturbed`` averages the best ones under noise, ``sparse`` regularises the choice;
both give parts between zero and one that have gradients, as marginals do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from semipunct.errors import UsageError
from semipunct.structures.arborescences import best_heads
from semipunct.structures.base import Parts, PartWise, per_item
from semipunct.structures.distribution import Answer, Distribution
from semipunct.structures.nonprojective import NonprojectiveTrees
from semipunct.structures.readable import is_form
from semirings.devices import axes_of, varying

Relaxable = Distribution[Any] | NonprojectiveTrees
"""What has a best derivation for any weights of its parts."""


@dataclass(frozen=True)
class Choices:
    """The derivations of a batch as vectors of parts, whose maximum for given weights is known.

    Attributes:
        weights: log weights of the parts of the expanded structure.
        best: returns the best derivation for other such weights, which JAX may trace; its parts are
            zero where there is none.
        score: returns the log weights ``[batch]`` of a derivation in parts.
        by_item: sums arrays of parts by item: ``[batch]``.
        usable: returns arrays of booleans: false for parts that no derivation uses.
    """

    weights: Parts
    best: Callable[[Parts], Answer]
    score: Callable[[Parts], jax.Array]
    by_item: Callable[[Parts], jax.Array]
    usable: Callable[[], Parts]

    def spread(self, values: jax.Array) -> Parts:
        """Return values of items at each of their parts.

        Args:
            values: ``[batch]`` floats.
        """
        zeros = jax.tree.map(jnp.zeros_like, self.weights)
        pull: Callable[[jax.Array], tuple[Parts]]
        # The transpose of a sum by item gives the number of an item to each of its parts.
        totals, pull = jax.vjp(self.by_item, varying(zeros, axes_of(self.weights)))
        return pull(varying(values.astype(totals.dtype), axes_of(totals)))[0]

    def dot(self, parts: Parts, others: Parts) -> jax.Array:
        """Return the sum ``[batch]`` of products of parts with finite numbers.

        Args:
            parts: arrays of an expanded structure.
            others: likewise.
        """
        return self.by_item(jax.tree.map(jnp.multiply, parts, others))


def check_relaxable(distribution: Any) -> None:
    """Check that an argument is a distribution or non-projective trees.

    Args:
        distribution: the argument.

    Raises:
        UsageError: if it is something else, such as a structure.
    """
    if not isinstance(distribution, Distribution | NonprojectiveTrees):
        raise UsageError(
            f"{type(distribution).__name__} is no distribution; give Distribution(structure)"
        )


def choices_of(distribution: Relaxable) -> Choices:
    """Return the derivations of a distribution, or of non-projective trees, as vectors of parts.

    Args:
        distribution: the weights.

    Raises:
        UsageError: as ``check_relaxable``.
    """
    check_relaxable(distribution)
    if isinstance(distribution, NonprojectiveTrees):
        return _choices_of_trees(distribution)
    expanded = distribution.structure.expand()
    expanded = expanded.with_log_weights(varying(expanded.log_weights, axes_of(expanded)))

    def best(weights: Parts) -> Answer:
        found = replace(distribution, structure=expanded.with_log_weights(weights)).best()
        return _only_possible(choices, found)

    def usable() -> Parts:
        even = jax.tree.map(lambda w: jnp.where(w > -jnp.inf, 0.0 * w, w), expanded.log_weights)
        marginals = replace(distribution, structure=expanded.with_log_weights(even)).marginals()
        return jax.tree.map(lambda x: ~(x <= 0), marginals)

    choices = Choices(expanded.log_weights, best, expanded.score, expanded.by_item, usable)
    return choices


def _choices_of_trees(trees: NonprojectiveTrees) -> Choices:
    """Return non-projective trees as vectors of arcs; the best one is found on the host."""
    batch, size, _ = trees.arcs.shape
    dtype = trees.arcs.dtype

    def on_host(arcs: Any, lengths: Any) -> Any:
        heads, log_weight = best_heads(np.asarray(arcs), np.asarray(lengths), trees.single_root)
        used = heads[:, None] == np.arange(size)[:, None]
        marks = np.concatenate([np.zeros((batch, size, 1), bool), used], 2)
        return marks.astype(dtype), log_weight.astype(dtype)

    def best(arcs: jax.Array) -> Answer:
        shapes = (
            jax.ShapeDtypeStruct((batch, size, size), dtype),
            jax.ShapeDtypeStruct((batch,), dtype),
        )
        found = jax.pure_callback(on_host, shapes, arcs, trees.lengths, vmap_method="sequential")
        return _only_possible(choices, Answer(*found))

    def score(arcs: jax.Array) -> jax.Array:
        return per_item(jnp.where(arcs != 0, arcs * trees.arcs, 0.0))

    def usable() -> jax.Array:
        even = replace(trees, arcs=jnp.where(trees.arcs > -jnp.inf, 0.0 * trees.arcs, trees.arcs))
        return ~(even.marginals() <= 0)

    choices = Choices(trees.arcs, best, score, per_item, usable)
    return choices


def _only_possible(choices: Choices, found: Answer) -> Answer:
    """Return an answer with parts of zero where there is no derivation, of NaN for NaN weights."""
    known = jnp.where(jnp.isnan(found.log_weight), jnp.nan, found.log_weight > -jnp.inf)
    return found._replace(
        parts=jax.tree.map(
            lambda k, x: jnp.where(k == 0, 0.0, x * k), choices.spread(known), found.parts
        )
    )


def target_parts(distribution: Relaxable, target: Any) -> Parts:
    """Return the parts of a derivation that may be given in the usual form.

    Args:
        distribution: as for the loss.
        target: parts, or states, heads, ...

    Raises:
        UsageError: if it is in the usual form and does not fit the structure.
    """
    if isinstance(distribution, NonprojectiveTrees):
        is_heads = jnp.ndim(target) == distribution.arcs.ndim - 1
        return distribution.to_parts(target) if is_heads else jnp.asarray(target)
    if is_form(distribution.structure, target):
        return distribution.structure.to_parts(target)
    return target


def temper(distribution: Relaxable, temperature: Any) -> Any:
    """Return the distribution whose log weights are divided by a temperature.

    Towards zero all probability is on the best derivation; high temperatures make derivations
    equally probable.

    Args:
        distribution: a distribution over derivations, or non-projective trees.
        temperature: a positive number, or an array of shape ``[]``.

    Returns:
        A distribution of the same type.

    Raises:
        UsageError: if the temperature is not positive, or the structure has weights that are not of
            its parts (phrase marks, given trees).
    """
    check_relaxable(distribution)
    if not isinstance(temperature, Tracer) and not 0 < float(temperature) < float("inf"):
        raise UsageError(f"temperature is {temperature}; give a positive number")

    def divided(w: jax.Array) -> jax.Array:
        # The gradient of a quotient of infinity, or of padding, would be NaN.
        finite = jnp.where(jnp.isfinite(w), w, 0.0)
        return jnp.where(jnp.isfinite(w), finite / temperature, w).astype(w.dtype)

    if isinstance(distribution, NonprojectiveTrees):
        return replace(distribution, arcs=divided(distribution.arcs))
    structure = distribution.structure
    if getattr(type(structure), "score", None) is not PartWise.score:
        raise UsageError(
            f"{type(structure).__name__} has weights that are not of its parts; divide them where "
            "the structure is made"
        )
    weights = jax.tree.map(divided, structure.log_weights)
    return replace(distribution, structure=structure.with_log_weights(weights))


def straight_through(hard: Parts, soft: Parts) -> Parts:
    """Return the parts of a choice, with the gradient of a relaxed one.

    Args:
        hard: parts of ``best``, or of a sample.
        soft: parts of the same shapes that have a gradient: marginals, of a distribution from
            ``temper`` perhaps, or parts of ``sparsemap`` or ``perturbed_best``.

    Raises:
        UsageError: if the shapes differ.

    Source: Bengio et al. (2013), section 3; with a sample and its tempered marginals, Jang et al.
    (2017), section 2.2.
    """
    shapes = [[jnp.shape(x) for x in jax.tree.leaves(parts)] for parts in (hard, soft)]
    if shapes[0] != shapes[1]:
        raise UsageError(f"parts of different shapes: {shapes[0]} and {shapes[1]}")
    fixed = jax.lax.stop_gradient
    return jax.tree.map(lambda h, s: fixed(h) + (s - fixed(s)), hard, soft)
