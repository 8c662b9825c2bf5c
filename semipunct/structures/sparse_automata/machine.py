"""Sparse automata and transducers: lists of arcs, over any semiring, with the epsilon symbol.

A machine holds either log weights or, after ``lift``, values of a semiring. The operations take and
return values; in ``Log`` and ``Viterbi`` log weights are values. Memory is linear in the number of
arcs. What is done with dense arrays instead is in ``semipunct.structures.automata``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
from jax.core import Tracer

from semipunct.arrays.shapes import as_log_weights, check_log_weights, check_shapes
from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.topology import Integers, Topology
from semipunct.structures.sparse_automata.values import is_traced, lift_values, log_weights_of
from semirings.base import Semiring

EPSILON = 0
"""The empty symbol."""

MOST = 2**31 - 1
"""The largest number of a state or symbol."""


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "start_weights", "final_weights"],
    meta_fields=["topology"],
)
@dataclass(frozen=True)
class SparseTransducer:
    """A weighted transducer; an automaton (acceptor) is one whose arcs write what they read.

    A pytree of its weights; states and labels are constant to JAX.

    Attributes:
        topology: states, arcs and labels.
        weights: ``[arcs]`` the weight of each arc.
        start_weights: ``[starts]`` that of beginning in each start.
        final_weights: ``[finals]`` that of ending in each final.
    """

    topology: Topology
    weights: Any
    start_weights: Any
    final_weights: Any

    @property
    def states(self) -> int:
        """The number of states."""
        return self.topology.states

    @property
    def sources(self) -> Integers:
        """``[arcs]`` the state that each arc leaves."""
        return self.topology.sources

    @property
    def inputs(self) -> Integers:
        """``[arcs]`` the symbol that each arc reads; 0 is epsilon."""
        return self.topology.inputs

    @property
    def outputs(self) -> Integers:
        """``[arcs]`` the symbol that each arc writes; 0 is epsilon."""
        return self.topology.outputs

    @property
    def targets(self) -> Integers:
        """``[arcs]`` the state that each arc leads to."""
        return self.topology.targets

    @property
    def starts(self) -> Integers:
        """``[starts]`` the states where paths may begin."""
        return self.topology.starts

    @property
    def finals(self) -> Integers:
        """``[finals]`` the states where paths may end."""
        return self.topology.finals

    def __repr__(self) -> str:
        return (
            f"<SparseTransducer: {self.states} states, {self.topology.arcs} arcs, "
            f"{len(self.starts)} starts, {len(self.finals)} finals>"
        )

    def with_weights(
        self, weights: Any, start_weights: Any = None, final_weights: Any = None
    ) -> SparseTransducer:
        """Return the same machine with other weights of the same shapes.

        Args:
            weights: ``[arcs]``.
            start_weights: ``[starts]``; None leaves them as they are.
            final_weights: ``[finals]``; likewise.

        Raises:
            UsageError: if a shape does not fit.
        """
        changes = {"weights": weights}
        if start_weights is not None:
            changes["start_weights"] = start_weights
        if final_weights is not None:
            changes["final_weights"] = final_weights
        sizes = {"weights": self.topology.arcs, "start_weights": len(self.starts)}
        sizes["final_weights"] = len(self.finals)
        for name, value in changes.items():
            for leaf in jax.tree.leaves(value):
                if leaf.shape != (sizes[name],):
                    raise UsageError(
                        f"{name} has shape {leaf.shape}; the machine needs ({sizes[name]},)"
                    )
        return replace(self, **changes)


def sparse_transducer(
    sources: npt.ArrayLike,
    inputs: npt.ArrayLike,
    outputs: npt.ArrayLike | None,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    starts: npt.ArrayLike = (0,),
    finals: npt.ArrayLike,
    start_weights: npt.ArrayLike | None = None,
    final_weights: npt.ArrayLike | None = None,
    states: int | None = None,
    symbols: int | None = None,
) -> SparseTransducer:
    """Make a machine of log weights from lists of arcs.

    Several arcs may have the same ends and labels; their weights add up. All arguments except the
    weights are concrete, not traced by JAX.

    Args:
        sources: ``[arcs]`` the state that each arc leaves, from 0.
        inputs: ``[arcs]`` the symbol that it reads; 0 is epsilon.
        outputs: ``[arcs]`` the symbol that it writes; None if it writes what it reads.
        targets: ``[arcs]`` the state that it leads to.
        weights: ``[arcs]`` log weights; all 0 by default; minus infinity forbids an arc.
        starts: ``[starts]`` the states where paths begin, each once.
        finals: ``[finals]`` the states where they end, each once.
        start_weights: ``[starts]`` log weights, 0 by default.
        final_weights: ``[finals]`` log weights, 0 by default.
        states: the number of states; by default one more than the largest that is named.
        symbols: the number of symbols, epsilon included, for a check of labels.

    Raises:
        UsageError: if shapes do not fit, a state or a label is out of range, a start or a final is
            given twice, or a log weight is not one.
    """
    ends = {
        "sources": as_integers("sources", sources),
        "targets": as_integers("targets", targets),
        "starts": as_integers("starts", starts),
        "finals": as_integers("finals", finals),
    }
    labels = {"inputs": as_integers("inputs", inputs)}
    labels["outputs"] = labels["inputs"] if outputs is None else as_integers("outputs", outputs)
    named = max((int(x.max(initial=-1)) for x in ends.values()), default=-1) + 1
    count = named if states is None else states
    if not 0 <= count <= MOST:
        raise UsageError(f"there are {count} states; give a number from 0 to {MOST}")
    for name, array in ends.items():
        _check_range(name, array, count, "states")
    for name, array in labels.items():
        _check_range(name, array, MOST if symbols is None else symbols, "symbols")
    for name in ("starts", "finals"):
        values, counts = np.unique(ends[name], return_counts=True)
        if (counts > 1).any():
            raise UsageError(f"{name} has state {values[counts > 1][0]} twice; give each once")
    arrays = {name: array.astype(np.int32) for name, array in (ends | labels).items()}
    weights, start_weights, final_weights = (
        as_log_weights(np.zeros(len(ends[name]), np.float32) if each is None else each)
        for name, each in (
            ("sources", weights), ("starts", start_weights), ("finals", final_weights)
        )
    )  # fmt: skip
    for name in ("inputs", "outputs", "targets"):
        _check_equal_size("sources", arrays["sources"], name, arrays[name])
    check_shapes(weights=(weights, "arcs"))
    for first, second, weight in (
        ("sources", "weights", weights),
        ("starts", "start_weights", start_weights),
        ("finals", "final_weights", final_weights),
    ):
        _check_equal_size(first, arrays[first], second, weight)
    check_log_weights(weights=weights, start_weights=start_weights, final_weights=final_weights)
    return SparseTransducer(Topology(states=count, **arrays), weights, start_weights, final_weights)


def lift(
    semiring: Semiring, machine: SparseTransducer, feature: SparseTransducer | None = None
) -> SparseTransducer:
    """Turn log weights and their features into values.

    Args:
        semiring: the semiring of the values.
        machine: log weights.
        feature: an additive quantity of each arc, start and final: ``machine.with_weights`` of it.
    """
    pairs = (
        (machine.weights, feature.weights if feature else None),
        (machine.start_weights, feature.start_weights if feature else None),
        (machine.final_weights, feature.final_weights if feature else None),
    )
    return machine.with_weights(*(lift_values(semiring, x, f) for x, f in pairs))


def log_weights(semiring: Semiring, machine: SparseTransducer) -> SparseTransducer:
    """Convert values to log weights.

    Args:
        semiring: the semiring of the values.
        machine: values.
    """
    parts = (machine.weights, machine.start_weights, machine.final_weights)
    if is_traced(*parts):
        return machine.with_weights(*(semiring.log_weight(x) for x in parts))
    return machine.with_weights(*(log_weights_of(semiring, x) for x in parts))


def check_values(semiring: Semiring, machine: SparseTransducer) -> None:
    """Check that the weights of a machine are values of a semiring, as far as they look like it.

    Args:
        semiring: any.
        machine: any.

    Raises:
        UsageError: if they have other arrays, or arrays of another kind.
    """
    zero = jax.eval_shape(lambda: semiring.zeros((1,)))
    expected = [np.dtype(x.dtype).kind for x in jax.tree.leaves(zero)]
    for weights in (machine.weights, machine.start_weights, machine.final_weights):
        kinds = [np.dtype(x.dtype).kind for x in jax.tree.leaves(weights)]
        if kinds != expected or jax.tree.structure(weights) != jax.tree.structure(zero):
            raise UsageError(
                f"the weights are no values of {semiring.name}; give lift(semiring, machine)"
            )


def as_integers(name: str, array: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a list of integers as a NumPy array.

    Args:
        name: that of the argument, for messages.
        array: ``[n]``.

    Raises:
        UsageError: if it is traced by JAX, or is not a list of integers.
    """
    if isinstance(array, Tracer):
        raise UsageError(
            f"{name} is traced by JAX; only weights may be, since algorithms follow the arcs"
        )
    values = np.asarray(array)
    if values.ndim != 1:
        raise UsageError(f"{name} has shape {values.shape}; expected a list")
    if values.size and not np.issubdtype(values.dtype, np.integer):
        raise UsageError(f"{name} must be integers, not {values.dtype}")
    return values.astype(np.int64)


def _check_range(name: str, array: npt.NDArray[np.int64], count: int, what: str) -> None:
    wrong = np.flatnonzero((array < 0) | (array >= count))
    if not wrong.size:
        return
    place = int(wrong[0])
    known = f"there are {what} 0 to {count - 1}" if count else f"there are no {what}"
    raise UsageError(f"{name}[{place}] is {array[place]}; {known}")


def _check_equal_size(first: str, array: Any, second: str, other: Any) -> None:
    if array.shape != other.shape:
        raise UsageError(
            f"{second} has shape {other.shape} and {first} has shape {array.shape}; give one "
            "for each"
        )
