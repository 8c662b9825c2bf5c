"""Sampling derivations without replacement.

Independent draws that keep only new derivations are draws without replacement: given the previous
ones, the next derivation is drawn in proportion to its weight among the rest. For an item with few
derivations this would take long, so these are listed, perturbed and sorted, which gives the same
distribution (the Gumbel top-k trick: Vieira 2014; Kool et al. 2019).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.structures.base import Parts, Structure
from semipunct.structures.distribution import Answer, Distribution
from semipunct.wording import quantity
from semirings.counting import Counting

_FEW = 16
"""The maximal number of derivations of an item that are listed rather than drawn."""


def sample_without_replacement(
    distribution: Distribution[Any], key: jax.Array, count: int, patience: int = 1000
) -> Answer:
    """Draw different derivations, and return them in the order of drawing.

    For an item with many derivations, derivations with the same parts, such as two parses by the
    same rules, are treated as one.

    Args:
        distribution: a distribution over derivations of a batch.
        key: a random key; the same key gives the same derivations.
        count: number of derivations of each item.
        patience: the number of draws per requested derivation before an error is raised.

    Returns:
        Parts and log weights with a leading axis ``[count]``; an item with fewer derivations has
        all of them, followed by log weights of minus infinity.

    Raises:
        UsageError: if ``count`` is negative, or the derivations that were found have so much of the
            weight of an item that no other was drawn, or a log weight is NaN.
    """
    if count < 0:
        raise UsageError(f"count is {count}; give 0 or more")
    available, wrong = (np.asarray(x) for x in _number(distribution))
    if wrong.any():
        raise UsageError(f"item {np.flatnonzero(wrong)[0]} has a log weight that is NaN")
    key, listing = jax.random.split(key)
    drawn = _Drawn(distribution, count, np.minimum(available, count))
    few = available <= _FEW
    if few.any() and count:
        listed = _listing(distribution)
        noise = np.asarray(jax.random.gumbel(listing, listed.log_weight.shape))
        order = np.argsort(-(np.asarray(listed.log_weight) + noise), 0, kind="stable")
        for item in np.flatnonzero(few).tolist():
            shuffled = jax.tree.map(lambda x, o=order[:, item]: x[o], listed)
            drawn.take(shuffled, np.arange(len(few)) == item, differ=True)
    for _ in range(patience):
        if drawn.complete:
            return drawn.answer()
        key, draw_key = jax.random.split(key)
        drawn.take(_samples(distribution, draw_key, max(count, 1)), ~few)
    item = int(np.flatnonzero(drawn.counts < drawn.required)[0])
    raise UsageError(
        f"item {item}: {quantity(patience * count, 'draw')} gave "
        f"{quantity(drawn.counts[item], 'different derivation')} of {drawn.required[item]} wanted; "
        "the others have too little weight, or the same parts. Draw fewer, or get the best ones: "
        "Distribution.top"
    )


class _Drawn:
    """The derivations drawn so far, for each item."""

    def __init__(
        self, distribution: Distribution[Any], count: int, required: npt.NDArray[Any]
    ) -> None:
        self.required = required
        self.counts = np.zeros_like(required)
        self._structure = distribution.structure.expand()
        weights = self._structure.log_weights
        self._nothing = jax.tree.map(jnp.zeros_like, weights)
        self._seen: list[set[bytes]] = [set() for _ in required]
        self._parts = [self._nothing for _ in range(count)]
        self._log_weight = np.full(
            (count, len(required)), -np.inf, jax.tree.leaves(weights)[0].dtype
        )
        generator = np.random.default_rng(0)
        self._directions = [
            jax.tree.map(lambda x: jnp.asarray(generator.normal(size=x.shape), x.dtype), weights)
            for _ in range(2)
        ]
        # The transpose of a sum by item maps the number of an item to each of its parts.
        self._spread = jax.vjp(self._structure.by_item, self._nothing)[1]

    @property
    def complete(self) -> bool:
        return bool((self.counts >= self.required).all())

    def take(
        self, derivations: Answer, items: npt.NDArray[np.bool_], *, differ: bool = False
    ) -> None:
        """Keep new derivations.

        Args:
            derivations: parts and log weights with a leading axis ``[draws]``.
            items: ``[batch]`` the items whose derivations are kept.
            differ: whether they are known to be different.
        """
        marks = np.asarray(_fingerprints(self._structure, self._directions, derivations.parts))
        log_weight = np.asarray(derivations.log_weight)
        for draw in range(len(log_weight)):
            is_new = items & (self.counts < self.required) & np.isfinite(log_weight[draw])
            if not differ:
                pairs = zip(marks[draw], self._seen, strict=True)
                is_new &= np.array([m.tobytes() not in seen for m, seen in pairs])
            for rank in sorted(set(self.counts[is_new].tolist())):
                at_rank = is_new & (self.counts == rank)
                (newly_ranked,) = self._spread(jnp.asarray(at_rank, log_weight.dtype))
                self._parts[rank] = jax.tree.map(
                    lambda stored, m, x, d=draw: jnp.where(m > 0, x[d], stored),
                    self._parts[rank],
                    newly_ranked,
                    derivations.parts,
                )
                self._log_weight[rank, at_rank] = log_weight[draw, at_rank]
            for b in np.flatnonzero(is_new).tolist():
                self._seen[b].add(marks[draw, b].tobytes())
            self.counts = self.counts + is_new

    def answer(self) -> Answer:
        """Return the derivations found, in the order of drawing."""
        parts = jax.tree.map(lambda *xs: jnp.stack(xs)[1:], self._nothing, *self._parts)
        return Answer(parts, jnp.asarray(self._log_weight))


@partial(jax.jit, static_argnums=2)
def _samples(distribution: Distribution[Any], key: jax.Array, draws: int) -> Answer:
    drawn = distribution.sample(key, draws, together=draws)
    return Answer(drawn.parts, drawn.log_weight)


@jax.jit
def _listing(distribution: Distribution[Any]) -> Answer:
    return distribution.top(_FEW)


@jax.jit
def _number(distribution: Distribution[Any]) -> tuple[jax.Array, jax.Array]:
    """Count the derivations of each item, ``[batch]``; tell which items have NaN weights."""
    counting = Counting()
    number = counting.count(distribution.structure.total(counting).value)
    return number, jnp.isnan(distribution.log_partition())


@jax.jit
def _fingerprints(structure: Structure, directions: list[Parts], parts: Parts) -> jax.Array:
    """Return random projections ``[draws, batch, 2]`` of derivations, which identify them."""

    def of(derivation: Parts) -> jax.Array:
        each = [structure.by_item(jax.tree.map(jnp.multiply, derivation, d)) for d in directions]
        return jnp.stack(each, axis=1)

    return jax.vmap(of)(parts)
