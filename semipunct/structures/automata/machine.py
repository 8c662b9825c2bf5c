"""Small dense automata and transducers over any semiring, with the epsilon symbol.

Both types hold either log weights or, after ``lift``, values of a semiring. The operations
(``operations``, ``composition``) take and return values, so that they can be chained; in ``Log``
and ``Viterbi`` log weights are values. Any leading axes are batch axes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import as_log_weights, check_log_weights, check_shapes
from semirings.base import Semiring

EPSILON = 0
"""The empty symbol."""


class Automaton(NamedTuple):
    """A weighted acceptor.

    Attributes:
        initial: ``[..., states]`` weight of starting in each state.
        arcs: ``[..., symbols, states, states]`` entry ``[a, s, t]`` is the arc from state s to
            state t that reads the symbol a; symbol 0 is epsilon.
        final: ``[..., states]`` weight of ending in each state.
    """

    initial: Any
    arcs: Any
    final: Any


class Transducer(NamedTuple):
    """A weighted transducer.

    Attributes:
        initial: ``[..., states]`` weight of starting in each state.
        arcs: ``[..., inputs, outputs, states, states]`` entry ``[a, b, s, t]`` is the arc from
            state s to state t that reads a and writes b; symbol 0 is epsilon on either side.
        final: ``[..., states]`` weight of ending in each state.
    """

    initial: Any
    arcs: Any
    final: Any


Machine = TypeVar("Machine", Automaton, Transducer)


def automaton(initial: jax.Array, arcs: jax.Array, final: jax.Array) -> Automaton:
    """Make a weighted acceptor of log weights.

    Args:
        initial: ``[states]`` log weights, or ``[batch, states]``; minus infinity forbids.
        arcs: ``[symbols, states, states]``, or with a leading batch axis; at least epsilon.
        final: ``[states]``, or ``[batch, states]``.

    Raises:
        UsageError: if shapes do not fit or a log weight is not one.
    """
    return _checked(Automaton(initial, arcs, final), "symbols states states")


def transducer(initial: jax.Array, arcs: jax.Array, final: jax.Array) -> Transducer:
    """Make a weighted transducer of log weights.

    Args:
        initial: ``[states]`` log weights, or ``[batch, states]``; minus infinity forbids.
        arcs: ``[inputs, outputs, states, states]``, or with a leading batch axis.
        final: ``[states]``, or ``[batch, states]``.

    Raises:
        UsageError: if shapes do not fit or a log weight is not one.
    """
    return _checked(Transducer(initial, arcs, final), "inputs outputs states states")


def lift(semiring: Semiring, machine: Machine, feature: Machine | None = None) -> Machine:
    """Turn log weights and their features into values.

    Args:
        semiring: the semiring of the values.
        machine: log weights.
        feature: an additive quantity of each arc and end, shaped like the log weights.
    """
    if feature is None:
        return type(machine)(*(semiring.lift(x) for x in machine))
    return type(machine)(*(semiring.lift(x, f) for x, f in zip(machine, feature, strict=True)))


def log_weights(semiring: Semiring, machine: Machine) -> Machine:
    """Convert values to log weights.

    Args:
        semiring: the semiring of the values.
        machine: values.
    """
    return type(machine)(*(semiring.log_weight(x) for x in machine))


def as_transducer(semiring: Semiring, acceptor: Automaton) -> Transducer:
    """Return the identity transducer of an acceptor: symbol a becomes the pair (a, a).

    Args:
        semiring: the semiring of the values.
        acceptor: values.
    """
    symbols = sizes(acceptor)[0]
    across = jax.tree.map(lambda x: x[..., :, None, :, :], acceptor.arcs)
    is_diagonal = jnp.eye(symbols, dtype=bool)[:, :, None, None]
    arcs = semiring.where(is_diagonal, across, semiring.zeros((1, 1, 1, 1)))
    return Transducer(acceptor.initial, arcs, acceptor.final)


def inputs_of(semiring: Semiring, machine: Transducer) -> Automaton:
    """Return the input projection of a transducer, summed over its outputs.

    Args:
        semiring: the semiring of the values.
        machine: values.
    """
    return Automaton(machine.initial, semiring.sum(machine.arcs, axis=-3), machine.final)


def outputs_of(semiring: Semiring, machine: Transducer) -> Automaton:
    """Return the output projection of a transducer, summed over its inputs.

    Args:
        semiring: the semiring of the values.
        machine: values.
    """
    return Automaton(machine.initial, semiring.sum(machine.arcs, axis=-4), machine.final)


def sizes(machine: Automaton | Transducer) -> tuple[int, int]:
    """Return the numbers of symbols (output symbols of a transducer) and of states."""
    return jax.tree.leaves(machine.arcs)[0].shape[-3:-1]


def _checked(machine: Machine, axes: str) -> Machine:
    initial, arcs, final = (as_log_weights(x) for x in machine)
    batch = "batch? " if arcs.ndim > len(axes.split()) else ""
    check_shapes(
        arcs=(arcs, batch + axes),
        initial=(initial, batch + "states"),
        final=(final, batch + "states"),
    )
    check_log_weights(initial=initial, arcs=arcs, final=final)
    return type(machine)(initial, arcs, final)
