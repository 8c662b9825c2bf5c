"""Removal of the arcs that read and write nothing.

With E the matrix of epsilon arcs, arcs become ``star(E) A`` and final weights ``star(E) rho``. E is
sparse: the closure of its cyclic components is dense, each by itself, and what is between
components has no cycle, so its powers end. ``star(W + B) = star(star(W) B) star(W)`` joins both.

Source: Mohri (2002), Generic epsilon-removal and input epsilon-normalization algorithms for
weighted transducers, section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.distance import closures_within, describe_cycle
from semipunct.structures.sparse_automata.machine import EPSILON, SparseTransducer
from semipunct.structures.sparse_automata.topology import (
    Components,
    Topology,
    adjacency,
    components,
    expand,
)
from semipunct.structures.sparse_automata.values import (
    concatenate,
    grouped_sum,
    ones,
    product,
    take,
)
from semirings.base import Semiring, Value


class Entries(NamedTuple):
    """A sparse matrix: ``values[i]`` is its entry ``rows[i], columns[i]``."""

    rows: np.ndarray
    columns: np.ndarray
    values: Value


def remove_epsilon(semiring: Semiring, machine: SparseTransducer) -> SparseTransducer:
    """Return an equivalent machine without arcs that read and write epsilon.

    Parallel arcs with the same labels are joined. The machine is connected.

    Args:
        semiring: the semiring of the values.
        machine: values.

    Raises:
        TypeError: if epsilon arcs form a cycle, and the semiring has no star.
    """
    s = semiring
    machine = connect(s, machine)
    t = machine.topology
    silent = (t.inputs == EPSILON) & (t.outputs == EPSILON)
    arcs = np.flatnonzero(silent)
    partition = components(t.sources[arcs], t.targets[arcs], t.states)
    if partition.is_cyclic.any() and not s.laws.star:
        columns = (x[arcs] for x in (t.sources, t.inputs, t.outputs, t.targets))
        cyclic = Topology.of(t.states, columns, t.starts, t.finals)
        raise TypeError(
            f"{s.name} has no star, but epsilon arcs form {describe_cycle(cyclic, partition)}"
        )
    # Before its first letter a path may follow epsilons; a state that only they lead to is lost.
    kept = np.flatnonzero(~silent)
    is_used = np.zeros(t.states, bool)
    is_used[t.starts] = is_used[t.targets[kept]] = True
    between = _closure(s, machine, arcs, partition)
    chosen = np.flatnonzero(is_used[between.rows])
    between = Entries(between.rows[chosen], between.columns[chosen], take(between.values, chosen))
    owner, arc = expand(adjacency(t.sources[kept], t.states), between.columns)
    arc = kept[arc]
    columns = between.rows[owner], t.inputs[arc], t.outputs[arc], t.targets[arc]
    walked = product(s, (between.values, owner), (machine.weights, arc))
    (sources, inputs, outputs, targets), weights = merge_parallel(s, columns, walked)
    place = np.full(t.states, -1)
    place[t.finals] = np.arange(len(t.finals))
    ending = np.flatnonzero(place[between.columns] >= 0)
    ended = product(
        s, (between.values, ending), (machine.final_weights, place[between.columns[ending]])
    )
    (finals,), final_weights = merge_parallel(s, (between.rows[ending],), ended)
    topology = Topology.of(t.states, (sources, inputs, outputs, targets), t.starts, finals)
    removed = SparseTransducer(topology, weights, machine.start_weights, final_weights)
    return connect(s, removed)


def merge_parallel(
    semiring: Semiring, columns: tuple[np.ndarray, ...], values: Value
) -> tuple[tuple[np.ndarray, ...], Value]:
    """Sum values whose columns agree.

    Args:
        semiring: of the values.
        columns: ``[n]`` each.
        values: ``[n]``.

    Returns:
        The columns of each group, ascending from the first to the last column, and its sum.
    """
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    is_first = np.ones(len(order), bool)
    is_first[1:] = np.any([x[1:] != x[:-1] for x in ordered], 0)
    group = np.cumsum(is_first) - 1
    sums = grouped_sum(semiring, take(values, order), group, int(is_first.sum()))
    return tuple(column[is_first] for column in ordered), sums


def _closure(
    s: Semiring, machine: SparseTransducer, arcs: np.ndarray, partition: Components
) -> Entries:
    """Return the closure of the matrix of some arcs."""
    t = machine.topology
    sources, targets = t.sources[arcs], t.targets[arcs]
    inner = partition.component[sources] == partition.component[targets]
    within = _closures_within(s, machine, arcs[inner], partition)
    between = arcs[~inner]
    power = _multiplied(
        s, within, Entries(t.sources[between], t.targets[between], take(machine.weights, between))
    )
    total = _identity(s, np.arange(t.states), machine.weights)
    # 1 + M + M M + ... = (1 + M) (1 + M M) (1 + M M M M) ...
    while len(power.rows):
        total = _added(s, total, _multiplied(s, total, power))
        power = _multiplied(s, power, power)
    return _multiplied(s, total, within)


def _closures_within(
    s: Semiring, machine: SparseTransducer, arcs: np.ndarray, partition: Components
) -> Entries:
    """Return the closure of a matrix whose entries are within components."""
    t = machine.topology
    plain = _identity(s, np.flatnonzero(~partition.is_cyclic), machine.weights)
    if not partition.is_cyclic.any():
        return plain
    rows, columns, values = closures_within(
        s, t.sources[arcs], t.targets[arcs], take(machine.weights, arcs), partition
    )
    return Entries(
        np.concatenate([plain.rows, rows]),
        np.concatenate([plain.columns, columns]),
        concatenate([plain.values, values]),
    )


def _identity(s: Semiring, states: np.ndarray, like: Value) -> Entries:
    return Entries(states, states, ones(s, len(states), like))


def _multiplied(s: Semiring, a: Entries, b: Entries) -> Entries:
    states = 1 + int(max(a.columns.max(initial=-1), b.rows.max(initial=-1)))
    owner, other = expand(adjacency(b.rows, states), a.columns)
    walked = product(s, (a.values, owner), (b.values, other))
    (rows, columns), values = merge_parallel(s, (a.rows[owner], b.columns[other]), walked)
    return Entries(rows, columns, values)


def _added(s: Semiring, a: Entries, b: Entries) -> Entries:
    columns = tuple(np.concatenate(x) for x in ((a.rows, b.rows), (a.columns, b.columns)))
    (rows, columns), values = merge_parallel(s, columns, concatenate([a.values, b.values]))
    return Entries(rows, columns, values)
