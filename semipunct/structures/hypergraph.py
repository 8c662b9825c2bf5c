"""Hypergraphs as arrays of hyperedges, such as packed forests.

A derivation is a tree: one hyperedge into the root, and one into each tail of a used hyperedge.

Source: Gallo et al. (1993); Goodman (1999), section 2; Huang (2008), section 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import (
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import Total, any_batch, lift_weights, mask_padding
from semipunct.structures.readable import Readable, as_form, as_marks, check, mask_places
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, Value, take


class Room(NamedTuple):
    """Padded sizes: levels, nodes per level, and hyperedges per node."""

    levels: int
    width: int
    fan: int


class HyperedgeParts(NamedTuple):
    """Parts of a derivation, ``[batch, edges]``."""

    edge: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Hypergraphs(Readable[HyperedgeParts]):
    """A batch of hypergraphs; build with ``hypergraphs``.

    Usual form: indices of hyperedges ``[..., batch, edges]``, padded with -1. Tables of nodes have
    an absent tail in entry 0, then nodes by level.

    Attributes:
        edges: ``[batch, levels, width, fan]`` hyperedges into each node; -1 for none.
        tails: ``[batch, levels, width, fan, tails]`` table entries.
        roots: ``[batch]`` table entries.
    """

    edges: jax.Array
    tails: jax.Array
    roots: jax.Array

    def places(self, derivations: Any) -> HyperedgeParts:
        batch, count = self.weights.edge.shape
        form = jnp.asarray(as_form(derivations, (batch, None), "hyperedges"))
        none = [(0, 0)] * (form.ndim - 1)
        edges = jnp.pad(form, [*none, (0, 1)], constant_values=-1)  # at least one entry
        used, fits = uses_of(edges, self.edges, self.tails, self.roots, count)
        known = jnp.all((edges >= -1) & (edges < self.lengths[:, None]), -1)

        def explain(place: tuple[int, ...]) -> str:
            item = place[-1]
            if not bool(known[place]):
                why = f"a number is not that of one of its {self.lengths[item]} hyperedges"
            else:
                heads, tails = (np.asarray(x[item]) for x in ends_of(self.edges, self.tails, count))
                why = fault_of(np.asarray(used[place]) > 0, heads, tails, int(self.roots[item]))
            return f"the hyperedges of derivation {[*place]} form none: {why}"

        check(fits & known, form, explain)
        return HyperedgeParts(*mask_places(fits & known, edges))

    def from_parts(self, parts: HyperedgeParts) -> jax.Array:
        used = as_marks(parts.edge) > 0
        count = used.shape[-1]
        ascending = jnp.sort(jnp.where(used, jnp.arange(count), count), -1)
        return jnp.where(ascending < count, ascending, -1)

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion over levels."""
        table = self.inside(semiring, feature, recursion)
        rows = jnp.arange(len(self.roots))
        value = take[rows, self.roots](table)
        return Total(value, jnp.zeros((len(self.roots),), self.weights.edge.dtype))

    def inside(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Value:
        """Return inside values of all nodes, ``[batch, 1 + levels * width]``."""
        s = semiring
        batch, levels, width, _ = self.edges.shape
        rows = jnp.arange(batch)
        item = rows[:, None, None, None]
        place = jnp.maximum(self.edges, 0)
        used = self.edges >= 0
        weight = mask_padding(used, self.weights.edge[item, place], -jnp.inf)
        marks = jax.tree.map(
            lambda x: jnp.broadcast_to(x, self.weights.edge.shape)[item, place],
            None if feature is None else feature.edge,
        )
        marks = mask_padding(used, marks)
        # The table has the precision of the weights.
        table = s.concatenate([s.ones((batch, 1)), s.zeros((batch, levels * width))], 1)
        like = jax.eval_shape(partial(lift_weights, s), *take[:, :1, 0, 0]((weight, marks)))
        table = jax.tree.map(lambda x, y: x.astype(y.dtype), table, like)

        def step(table: Any, at: Any) -> Any:
            level, used, weight, marks, tails = at
            value = lift_weights(s, weight, marks)
            # Lifted values may have several leaves; padded places are zero in all of them.
            value = s.where(used, value, s.zeros_like(value))
            for side in range(tails.shape[-1]):
                value = s.times(value, take[rows[:, None, None], tails[..., side]](table))
            sums = s.sum(value, axis=2)
            # All items are at the same level; without items, the level is arbitrary.
            start = jnp.max(level, initial=0) * width + 1
            update = partial(jax.lax.dynamic_update_slice_in_dim, start_index=start, axis=1)
            return jax.tree.map(update, table, sums)

        numbers = jnp.broadcast_to(jnp.arange(levels), (batch, levels))
        return recursion.scan(step, table, (numbers, used, weight, marks, self.tails), levels)


@any_batch(weights=1, heads=1, tails=2, roots=0, lengths=0)
def hypergraphs(
    weights: jax.Array,
    heads: npt.ArrayLike,
    tails: npt.ArrayLike,
    roots: npt.ArrayLike,
    lengths: npt.ArrayLike | None = None,
    room: Room | None = None,
) -> Hypergraphs:
    """Build hypergraphs, whose derivations are weighted by hyperedge.

    Args:
        weights: ``[*batch, edges]`` log weights. The only argument that JAX may trace.
        heads: ``[*batch, edges]`` nodes, from 1.
        tails: ``[*batch, edges, tails]`` nodes, in the order of multiplication; 0 for none.
        roots: ``[*batch]`` nodes; 0 if the only derivation is empty.
        lengths: ``[*batch]`` numbers of hyperedges; all by default.
        room: padded sizes; the least by default.

    Raises:
        UsageError: if an argument is invalid, a graph has a cycle, a root has no derivation, a
            derivation may use a node twice, or the room is too small.
    """
    weights = as_log_weights(weights)
    check_shapes(weights=(weights, "batch edges"))
    batch, edges = weights.shape
    if not edges:
        raise UsageError("hypergraphs without hyperedges; give at least one, with lengths of 0")
    heads, tails, roots = map(_integers, ("heads", "tails", "roots"), (heads, tails, roots))
    lengths = np.full(batch, edges) if lengths is None else _integers("lengths", lengths)
    check_shapes(
        weights=(weights, "batch edges"),
        heads=(jnp.asarray(heads), "batch edges"),
        tails=(jnp.asarray(tails), "batch edges tails"),
        roots=(jnp.asarray(roots), "batch"),
        lengths=(jnp.asarray(lengths), "batch"),
    )
    used = within(check_lengths(jnp.asarray(lengths), edges), edges)
    check_log_weights({"weights": used}, weights=weights)
    layouts: list[Layout] = []
    for item, (length, root) in enumerate(zip(lengths.tolist(), roots.tolist(), strict=True)):
        try:
            each = layout(heads[item, :length], tails[item, :length], root)
            order = np.argsort(each.levels[each.heads], kind="stable").tolist()
            check_derivations(each.heads, each.tails, order, root, len(each.levels))
        except UsageError as error:
            raise UsageError(f"hypergraph {item}: {error}") from None
        layouts.append(each)
    return arrange_hypergraphs(weights, layouts, lengths, room)


def _integers(name: str, array: npt.ArrayLike) -> npt.NDArray[np.int32]:
    if isinstance(array, Tracer):
        raise UsageError(f"{name} is traced by JAX; only weights may be, since levels depend on it")
    values = np.asarray(array)
    if values.size and not np.issubdtype(values.dtype, np.integer):
        raise UsageError(f"{name} must be integers, not {values.dtype}")
    return values.astype(np.int32)


@dataclass(frozen=True, slots=True)
class Layout:
    """The levels of one hypergraph; node 0 is ``NOTHING``."""

    levels: npt.NDArray[np.int32]  # [nodes]; -1 for NOTHING
    slots: npt.NDArray[np.int32]  # [nodes] indices within levels
    order: npt.NDArray[np.int32]  # [edges] indices among hyperedges into the same head
    heads: npt.NDArray[np.int32]  # [edges]
    tails: npt.NDArray[np.int32]  # [edges, tails]
    root: int

    def places(self, width: int) -> npt.NDArray[np.int32]:
        """Return ``[nodes]`` table entries, given the padded width of levels."""
        places = self.levels * width + self.slots + 1
        places[NOTHING] = 0
        return places

    @property
    def room(self) -> Room:
        """The least sizes that fit this hypergraph."""
        fan = self.order.max(initial=0)
        return Room(*(int(x) + 1 for x in (max(self.levels.max(), 0), self.slots.max(), fan)))


def layout(heads: npt.NDArray[np.int32], tails: npt.NDArray[np.int32], root: int) -> Layout:
    """Assign nodes to levels, tails before heads."""
    count = int(max([root, *heads.tolist(), *tails.ravel().tolist()], default=0)) + 1
    if (heads < 1).any() or (tails < 0).any() or root < 0:
        raise UsageError("a node has a number below 1; number the heads of hyperedges from 1")
    users: list[list[int]] = [[] for _ in range(count)]
    missing: list[int] = []
    for edge, row in enumerate(tails.tolist()):
        missing.append(len(nodes := {*row} - {NOTHING}))
        for node in nodes:
            users[node].append(edge)
    # A node is ready after all hyperedges into it, a hyperedge after all its tails.
    targets, below = heads.tolist(), tails.tolist()
    level = [-1] * count
    left = np.bincount(heads, minlength=count).tolist()
    waiting = [node for node in range(1, count) if not left[node]]
    ready = [edge for edge, n in enumerate(missing) if not n]
    ordered_edges = 0
    while ready or waiting:
        for edge in ready:
            ordered_edges += 1
            head = targets[edge]
            level[head] = max(
                level[head], 1 + max((level[node] for node in below[edge]), default=-1)
            )
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
        unordered = [edge for edge, n in enumerate(missing) if n]
        cycle = " from ".join(map(str, (way := cycle_of(targets, below, unordered)) + way[:1]))
        raise UsageError(
            f"a node is derived from itself ({cycle}); leave out one of the hyperedges"
        )
    levels = np.array(level, np.int32)
    levels[1:] = np.maximum(levels[1:], 0)  # a node without incoming hyperedges has the value zero
    slots = _ranks(levels[1:])
    return Layout(
        levels, np.concatenate([[0], slots]).astype(np.int32), _ranks(heads), heads, tails, root
    )


def _ranks(keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the rank of each entry among equal keys."""
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
    """Build ``Hypergraphs`` from weights ``[batch, edges]`` and layouts."""
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
    most_tails = max((each.tails.shape[1] for each in layouts), default=0)
    tails = np.zeros((batch, *room, most_tails), np.int32)
    roots = np.zeros(batch, np.int32)
    for i, each in enumerate(layouts):
        place = each.places(room.width)
        at = each.levels[each.heads], each.slots[each.heads], each.order
        edges[i][at] = np.arange(len(each.heads))
        tails[i][at] = place[each.tails]
        roots[i] = place[each.root]
    return Hypergraphs(
        HyperedgeParts(weights), jnp.asarray(lengths), *map(jnp.asarray, (edges, tails, roots))
    )


# The node of an absent tail, with value one.
NOTHING = 0


def cycle_of(
    heads: Sequence[int], tails: Sequence[Sequence[int]], unordered: Sequence[int]
) -> list[int]:
    """Return the nodes of a cycle, each derived from the next.

    Args:
        unordered: hyperedges without a level; each has a tail that another derives.
    """
    into = {heads[edge]: edge for edge in unordered}
    path: list[int] = []
    node = heads[unordered[0]]
    while node not in path:
        path.append(node)
        node = next(tail for tail in tails[into[node]] if tail in into)
    return path[path.index(node) :]


def check_derivations(
    heads: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    order: Sequence[int],
    root: int,
    nodes: int,
) -> None:
    """Check that the root has a derivation, and that none uses a node twice.

    Args:
        order: hyperedges in topological order.
    """
    below = [1 << node if node != NOTHING else 0 for node in range(nodes)]
    derived = {NOTHING}
    for edge in order:
        head, within, last = int(heads[edge]), 0, NOTHING
        for tail in tails[edge].tolist():
            # Parts could not represent two uses of a node.
            if shared := within & below[tail]:
                raise UsageError(
                    f"hyperedge {edge} derives node {head} from {last} and {tail}, both of "
                    f"which may use node {shared.bit_length() - 1}; give each use a separate node"
                )
            within |= below[tail]
            last = tail if tail != NOTHING else last
        below[head] |= within
        if derived.issuperset(tails[edge].tolist()):
            derived.add(head)
    if root not in derived:
        why = (
            "each hyperedge into it has a tail without one"
            if root in heads
            else "no hyperedge leads to it"
        )
        raise UsageError(
            f"the root, node {root}, has no derivation: {why}; give hyperedges without tails into "
            f"the smallest parts, or the root {NOTHING} if the only derivation is to be empty"
        )


def ends_of(edges: jax.Array, tails: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """Return table entries of heads, ``[batch, edges]``, and tails, ``[batch, edges, tails]``."""
    batch, levels, width, fan = edges.shape
    row, number = jnp.arange(batch)[:, None], edges.reshape(batch, levels * width * fan)
    number = jnp.where(number < 0, count, number)
    place = jnp.repeat(1 + jnp.arange(levels * width), fan)
    heads = jnp.zeros((batch, count), int).at[row, number].set(place, mode="drop")
    of_edges = tails.reshape(batch, levels * width * fan, tails.shape[-1])
    none = jnp.zeros((batch, count, of_edges.shape[-1]), tails.dtype)
    return heads, none.at[row, number].set(of_edges, mode="drop")


def uses_of(
    numbers: jax.Array, edges: jax.Array, tails: jax.Array, roots: jax.Array, count: int
) -> tuple[jax.Array, jax.Array]:
    """Count the uses of hyperedges ``[..., batch, most]``, padded with -1.

    Returns:
        Counts ``[..., batch, edges]``; a mask ``[..., batch]`` of derivations, which derive each
        needed node, and no other, once.
    """
    batch, places = len(edges), edges[0].size + 1
    flat = numbers.reshape(math.prod(numbers.shape[:-2]), *numbers.shape[-2:])
    item, draw = jnp.arange(batch), jnp.arange(len(flat))[:, None, None]
    used = jnp.zeros((len(flat), batch, count), int)
    used = used.at[draw, item[:, None], jnp.where(flat < 0, count, flat)].add(1, mode="drop")
    heads, below = ends_of(edges, tails, count)
    none = jnp.zeros((len(flat), batch, places), int)
    derived = none.at[:, item[:, None], heads].add(used)
    needed = none.at[:, item[:, None, None], below].add(used[..., None])
    needed = needed.at[:, item, roots].add(1)
    # Entry 0, ``NOTHING``, may be needed any number of times.
    same = jnp.all((derived == needed)[..., 1:] & (derived <= 1)[..., 1:], -1)
    leading = numbers.shape[:-1]
    return used.reshape(*leading, count), same.reshape(leading)


def fault_of(
    used: npt.NDArray[np.bool_],
    heads: npt.NDArray[np.int32],
    tails: npt.NDArray[np.int32],
    root: int,
) -> str:
    """Return why hyperedges form no derivation."""
    edges = np.flatnonzero(used).tolist()
    needed = {root, *tails[used].ravel().tolist()} - {NOTHING}
    into: dict[int, list[int]] = {}
    for edge in edges:
        into.setdefault(int(heads[edge]), []).append(edge)
    for several in into.values():
        if len(several) > 1:
            return f"hyperedges {several[0]} and {several[1]} lead to the same node"
    for node, (edge, *_) in into.items():
        if node not in needed:
            return (
                f"hyperedge {edge} leads to a node that is neither the root nor a tail of another"
            )
    for edge in edges:
        if {*tails[edge].tolist()} - {NOTHING, *into}:
            return f"no hyperedge leads to a tail of hyperedge {edge}"
    return "no hyperedge leads to the root"
