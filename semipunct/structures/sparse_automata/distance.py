"""Shortest distances: sums over the paths from the starts to each state, or from there to the end.

Without cycles, one sweep visits each arc once, in topological order (Mohri 2002, section 4.1). With
cycles and idempotent sums, sweeps are repeated until no distance changes: the generic algorithm for
0-closed semirings (Mohri 2002, section 3), whose queue holds all states in the order of a
depth-first search. Otherwise each strongly connected component becomes the closure of its matrix
(Lehmann 1977), between an entry and an exit for each of its states, and what is left has no cycle.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.automata.operations import closure
from semipunct.structures.sparse_automata.machine import SparseTransducer, check_values
from semipunct.structures.sparse_automata.sweeps import Rows, arrange, sweep
from semipunct.structures.sparse_automata.topology import (
    Components,
    Topology,
    components,
    cycle_through,
    forward_levels,
)
from semipunct.structures.sparse_automata.values import (
    concatenate,
    concretely,
    grouped_sum,
    is_traced,
    product,
    room_of,
    take,
    zeros,
)
from semirings.base import Semiring, Value


def shortest_distance(
    semiring: Semiring, machine: SparseTransducer, *, reverse: bool = False
) -> Value:
    """Sum over the paths from the starts to each state, starts included: ``[states]``.

    Memory is linear in the number of arcs; in a semiring that is not idempotent, or where JAX
    traces the weights, also quadratic in the number of states of the largest strongly connected
    component.

    Args:
        semiring: the semiring of the values.
        machine: values.
        reverse: sum over the paths from each state to the end instead, finals included.

    Raises:
        TypeError: if the machine has a cycle, and the semiring neither a star nor idempotent sums.
        UsageError: if the weights are no values of the semiring.

    Source: Mohri (2002), Semiring frameworks and algorithms for shortest-distance problems.
    """
    check_values(semiring, machine)
    t = machine.topology
    partition = components(t.sources, t.targets, t.states)
    if partition.is_cyclic.any() and not (semiring.laws.star or semiring.laws.idempotent):
        raise TypeError(
            f"{semiring.name} has no star, but the machine has {describe_cycle(t, partition)}; "
            "make it acyclic, or use a semiring whose laws declare a star"
        )
    walk = _Walk.of(machine, partition, reverse)
    if not partition.is_cyclic.any():
        return _walked(semiring, walk)
    if semiring.laws.idempotent and not is_traced(walk.weights, walk.begin_weights):
        distance, settled = _relaxed(semiring, walk)
        if settled:
            return distance
    return _walked(semiring, _without_cycles(semiring, walk))


def total_weight(semiring: Semiring, machine: SparseTransducer) -> Value:
    """Sum over all accepting paths, that is, over all pairs of strings: ``[]``.

    Args:
        semiring: the semiring of the values.
        machine: values.

    Raises:
        TypeError: as ``shortest_distance``.
    """
    t = machine.topology
    distance = shortest_distance(semiring, machine)
    ended = product(semiring, (distance, t.finals), (machine.final_weights, None))
    total = grouped_sum(semiring, ended, np.zeros(len(t.finals), int), 1)
    return jax.tree.map(lambda x: x[0], total)


def describe_cycle(topology: Topology, partition: Components) -> str:
    """Describe a cycle, for a message.

    Args:
        topology: a machine with a cycle.
        partition: its components.
    """
    path = cycle_through(topology, partition)
    shown = [*map(str, path[:6]), *["..."] * (len(path) > 6), str(path[0])]
    return f"a cycle of states ({' to '.join(shown)})"


class _Walk(NamedTuple):
    """Arcs in the direction in which they are walked.

    Attributes:
        states: the number of states.
        sources, targets: ``[arcs]``.
        weights: ``[arcs]`` values.
        begin: ``[n]`` the states where paths begin.
        begin_weights: ``[n]`` values.
        exits: ``[states of the machine]`` the state whose distance is that of each.
        partition: the components.
        backward: whether arcs are walked from their ends.
    """

    states: int
    sources: np.ndarray
    targets: np.ndarray
    weights: Value
    begin: np.ndarray
    begin_weights: Value
    exits: np.ndarray
    partition: Components
    backward: bool

    @classmethod
    def of(cls, machine: SparseTransducer, partition: Components, backward: bool) -> _Walk:
        """Return the walk through a machine."""
        t = machine.topology
        every = np.arange(t.states)
        if not backward:
            begin, weights = t.starts, machine.start_weights
            return cls(
                t.states,
                t.sources,
                t.targets,
                machine.weights,
                begin,
                weights,
                every,
                partition,
                False,
            )
        partition = components(t.targets, t.sources, t.states)
        begin, weights = t.finals, machine.final_weights
        return cls(
            t.states, t.targets, t.sources, machine.weights, begin, weights, every, partition, True
        )


def _without_cycles(s: Semiring, walk: _Walk) -> _Walk:
    """Return a walk with an exit for each state of a cyclic component.

    Arcs lead into components to their entries, and out of them from their exits; from entries to
    exits lead the closures of their matrices.
    """
    partition, count = walk.partition, walk.states
    inner = partition.component[walk.sources] == partition.component[walk.targets]
    arcs, between = np.flatnonzero(inner), np.flatnonzero(~inner)
    ends = walk.sources[arcs], walk.targets[arcs]
    if walk.backward:  # matrices have the direction of factors
        ends = ends[1], ends[0]
    rows, columns, closures = closures_within(s, *ends, take(walk.weights, arcs), partition)
    if walk.backward:
        rows, columns = columns, rows
    exits = np.where(partition.is_cyclic, count + np.arange(count), np.arange(count))
    sources = np.concatenate([exits[walk.sources[between]], rows])
    targets = np.concatenate([walk.targets[between], exits[columns]])
    weights = concatenate([take(walk.weights, between), closures])
    return walk._replace(
        states=2 * count,
        sources=sources,
        targets=targets,
        weights=weights,
        exits=exits[walk.exits],
        partition=components(sources, targets, 2 * count),
    )


def _begun(s: Semiring, walk: _Walk, states: int) -> Value:
    """Return ``[states]`` the weights of the states where paths begin."""
    order = np.argsort(walk.begin)
    weights = take(walk.begin_weights, order)
    table, index = zeros(s, states, walk.weights), walk.begin[order]
    if is_traced(table, weights):
        return jax.tree.map(
            lambda x, y: jnp.asarray(x).at[index].set(y.astype(x.dtype)), table, weights
        )

    def replaced(x: Any, y: Any) -> np.ndarray:
        copy = np.array(x)
        copy[index] = y
        return copy

    return jax.tree.map(replaced, table, weights)


def _walked(s: Semiring, walk: _Walk) -> Value:
    """Return distances in one sweep; there is no cycle."""
    levels = walk.partition.levels[walk.targets]
    every = np.arange(len(walk.sources))
    rows = arrange(every, walk.sources, walk.targets, levels, walk.states)
    if is_traced(walk.weights, walk.begin_weights):
        table = _begun(s, walk, walk.states)
        swept = _swept(s, walk.backward, table, take(walk.weights, rows.arcs), rows)
        return take(swept, walk.exits)
    swept = concretely(_jitted_swept, s, walk.backward, *_rooms(s, walk, rows))
    return jax.tree.map(lambda x: np.asarray(x)[walk.exits], swept)


def _relaxed(s: Semiring, walk: _Walk) -> tuple[Value, bool]:
    """Return distances by repeated sweeps, and whether they stop to change."""
    levels = forward_levels(walk.sources, walk.targets, walk.partition)
    every = np.arange(len(walk.sources))
    rows = arrange(every, walk.sources, walk.targets, levels, walk.states)
    # A best path without a cycle uses each state once, so it needs no more sweeps than states.
    arguments = (*_rooms(s, walk, rows), walk.states + 1)
    distance, settled = concretely(_jitted_relaxed, s, walk.backward, *arguments)
    return jax.tree.map(lambda x: np.asarray(x)[walk.exits], distance), bool(settled)


def _rooms(s: Semiring, walk: _Walk, rows: Rows) -> tuple[Value, Value, Rows]:
    """Return the first table, the values of arcs and the rows, with padded sizes."""
    room, count = room_of(walk.states), room_of(len(rows.ends))

    def padded(x: np.ndarray, padding: int) -> np.ndarray:
        full = np.full((count, x.shape[1]), padding, x.dtype)
        full[: len(x)] = np.where(x == walk.states, padding, x) if padding else x
        return full

    index = padded(rows.arcs, 0)
    values = jax.tree.map(
        lambda x: np.asarray(x)[index] if len(x) else np.zeros(index.shape, x.dtype), walk.weights
    )
    sized = Rows(
        rows.arcs[:0], padded(rows.sources, 0), padded(rows.targets, room), padded(rows.ends, room)
    )
    return _begun(s, walk, room), values, sized


def _swept(s: Semiring, backward: bool, table: Value, values: Value, rows: Rows) -> Value:
    table, values = jax.tree.map(lambda x: jnp.asarray(x)[None], (table, values))
    swept = sweep(s, table, lambda at: at, values, rows, backward=backward)
    return jax.tree.map(lambda x: x[0], swept)


_jitted_swept = partial(jax.jit, static_argnums=(0, 1))(_swept)


@partial(jax.jit, static_argnums=(0, 1))
def _jitted_relaxed(
    s: Semiring, backward: bool, table: Value, values: Value, rows: Rows, limit: int
) -> tuple[Value, jax.Array]:
    def step(state: Any) -> Any:
        distance, number, _ = state
        after = _swept(s, backward, distance, values, rows)
        pairs = zip(*(jax.tree.leaves(s.observe(x)) for x in (after, distance)), strict=True)
        changes = jnp.any(jnp.stack([jnp.any(x != y) for x, y in pairs]))
        return after, number + 1, changes

    start = (jax.tree.map(jnp.asarray, table), 0, True)
    distance, _, changes = jax.lax.while_loop(lambda x: x[2] & (x[1] <= limit), step, start)
    return distance, ~changes


_jitted_closure = partial(jax.jit, static_argnums=0)(closure)


def dense_blocks(
    semiring: Semiring, sources: np.ndarray, targets: np.ndarray, weights: Value,
    members: list[np.ndarray], room: int, states: int,
) -> tuple[Value, np.ndarray]:  # fmt: skip
    """Return the matrices of some components.

    Args:
        semiring: of the values.
        sources: ``[arcs]`` of arcs within components, also of others.
        targets: ``[arcs]``.
        weights: ``[arcs]``.
        members: the states of each component.
        room: the padded number of states of each.
        states: the number of all states.

    Returns:
        ``[count, room, room]``, with a padded count; and ``[states]`` the row of each state among
        all rows, -1 for others.
    """
    count = room_of(len(members), 1)
    place = np.full(states, -1)
    for number, each in enumerate(members):
        place[each] = number * room + np.arange(len(each))
    arcs = np.flatnonzero(place[sources] >= 0)
    entry = place[sources[arcs]] * room + place[targets[arcs]] % room
    order = np.argsort(entry, kind="stable")
    matrices = grouped_sum(semiring, take(weights, arcs[order]), entry[order], count * room * room)
    return jax.tree.map(lambda x: x.reshape(count, room, room), matrices), place


def closures_within(
    semiring: Semiring,
    sources: np.ndarray,
    targets: np.ndarray,
    weights: Value,
    partition: Components,
) -> tuple[np.ndarray, np.ndarray, Value]:
    """Return the closures of the matrices of cyclic components, as sparse entries.

    Args:
        semiring: of the values.
        sources: ``[arcs]`` of arcs within components.
        targets: ``[arcs]``.
        weights: ``[arcs]``.
        partition: the components.

    Returns:
        ``[entries]`` rows and columns, both of them states, and values.
    """
    states = np.flatnonzero(partition.is_cyclic)
    states = states[np.argsort(partition.component[states], kind="stable")]
    _, first, sizes = np.unique(partition.component[states], return_index=True, return_counts=True)
    rooms = np.array([room_of(size, 2) for size in sizes.tolist()])
    parts: list[tuple[np.ndarray, np.ndarray, Value]] = []
    for room in np.unique(rooms).tolist():
        which = np.flatnonzero(rooms == room)
        members = [states[first[i] : first[i] + sizes[i]] for i in which]
        matrices, _ = dense_blocks(
            semiring, sources, targets, weights, members, room, len(partition.component)
        )
        between = (
            closure(semiring, jax.tree.map(jnp.asarray, matrices))
            if is_traced(matrices)
            else concretely(_jitted_closure, semiring, matrices)
        )
        between = jax.tree.map(lambda x: x.reshape(-1), between)
        rows = np.concatenate([np.repeat(each, len(each)) for each in members])
        columns = np.concatenate([np.tile(each, len(each)) for each in members])
        entries = [
            (number * room + np.arange(len(each))[:, None]) * room + np.arange(len(each))
            for number, each in enumerate(members)
        ]
        index = np.concatenate([x.ravel() for x in entries])
        parts.append((rows, columns, take(between, index)))
    all_rows, all_columns, values = zip(*parts, strict=True)
    return np.concatenate(all_rows), np.concatenate(all_columns), concatenate(values)
