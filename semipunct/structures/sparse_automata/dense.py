"""Conversion of sparse machines to dense arrays and back."""

from __future__ import annotations

import jax
import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.automata.machine import Automaton, Transducer
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.topology import Topology
from semipunct.structures.sparse_automata.values import grouped_sum, is_zero, take
from semirings.base import Semiring, Value


def from_dense(semiring: Semiring, machine: Automaton | Transducer) -> SparseTransducer:
    """Return the sparse form of a dense machine: its arcs whose weight is not zero.

    Args:
        semiring: the semiring of the values.
        machine: values, arcs ``[symbols, states, states]`` or ``[inputs, outputs, states,
            states]``, without a batch axis. Where JAX traces them, every entry becomes an arc.

    Raises:
        UsageError: if there is a batch axis.
    """
    shape = jax.tree.leaves(machine.arcs)[0].shape
    axes = 3 if isinstance(machine, Automaton) else 4
    if len(shape) != axes:
        raise UsageError(f"arcs has shape {shape}; give one machine, with {axes} axes")

    def flat(value: Value) -> Value:
        return jax.tree.map(lambda x: x.reshape(-1), value)

    values = [flat(x) for x in (machine.arcs, machine.initial, machine.final)]
    places = [np.flatnonzero(~is_zero(semiring, x)) for x in values]
    *labels, sources, targets = np.unravel_index(places[0], shape)
    topology = Topology(
        shape[-1],
        *(x.astype(np.int32) for x in (sources, labels[0], labels[-1], targets, *places[1:])),
    )
    return SparseTransducer(topology, *(take(x, i) for x, i in zip(values, places, strict=True)))


def to_dense(
    semiring: Semiring, machine: SparseTransducer, symbols: int | None = None
) -> Automaton | Transducer:
    """Return the dense form of a machine, an ``Automaton`` if its arcs write what they read.

    Parallel arcs are added. The size is quadratic in the number of states.

    Args:
        semiring: the semiring of the values.
        machine: values.
        symbols: the number of symbols, epsilon included; by default one more than the largest.

    Raises:
        UsageError: if a label is out of range, or the machine has no states.
    """
    t = machine.topology
    least = 1 + int(max(t.inputs.max(initial=0), t.outputs.max(initial=0)))
    count = least if symbols is None else symbols
    if count < least:
        raise UsageError(f"symbols is {count}, but the labels of the machine need {least}")
    if not t.states:
        raise UsageError("a machine without states has no dense form")
    axes = (count,) if t.is_acceptor else (count, count)
    labels = (t.inputs,) if t.is_acceptor else (t.inputs, t.outputs)
    return (Automaton if t.is_acceptor else Transducer)(
        _table(semiring, machine.start_weights, (t.starts,), (t.states,)),
        _table(
            semiring, machine.weights, (*labels, t.sources, t.targets), (*axes, t.states, t.states)
        ),
        _table(semiring, machine.final_weights, (t.finals,), (t.states,)),
    )


def _table(
    s: Semiring, values: Value, index: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> Value:
    place = np.ravel_multi_index(index, shape)
    order = np.argsort(place, kind="stable")
    summed = grouped_sum(s, take(values, order), place[order], int(np.prod(shape)))
    return jax.tree.map(lambda x: x.reshape(shape), summed)
