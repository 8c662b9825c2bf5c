"""Sampling derivations without replacement.

Independent draws, each kept if it is new, are draws without replacement: given those before it, a
derivation comes next in proportion to its weight among the rest. Where an item has few derivations
that would take long, but they can be listed: then the list is perturbed and sorted, which has the
same distribution (the Gumbel top-k trick: Vieira 2014; Kool et al. 2019).
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
from semipunct.wording import counted
from semirings.counting import Counting

_FEW = 16
"""The most derivations of an item that are listed rather than drawn."""


def sample_without_replacement(
    distribution: Distribution[Any], key: jax.Array, count: int, patience: int = 1000
) -> Answer:
    """Draw different derivations; return them in the order in which they were drawn.

    Of an item with many derivations, those that have the same parts, as two parses by the same
    rules, are taken for one.

    Args:
        distribution: over derivations of a batch.
        key: a random key; the same key draws the same.
        count: number of derivations of each item.
        patience: draws for each one wanted before an item is given up.

    Returns:
        Parts and log weights with a leading axis ``[count]``; an item with fewer derivations has
        all of them, and log weight minus infinity from there on.

    Raises:
        UsageError: if ``count`` is negative, or the derivations that were found hold so much of
            an item's weight that no other was drawn.
    """
    if count < 0:
        raise UsageError(f"count is {count}; nobody can draw fewer than 0")
    available = np.asarray(_number(distribution))
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
        key, now = jax.random.split(key)
        drawn.take(_samples(distribution, now, max(count, 1)), ~few)
    item = int(np.flatnonzero(drawn.found < drawn.wanted)[0])
    raise UsageError(
        f"item {item}: {counted(patience * count, 'draw')} gave "
        f"{counted(drawn.found[item], 'different derivation')} of {drawn.wanted[item]} wanted; "
        "the rest has too little weight, or the same parts. Ask for fewer, or for the best ones: "
        "Distribution.top"
    )


class _Drawn:
    """The derivations drawn so far, for each item."""

    def __init__(
        self, distribution: Distribution[Any], count: int, wanted: npt.NDArray[Any]
    ) -> None:
        self.wanted = wanted
        self.found = np.zeros_like(wanted)
        self._structure = distribution.structure.expanded()
        weights = self._structure.log_weights
        self._nothing = jax.tree.map(jnp.zeros_like, weights)
        self._seen: list[set[bytes]] = [set() for _ in wanted]
        self._parts = [self._nothing for _ in range(count)]
        self._log_weight = np.full((count, len(wanted)), -np.inf, jax.tree.leaves(weights)[0].dtype)
        generator = np.random.default_rng(0)
        self._directions = [
            jax.tree.map(lambda x: jnp.asarray(generator.normal(size=x.shape), x.dtype), weights)
            for _ in range(2)
        ]
        # The transpose of a sum by item gives each part its item's number.
        self._spread = jax.vjp(self._structure.by_item, self._nothing)[1]

    @property
    def complete(self) -> bool:
        return bool((self.found >= self.wanted).all())

    def take(
        self, derivations: Answer, items: npt.NDArray[np.bool_], *, differ: bool = False
    ) -> None:
        """Keep what is new.

        Args:
            derivations: parts and log weights with a leading axis ``[draws]``.
            items: ``[batch]`` whose derivations are kept.
            differ: whether they are known to be different.
        """
        marks = np.asarray(_fingerprints(self._structure, self._directions, derivations.parts))
        log_weight = np.asarray(derivations.log_weight)
        for draw in range(len(log_weight)):
            new = items & (self.found < self.wanted) & np.isfinite(log_weight[draw])
            if not differ:
                pairs = zip(marks[draw], self._seen, strict=True)
                new &= np.array([m.tobytes() not in seen for m, seen in pairs])
            for rank in sorted(set(self.found[new].tolist())):
                at_rank = new & (self.found == rank)
                (mine,) = self._spread(jnp.asarray(at_rank, log_weight.dtype))
                self._parts[rank] = jax.tree.map(
                    lambda old, m, x, d=draw: jnp.where(m > 0, x[d], old),
                    self._parts[rank],
                    mine,
                    derivations.parts,
                )
                self._log_weight[rank, at_rank] = log_weight[draw, at_rank]
            for b in np.flatnonzero(new).tolist():
                self._seen[b].add(marks[draw, b].tobytes())
            self.found = self.found + new

    def answer(self) -> Answer:
        """Return what was found, in the order in which it was drawn."""
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
def _number(distribution: Distribution[Any]) -> jax.Array:
    """Count the derivations of each item, ``[batch]``."""
    counting = Counting()
    return counting.count(distribution.structure.total(counting).value)


@jax.jit
def _fingerprints(structure: Structure, directions: list[Parts], parts: Parts) -> jax.Array:
    """Project derivations: ``[draws, batch, 2]``, equal for equal ones and for no others."""

    def of(one: Parts) -> jax.Array:
        each = [structure.by_item(jax.tree.map(jnp.multiply, one, d)) for d in directions]
        return jnp.stack(each, axis=1)

    return jax.vmap(of)(parts)
