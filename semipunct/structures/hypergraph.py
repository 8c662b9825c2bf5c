"""Hypergraphs, or packed forests, with hyperedges of at most two tails.

| Part | Shape              | Entry                                                 |
| ---- | ------------------ | ----------------------------------------------------- |
| edge | ``[batch, edges]`` | ``[b, e]``: the use of hyperedge e in a derivation     |

A derivation is a tree of hyperedges: one into the root, and one into each tail of a hyperedge that
is used. Nodes are computed level by level, tails before heads, so one pass sums over all
derivations in any semiring.

Source: Gallo et al. (1993); Goodman (1999), section 2; Huang (2008), section 2.

Why derivations are parsed in two stages, of which this is the second:
docs/decisions/0035-parsing-derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.shapes import (
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import PartWise, Total, lift_weights, mask_padding
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value

NOTHING = 0
"""The node of an absent tail; its value is one."""


class Room(NamedTuple):
    """Padded sizes of the levels of a hypergraph.

    Attributes:
        levels: number of levels.
        width: number of nodes of a level.
        fan: number of hyperedges into a node.
    """

    levels: int
    width: int
    fan: int


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths", "edges", "tails", "roots"],
    meta_fields=[],
)
@dataclass(frozen=True)
class Hypergraphs(PartWise[Any]):
    """A batch of hypergraphs; see ``hypergraphs``.

    Attributes:
        edges: ``[batch, levels, width, fan]`` the hyperedges into each node of each level; -1 for
            none.
        tails: ``[batch, levels, width, fan, 2]`` the places of their tails: 0 for none, otherwise
            one plus the index of the node in the order of levels.
        roots: ``[batch]`` the places of the roots.
    """

    edges: jax.Array
    tails: jax.Array
    roots: jax.Array

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion by level; arguments as in ``Structure.total``."""
        table = self.inside(semiring, feature, recursion)
        rows = jnp.arange(len(self.roots))
        value = jax.tree.map(lambda x: x[rows, self.roots], table)
        return Total(value, jnp.zeros((len(self.roots),), self.weights.dtype))

    def inside(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Value:
        """Return the sums over the derivations of every node, ``[batch, places]``.

        The places are those of ``tails`` and ``roots``.

        Args:
            semiring: as for ``total``, like the other arguments.
            feature: an additive quantity of each hyperedge.
            recursion: memory budget of the steps.
        """
        s = semiring
        batch, levels, width, _ = self.edges.shape
        rows = jnp.arange(batch)
        item = rows[:, None, None, None]
        place = jnp.maximum(self.edges, 0)
        used = self.edges >= 0
        weight = mask_padding(used, self.weights[item, place], -jnp.inf)
        marks = jax.tree.map(
            lambda x: jnp.broadcast_to(x, self.weights.shape)[item, place], feature
        )
        marks = mask_padding(used, marks)
        table = s.concatenate([s.ones((batch, 1)), s.zeros((batch, levels * width))], 1)
        # In the precision of the weights.
        lone = jax.tree.map(lambda x: x[:, :1, 0, 0], (weight, marks))
        like = jax.eval_shape(lambda pair: lift_weights(s, *pair), lone)
        table = jax.tree.map(lambda x, y: x.astype(y.dtype), table, like)

        def step(table: Any, at: Any) -> Any:
            level, used, weight, marks, tails = at
            value = lift_weights(s, weight, marks)
            # Lifted values may have several leaves; padded places are zero in all of them.
            none = jax.tree.map(lambda x, y: x.astype(y.dtype), s.zeros(used.shape), value)
            value = s.where(used, value, none)
            for side in (0, 1):
                below = jax.tree.map(lambda x: x[rows[:, None, None], tails[..., side]], table)  # noqa: B023
                value = s.times(value, below)
            sums = s.sum(value, axis=2)
            start = level[0] * width + 1
            return jax.tree.map(
                lambda x, sums_of_level: jax.lax.dynamic_update_slice_in_dim(
                    x, sums_of_level, start, 1
                ),
                table,
                sums,
            )

        numbers = jnp.broadcast_to(jnp.arange(levels), (batch, levels))
        return recursion.scan(step, table, (numbers, used, weight, marks, self.tails), levels)


def hypergraphs(
    weights: jax.Array,
    heads: npt.ArrayLike,
    tails: npt.ArrayLike,
    roots: npt.ArrayLike,
    lengths: npt.ArrayLike | None = None,
    room: Room | None = None,
) -> Hypergraphs:
    """Make hypergraphs; the weight of a derivation is the product of its hyperedges.

    Args:
        weights: ``[batch, edges]`` log weight of each hyperedge.
        heads: ``[batch, edges]`` the head of each, numbered from 1; concrete, not traced by JAX,
            like all arguments except the weights.
        tails: ``[batch, edges, 2]`` the tails of each; ``NOTHING`` for none.
        roots: ``[batch]`` the node of whole derivations.
        lengths: ``[batch]`` numbers of hyperedges used, the first ones; all of them by default.
        room: padded sizes, at least those of ``room_of``, which is the default.

    Raises:
        UsageError: if shapes do not fit, a node or a length is out of range, the hypergraph has a
            cycle, a derivation could use a node twice, or the room is too small.
    """
    weights = as_log_weights(weights)
    batch, edges = weights.shape
    if not edges:
        raise UsageError("hypergraphs without hyperedges; give at least one, with lengths of 0")
    heads, tails, roots = (np.asarray(x, np.int32) for x in (heads, tails, roots))
    lengths = np.full(batch, edges, np.int32) if lengths is None else np.asarray(lengths)
    check_shapes(
        weights=(weights, "batch edges"),
        heads=(jnp.asarray(heads), "batch edges"),
        tails=(jnp.asarray(tails), "batch edges 2"),
        roots=(jnp.asarray(roots), "batch"),
        lengths=(jnp.asarray(lengths), "batch"),
    )
    used = within(check_lengths(jnp.asarray(lengths), edges), edges)
    check_log_weights({"weights": used}, weights=weights)
    layouts = [
        layout(heads[i, : lengths[i]], tails[i, : lengths[i]], int(roots[i])) for i in range(batch)
    ]
    for each in layouts:
        _check_derivations(each)
    return arrange_hypergraphs(weights, layouts, lengths, room)


@dataclass(frozen=True, slots=True)
class Layout:
    """The levels of one hypergraph.

    Attributes:
        levels: ``[nodes]`` levels of nodes, which are numbered from 1; -1 for ``NOTHING``.
        slots: ``[nodes]`` indices of nodes within their levels.
        order: ``[edges]`` the index of each hyperedge among those into its head.
        heads: ``[edges]``.
        tails: ``[edges, 2]``.
        root: the node of whole derivations.
    """

    levels: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int32]
    tails: npt.NDArray[np.int32]
    root: int

    def places(self, width: int) -> npt.NDArray[np.int32]:
        """Return ``[nodes]`` the places of nodes in the tables of a hypergraph.

        Args:
            width: the padded width of its levels.
        """
        places = self.levels * width + self.slots + 1
        places[NOTHING] = 0
        return places

    @property
    def room(self) -> Room:
        """The sizes needed for this hypergraph."""
        fan = self.order.max(initial=0)
        return Room(*(int(x) + 1 for x in (max(self.levels.max(), 0), self.slots.max(), fan)))


def layout(heads: npt.NDArray[np.int32], tails: npt.NDArray[np.int32], root: int) -> Layout:
    """Assign the nodes of a hypergraph to levels.

    Args:
        heads: ``[edges]`` nodes, from 1.
        tails: ``[edges, 2]`` nodes, ``NOTHING`` for none.
        root: a node.

    Raises:
        UsageError: if a number is not that of a node, or there is a cycle.
    """
    count = int(max([root, *heads.tolist(), *tails.ravel().tolist()], default=0)) + 1
    if (heads < 1).any() or (tails < 0).any() or root < 0:
        raise UsageError("a node has a number below 1; number the heads of hyperedges from 1")
    levels = np.full(count, -1, np.int32)
    pending = np.bincount(heads, minlength=count)
    users: list[list[int]] = [[] for _ in range(count)]
    missing = [len({*row} - {NOTHING}) for row in tails.tolist()]
    for edge, row in enumerate(tails.tolist()):
        for node in {*row} - {NOTHING}:
            users[node].append(edge)
    # A node is complete when all hyperedges into it are, and these when all their tails are.
    targets, below = heads.tolist(), tails.tolist()
    level = [-1] * count
    waiting = [node for node in range(1, count) if not pending[node]]
    ready = [edge for edge, n in enumerate(missing) if not n]
    ordered_edges = 0
    left = pending.tolist()
    while ready or waiting:
        for edge in ready:
            ordered_edges += 1
            head = targets[edge]
            level[head] = max(level[head], 1 + max(level[node] for node in below[edge]))
            left[head] -= 1
            if not left[head]:
                waiting.append(head)
        ready = []
        for node in waiting:
            for edge in users[node]:
                missing[edge] -= 1
                if not missing[edge]:
                    ready.append(edge)
        waiting = []
    if ordered_edges < len(targets):
        raise UsageError("a node is derived from itself; leave out hyperedges that form a cycle")
    levels[:] = level
    levels[1:] = np.maximum(levels[1:], 0)  # a node without incoming hyperedges has the value zero
    slots = _ranks(levels[1:])
    return Layout(
        levels, np.concatenate([[0], slots]).astype(np.int32), _ranks(heads), heads, tails, root
    )


def _check_derivations(checked: Layout) -> None:
    """Raise ``UsageError`` if both tails of a hyperedge may derive from the same node.

    The marks of a derivation cannot represent two uses of a node: they would be marked as one.
    """
    below = [1 << node if node != NOTHING else 0 for node in range(len(checked.levels))]
    for edge in np.argsort(checked.levels[checked.heads], kind="stable").tolist():
        head, (left_tail, right_tail) = checked.heads[edge], checked.tails[edge].tolist()
        if shared := below[left_tail] & below[right_tail]:
            raise UsageError(
                f"hyperedge {edge} derives node {head} from {left_tail} and {right_tail}, both of "
                f"which may use node {shared.bit_length() - 1}; give each use a separate node"
            )
        below[head] |= below[left_tail] | below[right_tail]


def _ranks(keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the rank of each entry among those with the same key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.searchsorted(ordered, ordered)
    ranks = np.empty(len(keys), np.int32)
    ranks[order] = np.arange(len(keys)) - first
    return ranks


def arrange_hypergraphs(
    weights: jax.Array,
    layouts: Sequence[Layout],
    lengths: npt.ArrayLike,
    room: Room | None = None,
) -> Hypergraphs:
    """Make hypergraphs from precomputed layouts.

    Args:
        weights: ``[batch, edges]``.
        layouts: ``[batch]``.
        lengths: ``[batch]`` numbers of hyperedges.
        room: as for ``hypergraphs``.

    Raises:
        UsageError: if the room is too small.
    """
    least_room = (
        Room(*np.max([each.room for each in layouts], 0).tolist()) if layouts else Room(1, 1, 1)
    )
    room = room or least_room
    if any(have < need for have, need in zip(room, least_room, strict=True)):
        raise UsageError(
            f"room is {room}, but the hypergraphs need {least_room}; give at least that"
        )
    batch = len(layouts)
    edges = np.full((batch, *room), -1, np.int32)
    tails = np.zeros((batch, *room, 2), np.int32)
    roots = np.zeros(batch, np.int32)
    for i, each in enumerate(layouts):
        place = each.places(room.width)
        at = each.levels[each.heads], each.slots[each.heads], each.order
        edges[i][at] = np.arange(len(each.heads))
        tails[i][at] = place[each.tails]
        roots[i] = place[each.root]
    return Hypergraphs(weights, jnp.asarray(lengths), *map(jnp.asarray, (edges, tails, roots)))
