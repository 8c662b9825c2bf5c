"""Permutations of n items, weighted by pairwise precedence.

Orders of a set are orders of each subset without one item, followed by that item (Bellman 1962;
Held and Karp 1962): n 2^(n - 1) products for n! orders.

Source: Tromble and Eisner (2009), section 2; Wang and Eisner (2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.shapes import (
    as_log_weights,
    check_log_weights,
    check_shapes,
    checked_lengths,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.draws import Traceable, choose
from semipunct.structures.readable import (
    Readable,
    as_form,
    as_marks,
    check,
    mask_places,
    modules_of,
)
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take
from semirings.devices import scan
from semirings.log import Log
from semirings.numerics import log_times

# Each further item doubles time and memory.
MOST_ITEMS = 16


class OrderingParts(NamedTuple):
    """Parts of an order.

    Attributes:
        precedence: ``[batch, n, n]``; ``[b, i, j]``: item i precedes item j, adjacent or not. The
            diagonal is ignored.
    """

    precedence: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class LinearOrderings(Readable[OrderingParts], Traceable):
    """A batch of sets of permutations; build with ``linear_orderings``.

    Usual form: items ``[..., batch, n]`` in order, padded with -1.
    """

    def places(self, derivations: Any) -> OrderingParts:
        batch, items = self.weights.precedence.shape[:2]
        order = as_form(derivations, (batch, items), "orders")
        used = within(self.lengths, items)
        xp = modules_of(order, used)
        ranked = xp.sort(xp.where(used, order, np.arange(items)), -1)
        valid = xp.all(ranked == np.arange(items), -1)

        def explain(place: tuple[int, ...]) -> str:
            length = int(used[place[-1]].sum())
            return (
                f"item {place[-1]}: {order[place][:length].tolist()} is not an order of the "
                f"numbers 0 to {length - 1}, each once"
            )

        check(valid, order, explain)
        before, after = np.triu_indices(items, 1)
        pair = order[..., before] * items + order[..., after]
        return OrderingParts(*mask_places(valid, xp.where(used[:, after], pair, -1)))

    def from_parts(self, parts: OrderingParts) -> jax.Array:
        pairs = as_marks(parts.precedence)
        items = pairs.shape[-1]
        used = jnp.arange(items) < self.lengths[:, None]
        order = jnp.argsort(jnp.where(used, jnp.sum(pairs, -2), items), -1, stable=True)
        # Several items without pairs have no order.
        possible = jnp.sum(pairs, (-2, -1)) == self.lengths * (self.lengths - 1) // 2
        return jnp.where(used & possible[..., None], order, -1)

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Sum over subsets by size.

        Sizes have different shapes, so steps are unrolled and ``recursion`` is ignored.
        """
        s, batch = semiring, len(self.lengths)
        levels, _, factor = _forward(self, s, feature)
        # The first set of a size contains the first items, all that a sequence of that length has.
        whole = jax.tree.map(lambda *xs: jnp.stack([x[:, 0] for x in xs], 1), *levels)
        ended = self.lengths[:, None] == jnp.arange(len(levels))
        value = s.sum(s.where(ended, whole, s.zeros((batch, len(levels)))), axis=1)
        return Total(value, factor)

    def trace(
        self, key: jax.Array, count: int, recursion: Recursion
    ) -> tuple[OrderingParts, jax.Array]:
        """Sample backward from the last item."""
        precedence = self.weights.precedence
        batch, items = precedence.shape[:2]
        if items == 0:
            nothing = jnp.zeros((count, batch, 0), jnp.int32)
            return OrderingParts(nothing), jnp.zeros((batch,), precedence.dtype)
        levels, preceding, _ = _forward(self, Log(), None)
        masks = np.concatenate([[0], *(level.number for level in _levels(items))])
        by_set = jnp.concatenate(levels, 1)[:, np.argsort(masks)]
        item, row = jnp.arange(items), jnp.arange(batch)[:, None]

        def back(state: Any, uniform: jax.Array) -> tuple[Any, None]:
            left, position = state
            inside = (left[..., None] >> item) & 1 == 1
            remaining = jnp.where(inside, left[..., None] - (1 << item), 0)
            weight = log_times(by_set[row, remaining], preceding[row, remaining, item])
            last = choose(uniform, jnp.where(inside, weight, -jnp.inf))
            chosen = (item == last[..., None]) & inside
            position = jnp.where(chosen, jnp.sum(inside, -1, keepdims=True) - 1, position)
            return (jnp.sum(jnp.where(inside & ~chosen, 1 << item, 0), -1), position), None

        uniform = jax.random.uniform(key, (items, count, batch), precedence.dtype)
        everything = jnp.broadcast_to((1 << self.lengths) - 1, (count, batch))
        start = everything, jnp.zeros((count, batch, items), everything.dtype)
        (_, position), _ = scan(back, start, uniform)
        later, earlier = np.tril_indices(items, -1)
        swapped = position[..., later] < position[..., earlier]
        place = jnp.where(swapped, later * items + earlier, earlier * items + later)
        used = later < self.lengths[:, None]
        total = by_set[jnp.arange(batch), (1 << self.lengths) - 1]
        return OrderingParts(jnp.where(used, place, -1)), total


@any_batch(precedence=2, lengths=0)
def linear_orderings(precedence: jax.Array, lengths: jax.Array | None = None) -> LinearOrderings:
    """Build all orders of n items, weighted by pairs.

    Args:
        precedence: ``[*batch, n, n]`` log weight of item i before item j; n is at most
            ``MOST_ITEMS``.
        lengths: ``[*batch]`` numbers of items; n by default.

    Raises:
        UsageError: if a shape, length or log weight is invalid.
    """
    precedence = as_log_weights(precedence)
    check_shapes(precedence=(precedence, "batch items items"))
    items = precedence.shape[1]
    if items > MOST_ITEMS:
        raise UsageError(
            f"{items} items have too many subsets to sum over; give at most {MOST_ITEMS}"
        )
    lengths = checked_lengths(lengths, items, precedence=precedence)
    used = _used_pairs(within(lengths, items))
    check_log_weights({"precedence": used}, precedence=precedence)
    return LinearOrderings(OrderingParts(precedence), lengths)


def _forward(
    orderings: LinearOrderings, s: Semiring, feature: OrderingParts | None
) -> tuple[list[Value], Value, jax.Array]:
    """Sum over the orders of each subset.

    Returns:
        By size, sums ``[batch, sets]``; ``[batch, 2^n, n]`` products of the weights of a set before
        an item; ``[batch]`` log scales.
    """
    weights = orderings.weights.precedence
    batch, items = weights.shape[:2]
    used = _used_pairs(jnp.arange(items)[None] < orderings.lengths[:, None])
    # Unused entries have weight one.
    of_pairs = None if feature is None else feature.precedence
    pairs = lift_weights(s, *mask_padding(used, (weights, of_pairs)))
    factor = jnp.zeros((batch,), weights.dtype)
    if items > 1:
        # An order uses one weight of each pair, so both are divided by the larger one.
        low, high = np.triu_indices(items, 1)
        balanced_pairs = jax.tree.map(
            lambda x: jnp.stack([x[:, low, high], x[:, high, low]], 2), pairs
        )
        balanced_pairs, factors = s.balance(balanced_pairs, (2,))
        factor = jnp.sum(factors, 1).astype(weights.dtype)
        flat = jax.tree.map(lambda x: x.reshape(batch, 2 * len(low), *x.shape[3:]), balanced_pairs)
        flat = s.concatenate([flat, s.ones((batch, 1))], 1)
        place = np.full((items, items), 2 * len(low))
        place[low, high], place[high, low] = 2 * np.arange(len(low)), 2 * np.arange(len(low)) + 1
        pairs = take[:, place](flat)
    preceding = s.ones((batch, 1, items))
    for i in range(items):  # bit i of a set's number: sets with the item come after those without
        joined = s.times(preceding, take[:, i : i + 1](pairs))
        preceding = s.concatenate([preceding, joined], 1)
    levels = [s.ones((batch, 1))]
    for level in _levels(items):
        last = take[:, level.rest_number, level.item](preceding)
        levels.append(s.sum(s.times(take[:, level.without](levels[-1]), last), axis=2))
    return levels, preceding, factor


def _used_pairs(items: Any) -> Any:
    """Return a mask ``[batch, n, n]`` of pairs in use."""
    return items[:, :, None] & items[:, None, :] & ~np.eye(items.shape[1], dtype=bool)[None]


class _Level(NamedTuple):
    """The sets of one size, as bit masks."""

    number: npt.NDArray[np.int32]  # [sets], ascending
    item: npt.NDArray[np.int32]  # [sets, size] members
    rest_number: npt.NDArray[np.int32]  # [sets, size] the mask without that member
    without: npt.NDArray[np.int32]  # [sets, size] its index among masks of its size


@cache
def _levels(items: int) -> tuple[_Level, ...]:
    """Return the sets of sizes 1 to ``items``."""
    number = np.arange(1 << items, dtype=np.int32)
    inside = (number[:, None] >> np.arange(items)) & 1 == 1
    size = inside.sum(1)
    rank = np.zeros(len(number), np.int32)  # of each set among the sets of its size
    levels: list[_Level] = []
    for members in range(1, items + 1):
        sets = number[size == members]
        item = np.nonzero(inside[sets])[1].reshape(-1, members).astype(np.int32)
        without_item = sets[:, None] - (1 << item)
        levels.append(_Level(sets, item, without_item.astype(np.int32), rank[without_item]))
        rank[sets] = np.arange(len(sets))
    return tuple(levels)
