"""Determinisation by the weighted subset construction.

A state of the result is a set of states with residual weights: what a path to each has still to be
multiplied by. All subsets of one depth are computed at once.

Source: Mohri (1997), Finite-state transducers in language and speech processing, section 3.3; Mohri
(2009), Weighted automata algorithms, section 6.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.epsilons import merge_parallel
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.pushing import check_division
from semipunct.structures.sparse_automata.topology import Topology, expand
from semipunct.structures.sparse_automata.values import (
    concatenate,
    divide,
    grouped_sum,
    is_traced,
    is_zero,
    keys,
    product,
    take,
    zeros,
)
from semirings.base import Semiring, Value

DELTA = 1 / 1024
"""Residual weights are equal if their log weights differ by less, as in OpenFst."""


class Subsets(NamedTuple):
    """Weighted subsets, as lists of their members.

    Attributes:
        owner: ``[members]`` the number of the subset, ascending.
        states: ``[members]`` ascending within a subset.
        residuals: ``[members]`` the residual weights.
    """

    owner: np.ndarray
    states: np.ndarray
    residuals: Value


def determinise(
    semiring: Semiring, machine: SparseTransducer, *, limit: int = 10_000, delta: float = DELTA
) -> SparseTransducer:
    """Return an equivalent machine with at most one start, and one arc of each label from a state.

    A label is a pair of input and output, so of a transducer it is the automaton over such pairs
    that is determinised. Epsilon is a label like others: call ``remove_epsilon`` first.

    Args:
        semiring: the semiring of the values.
        machine: values, not traced by JAX.
        limit: the largest number of states. An automaton without cycles has a deterministic
            equivalent, one without the twins property may have none, and the construction would
            never end.
        delta: the difference of log weights up to which residual weights are equal.

    Raises:
        TypeError: if the semiring has no division.
        UsageError: if there are more states than the limit, the weights are traced, or ``delta`` is
            not positive.
    """
    s = semiring
    check_division(s, "determinise")
    check_concrete(machine, "determinise")
    check_delta(delta)
    machine = connect(s, machine)
    t = machine.topology
    if not t.states:
        return machine
    builder = _Builder(s, machine, limit, delta)
    order = np.argsort(t.starts)
    starts = Subsets(np.zeros(len(order), int), t.starts[order], take(machine.start_weights, order))
    start_weight, (_, subsets) = builder.normalised(starts, starts.owner)
    while len(subsets.owner):
        subsets = builder.expand(subsets)
    return builder.finish(start_weight)


def check_delta(delta: float) -> None:
    """Check that a difference up to which weights are equal is positive.

    Args:
        delta: the difference.

    Raises:
        UsageError: if it is not.
    """
    if not delta > 0:
        raise UsageError(f"delta is {delta}; give a positive number")


def check_concrete(machine: SparseTransducer, operation: str) -> None:
    """Check that weights are concrete.

    Args:
        machine: any.
        operation: what compares them, for the message.

    Raises:
        UsageError: if JAX traces them.
    """
    if is_traced(machine.weights, machine.start_weights, machine.final_weights):
        raise UsageError(
            f"the weights are traced by JAX, but {operation} compares them; call it outside of the "
            "transformed function"
        )


class _Builder:
    """The states and arcs of the result so far."""

    def __init__(
        self, semiring: Semiring, machine: SparseTransducer, limit: int, delta: float
    ) -> None:
        self.semiring, self.machine, self.limit, self.delta = semiring, machine, limit, delta
        self.numbers: dict[bytes, int] = {}
        self.arcs: list[tuple[np.ndarray, ...]] = []
        self.weights: list[Value] = [zeros(semiring, 0, machine.weights)]
        self.finals: list[np.ndarray] = []
        self.final_weights: list[Value] = [zeros(semiring, 0, machine.final_weights)]
        places = np.full(machine.states, -1)
        places[machine.finals] = np.arange(len(machine.finals))
        self.places = places

    def normalised(
        self, members: Subsets, group: np.ndarray
    ) -> tuple[Value, tuple[np.ndarray, Subsets]]:
        """Divide groups of members by their sums.

        Args:
            members: of groups; their owner is not used.
            group: ``[members]`` ascending from 0.

        Returns:
            The sums; and the number of the subset that each group is, with those that are new.
        """
        s = self.semiring
        count = int(group[-1]) + 1 if len(group) else 0
        sums = grouped_sum(s, members.residuals, group, count)
        residuals = divide(s, members.residuals, sums, group)
        rows = np.concatenate(
            [members.states[:, None].astype(np.int64), keys(s, residuals, self.delta)], 1
        )
        bounds = np.searchsorted(group, np.arange(count + 1)).tolist()
        numbers, is_new = np.empty(count, np.int64), np.zeros(count, bool)
        # Numbers are given in the order of groups, so those of new subsets are ascending.
        for i in range(count):
            key = rows[bounds[i] : bounds[i + 1]].tobytes()
            number = self.numbers.get(key)
            if number is None:
                number = self.numbers[key] = len(self.numbers)
                is_new[i] = True
            numbers[i] = number
        if len(self.numbers) > self.limit:
            raise UsageError(
                f"determinised, the machine has more than {self.limit} states; it may lack the "
                "twins property (two cycles with the same labels, but other weights, from states "
                "that the same string reaches), and then has no deterministic equivalent; "
                "otherwise raise the limit"
            )
        chosen = np.flatnonzero(is_new[group])
        subsets = Subsets(numbers[group[chosen]], members.states[chosen], take(residuals, chosen))
        return sums, (numbers, subsets)

    def expand(self, subsets: Subsets) -> Subsets:
        """Add the final weights and arcs of subsets, and return the subsets that are new.

        Args:
            subsets: not expanded before.
        """
        s, t = self.semiring, self.machine.topology
        place = self.places[subsets.states]
        ending = np.flatnonzero(place >= 0)
        ended = product(s, (subsets.residuals, ending), (self.machine.final_weights, place[ending]))
        (finals,), final_weights = merge_parallel(s, (subsets.owner[ending],), ended)
        self.finals.append(finals)
        self.final_weights.append(final_weights)
        member, arc = expand(t.leaving, subsets.states)
        walked = product(s, (subsets.residuals, member), (self.machine.weights, arc))
        columns = subsets.owner[member], t.inputs[arc], t.outputs[arc], t.targets[arc]
        (owner, inputs, outputs, targets), walked = merge_parallel(s, columns, walked)
        # A product may be zero although its factors are not.
        nonzero = np.flatnonzero(~is_zero(s, walked))
        owner, inputs, outputs, targets = (x[nonzero] for x in (owner, inputs, outputs, targets))
        is_first = np.ones(len(owner), bool)
        labels = owner, inputs, outputs
        is_first[1:] = np.any([x[1:] != x[:-1] for x in labels], 0)
        members = Subsets(owner, targets, take(walked, nonzero))
        sums, (numbers, further) = self.normalised(members, np.cumsum(is_first) - 1)
        self.arcs.append((owner[is_first], inputs[is_first], outputs[is_first], numbers))
        self.weights.append(sums)
        return further

    def finish(self, start_weight: Value) -> SparseTransducer:
        """Return the machine.

        Args:
            start_weight: ``[1]``.
        """
        topology = Topology.of(
            len(self.numbers),
            (np.concatenate(x) for x in zip(*self.arcs, strict=True)),
            np.zeros(1, int),
            np.concatenate(self.finals),
        )
        return connect(
            self.semiring,
            SparseTransducer(
                topology, concatenate(self.weights), start_weight, concatenate(self.final_weights)
            ),
        )
