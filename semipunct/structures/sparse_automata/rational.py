"""Rational operations, and other operations that change no product of weights.

Source: Mohri (2009), Weighted automata algorithms, section 4: union, product (concatenation),
closure, reversal, inversion and projection.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semipunct.structures.sparse_automata.machine import EPSILON, SparseTransducer
from semipunct.structures.sparse_automata.topology import Integers, Topology
from semipunct.structures.sparse_automata.values import concatenate as joined
from semipunct.structures.sparse_automata.values import ones
from semirings.base import Semiring


def union(first: SparseTransducer, *others: SparseTransducer) -> SparseTransducer:
    """Return a machine with the paths of several, side by side.

    States and arcs of the first come first. Weights add up in any semiring.

    Args:
        first: values.
        *others: values in the same semiring.
    """
    machines = (first, *others)
    shifts = np.cumsum([0, *(m.states for m in machines)])

    def states(name: str) -> Integers:
        parts = zip(machines, shifts, strict=False)
        return np.concatenate([getattr(m, name) + shift for m, shift in parts]).astype(np.int32)

    def labels(name: str) -> Integers:
        return np.concatenate([getattr(m, name) for m in machines])

    topology = Topology(
        int(shifts[-1]),
        states("sources"),
        labels("inputs"),
        labels("outputs"),
        states("targets"),
        states("starts"),
        states("finals"),
    )
    return SparseTransducer(
        topology,
        joined([m.weights for m in machines]),
        joined([m.start_weights for m in machines]),
        joined([m.final_weights for m in machines]),
    )


def concatenate(
    semiring: Semiring, first: SparseTransducer, second: SparseTransducer
) -> SparseTransducer:
    """Return a machine whose paths are one of the first, then one of the second.

    An epsilon leads from each final of the first to a new state, and from there one to each start
    of the second.

    Args:
        semiring: the semiring of the values.
        first: values.
        second: values.
    """
    both = union(first, second)
    hub = both.states
    starts = second.starts + first.states
    return SparseTransducer(
        _with_silent_arcs(
            replace(
                both.topology,
                starts=first.starts,
                finals=both.finals[len(first.finals) :],
            ),
            1,
            np.concatenate([first.finals, np.full(len(starts), hub)]),
            np.concatenate([np.full(len(first.finals), hub), starts]),
        ),
        joined([both.weights, first.final_weights, second.start_weights]),
        first.start_weights,
        second.final_weights,
    )


def closure(
    semiring: Semiring, machine: SparseTransducer, *, plus: bool = False
) -> SparseTransducer:
    """Return a machine whose paths are any number of paths of a machine, one after the other.

    A new state is the only start. An epsilon leads from there to each start, and one from each
    final back to it.

    Args:
        semiring: the semiring of the values.
        machine: values.
        plus: one or more paths; by default also none.
    """
    t, hub = machine.topology, machine.states
    count = len(t.starts)
    unit = ones(semiring, 1, machine.weights)
    ends = np.array([hub], np.int32)
    return SparseTransducer(
        _with_silent_arcs(
            replace(t, starts=ends, finals=t.finals if plus else ends),
            1,
            np.concatenate([np.full(count, hub), t.finals]),
            np.concatenate([t.starts, np.full(len(t.finals), hub)]),
        ),
        joined([machine.weights, machine.start_weights, machine.final_weights]),
        unit,
        machine.final_weights if plus else unit,
    )


def _with_silent_arcs(
    topology: Topology, states: int, sources: np.ndarray, targets: np.ndarray
) -> Topology:
    """Add states, and arcs that read and write nothing, behind the others."""
    silent = np.full(len(sources), EPSILON, np.int32)
    return replace(
        topology,
        states=topology.states + states,
        sources=np.concatenate([topology.sources, sources]).astype(np.int32),
        inputs=np.concatenate([topology.inputs, silent]),
        outputs=np.concatenate([topology.outputs, silent]),
        targets=np.concatenate([topology.targets, targets]).astype(np.int32),
    )


def reverse(semiring: Semiring, machine: SparseTransducer) -> SparseTransducer:
    """Return a machine that reads and writes reversed strings.

    Args:
        semiring: the semiring of the values.
        machine: values.

    Raises:
        TypeError: if the semiring is not commutative: weights are multiplied in reversed order.
    """
    if not semiring.laws.commutative:
        raise TypeError(
            f"{semiring.name} is not commutative: the weights of reversed paths are other products"
        )
    t = machine.topology
    turned = replace(t, sources=t.targets, targets=t.sources, starts=t.finals, finals=t.starts)
    return SparseTransducer(turned, machine.weights, machine.final_weights, machine.start_weights)


def invert(machine: SparseTransducer) -> SparseTransducer:
    """Return a transducer that reads what another one writes, and writes what that reads.

    Args:
        machine: log weights or values.
    """
    t = machine.topology
    return replace(machine, topology=replace(t, inputs=t.outputs, outputs=t.inputs))


def inputs_of(machine: SparseTransducer) -> SparseTransducer:
    """Return the automaton of what a transducer reads (its input projection).

    Args:
        machine: log weights or values.
    """
    t = machine.topology
    return replace(machine, topology=replace(t, outputs=t.inputs))


def outputs_of(machine: SparseTransducer) -> SparseTransducer:
    """Return the automaton of what a transducer writes (its output projection).

    Args:
        machine: log weights or values.
    """
    t = machine.topology
    return replace(machine, topology=replace(t, inputs=t.outputs))
