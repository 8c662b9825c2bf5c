"""Selection of states and arcs: the part of a machine that paths use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from semipunct.structures.sparse_automata.machine import SparseTransducer, check_values
from semipunct.structures.sparse_automata.topology import Topology, reachable
from semipunct.structures.sparse_automata.values import is_zero, take
from semirings.base import Semiring


def connect(semiring: Semiring, machine: SparseTransducer) -> SparseTransducer:
    """Return the machine without states and arcs that no accepting path uses (trim).

    States keep their order, and arcs theirs. Arcs, starts and finals of weight zero are removed,
    except where JAX traces the weights, which are not known then.

    Args:
        semiring: the semiring of the values.
        machine: values.

    Raises:
        UsageError: if the weights are no values of the semiring.
    """
    check_values(semiring, machine)
    t = machine.topology
    arcs = ~is_zero(semiring, machine.weights)
    starts = ~is_zero(semiring, machine.start_weights)
    finals = ~is_zero(semiring, machine.final_weights)
    sources, targets = t.sources[arcs], t.targets[arcs]
    used = reachable(sources, targets, t.states, t.starts[starts].tolist())
    used &= reachable(targets, sources, t.states, t.finals[finals].tolist())
    return select_arcs(
        machine,
        used,
        arcs & used[t.sources] & used[t.targets],
        starts & used[t.starts],
        finals & used[t.finals],
    )


def select_arcs(
    machine: SparseTransducer,
    states: npt.NDArray[np.bool_],
    arcs: npt.NDArray[np.bool_],
    starts: npt.NDArray[np.bool_],
    finals: npt.NDArray[np.bool_],
) -> SparseTransducer:
    """Return a machine of some states, arcs, starts and finals.

    Args:
        machine: any.
        states: ``[states]`` which are kept.
        arcs: ``[arcs]`` likewise; their ends are kept.
        starts: ``[starts]`` likewise.
        finals: ``[finals]`` likewise.
    """
    t = machine.topology
    if states.all() and arcs.all() and starts.all() and finals.all():
        return machine
    number = np.cumsum(states, dtype=np.int32) - 1
    topology = Topology(
        int(states.sum()),
        number[t.sources[arcs]],
        t.inputs[arcs],
        t.outputs[arcs],
        number[t.targets[arcs]],
        number[t.starts[starts]],
        number[t.finals[finals]],
    )
    index = (np.flatnonzero(x) for x in (arcs, starts, finals))
    weights = (machine.weights, machine.start_weights, machine.final_weights)
    return SparseTransducer(topology, *(take(w, i) for w, i in zip(weights, index, strict=True)))
