"""Pushing of weights towards the starts or the ends of paths.

Source: Mohri (2009), Weighted automata algorithms, section 7.1.
"""

from __future__ import annotations

import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.distance import shortest_distance
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.values import (
    divide,
    is_traced,
    log_weights_of,
    product,
)
from semirings.base import Semiring, Value


def push(
    semiring: Semiring, machine: SparseTransducer, *, to_final: bool = False
) -> SparseTransducer:
    """Return an equivalent machine whose weights are as early on its paths as possible, or as late.

    Then the arcs out of each state and its final weight add up to one, and the weights of starts to
    the total; or, pushed to the end, likewise of arcs into each state and its start weight. In
    ``Log`` the machine is stochastic. The machine is connected; arcs keep their order.

    Args:
        semiring: the semiring of the values.
        machine: values.
        to_final: push to the end.

    Raises:
        TypeError: if the semiring has no division, or lacks what ``shortest_distance`` needs, or is
            not commutative if weights are pushed to the end.
        UsageError: if the weights of a cycle add up to infinity.
    """
    s = semiring
    check_division(s, "push")
    if to_final and not s.laws.commutative:
        raise TypeError(f"{s.name} is not commutative, so weights cannot be pushed to the end")
    machine = connect(s, machine)
    t = machine.topology
    potential = shortest_distance(s, machine, reverse=not to_final)
    check_convergence(s, potential)
    if to_final:
        weights = product(s, (potential, t.sources), (machine.weights, None))
        return SparseTransducer(
            t,
            divide(s, weights, potential, t.targets),
            divide(s, machine.start_weights, potential, t.starts),
            product(s, (potential, t.finals), (machine.final_weights, None)),
        )
    weights = product(s, (machine.weights, None), (potential, t.targets))
    return SparseTransducer(
        t,
        divide(s, weights, potential, t.sources),
        product(s, (machine.start_weights, None), (potential, t.starts)),
        divide(s, machine.final_weights, potential, t.finals),
    )


def check_division(semiring: Semiring, operation: str) -> None:
    """Check that a semiring has a division.

    Args:
        semiring: any.
        operation: what needs it, for the message.

    Raises:
        TypeError: if it has none.
    """
    if not semiring.laws.division:
        raise TypeError(
            f"{semiring.name} has no division, which {operation} needs; use log, real, viterbi, "
            "tropical or another semiring whose laws declare it"
        )


def check_convergence(semiring: Semiring, distance: Value) -> None:
    """Check that concrete distances are finite.

    Args:
        semiring: of the values.
        distance: ``[states]``.

    Raises:
        UsageError: if one is infinite or NaN.
    """
    if is_traced(distance):
        return
    log_weight = log_weights_of(semiring, distance)
    wrong = np.flatnonzero(~(log_weight < np.inf))
    if wrong.size and np.isnan(log_weight[wrong[0]]):
        raise UsageError(
            f"the sum over the paths of state {wrong[0]} is NaN, as is a weight of one of them"
        )
    if wrong.size:
        raise UsageError(
            f"the sum over the paths of state {wrong[0]} is infinite: a cycle has a weight of one "
            "or more; give smaller weights"
        )
