"""Accepting paths: the paths of a sparse machine without cycles, as a structure.

| Part    | Shape             | Entry                                   |
| ------- | ----------------- | --------------------------------------- |
| initial | ``[batch, starts]`` | ``[b, i]``: the path begins in start i |
| arcs    | ``[batch, arcs]``   | ``[b, a]``: the path uses arc a        |
| final   | ``[batch, finals]`` | ``[b, i]``: the path ends in final i   |

All items of a batch share the topology. The sum visits each arc once, in the order of levels, and
needs memory linear in the number of arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.shapes import as_log_weights, check_log_weights, check_shapes
from semipunct.errors import UsageError
from semipunct.structures.automata.paths import PathParts
from semipunct.structures.base import PartWise, Total, lift_weights, mask_padding
from semipunct.structures.readable import (
    Readable,
    as_form,
    as_marks,
    check,
    mask_places,
    modules_of,
)
from semipunct.structures.recursion import Recursion
from semipunct.structures.sparse_automata.distance import describe_cycle
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.sweeps import Rows, arrange, sweep
from semipunct.structures.sparse_automata.topology import Topology, components, reachable
from semirings.base import Semiring, Value


class _Layout(NamedTuple):
    """The arcs of a topology in the order of a sweep.

    Attributes:
        rows: the arcs in the order of the sweep.
        order: ``[arcs]`` all arcs, each behind those that may precede it on a path.
        longest: the number of arcs of the longest path.
    """

    rows: Rows
    order: np.ndarray
    longest: int


@lru_cache(maxsize=64)
def _layout(topology: Topology) -> _Layout:
    t = topology
    partition = components(t.sources, t.targets, t.states)
    levels = partition.levels[t.targets]
    rows = arrange(np.arange(t.arcs), t.sources, t.targets, levels, t.states)
    order = np.argsort(partition.levels[t.sources], kind="stable")
    return _Layout(rows, order, int(partition.levels.max(initial=0)))


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "lengths"],
    meta_fields=["topology"],
)
@dataclass(frozen=True)
class AcceptingPaths(PartWise[PathParts], Readable[PathParts]):
    """The accepting paths of a machine; see ``accepting_paths``.

    Their usual form is ``[..., batch, longest]`` arcs in order.

    Attributes:
        topology: that of the machine.
    """

    topology: Topology

    def places(self, derivations: Any) -> PathParts:
        """Return the places of the parts of paths; see ``Readable.places``.

        A path without arcs is index if one state is both start and final.
        """
        t = self.topology
        arcs = as_form(derivations, (self.weights.arcs.shape[0], None), "arcs")
        xp = modules_of(arcs)
        used = arcs >= 0
        count = used.sum(-1)
        index = xp.clip(arcs, 0, max(t.arcs - 1, 0))
        start_of, final_of = (_places(x, t.states) for x in (t.starts, t.finals))
        empty = np.flatnonzero((start_of >= 0) & (final_of >= 0))
        only = int(empty[0]) if len(empty) == 1 else t.states
        sources, targets = (np.append(x, 0)[index] for x in (t.sources, t.targets))
        last = xp.maximum(count - 1, 0)[..., None]
        if arcs.shape[-1]:
            begin = xp.where(count > 0, sources[..., 0], only)
            end = xp.take_along_axis(targets, last, -1)[..., 0]
            end = xp.where(count > 0, end, only)
        else:
            begin = end = xp.full(arcs.shape[:-1], only)
        start, final = np.append(start_of, -1)[begin], np.append(final_of, -1)[end]
        joins = (targets[..., :-1] == sources[..., 1:]) | ~used[..., 1:]
        valid = (
            (used == (np.arange(arcs.shape[-1]) < count[..., None])).all(-1)
            & (arcs < t.arcs).all(-1)
            & joins.all(-1)
            & (start >= 0)
            & (final >= 0)
        )
        check(valid, lambda place: f"arcs {list(place)} are no accepting path of the machine")
        places = (start[..., None], xp.where(used, arcs, -1), final[..., None])
        return PathParts(*mask_places(valid, *places))

    def from_parts(self, parts: PathParts) -> jax.Array:
        """Return arcs in order; see ``Readable.from_parts``."""
        layout = _layout(self.topology)
        used = as_marks(parts.arcs)[..., layout.order] > 0
        count = len(layout.order)
        first = jnp.sort(jnp.where(used, np.arange(count), count), -1)[..., : layout.longest]
        return jnp.append(jnp.asarray(layout.order, jnp.int32), jnp.int32(-1))[first]

    def total(
        self,
        semiring: Semiring,
        feature: PathParts | None = None,
        recursion: Recursion = Recursion(),
    ) -> Total:
        """Sum over the paths to each state; arguments as in ``Structure.total``."""
        s, t = semiring, self.topology
        marks = PathParts(None, None, None) if feature is None else feature
        initial, arcs, final = self.weights
        batch = len(self.lengths)
        rows = _layout(t).rows
        begin = lift_weights(s, initial, marks.initial)
        table = jax.tree.map(
            lambda x, y: x.astype(y.dtype).at[:, t.starts].set(y),
            s.zeros((batch, t.states)),
            begin,
        )
        used = jnp.broadcast_to(rows.targets < t.states, (batch, *rows.targets.shape))
        weight = mask_padding(used, arcs[:, rows.arcs], -jnp.inf)
        features = jax.tree.map(lambda x: jnp.broadcast_to(x, arcs.shape)[:, rows.arcs], marks.arcs)

        def value(at: Any) -> Value:
            is_used, weight, features = at
            lifted = lift_weights(s, weight, features)
            none = jax.tree.map(lambda x, y: x.astype(y.dtype), s.zeros(weight.shape), lifted)
            return s.where(is_used, lifted, none)

        slices = used, weight, mask_padding(used, features)
        table = sweep(s, table, value, slices, rows, recursion)
        ended = jax.tree.map(lambda x: x[:, t.finals], table)
        ended = s.times(ended, lift_weights(s, final, marks.final))
        return Total(s.sum(ended, 1), jnp.zeros((batch,), arcs.dtype))


def accepting_paths(machine: SparseTransducer, weights: PathParts | None = None) -> AcceptingPaths:
    """Make the structure of all accepting paths of a machine without cycles.

    To condition on a string, compose the machine with it: ``compose(Log(), from_strings([x]),
    machine)``. Parallel arcs, and paths that write the same, are distinct derivations.

    Args:
        machine: log weights.
        weights: log weights of a batch, initial ``[batch, starts]``, arcs ``[batch, arcs]``, final
            ``[batch, finals]``; by default one item with the weights of the machine.

    Raises:
        UsageError: if the machine has a cycle or no accepting path, shapes do not fit, or a log
            weight is not one.
    """
    t = machine.topology
    if weights is None:
        parts = machine.start_weights, machine.weights, machine.final_weights
        weights = PathParts(*(x[None] for x in parts))
    initial, arcs, final = (
        as_log_weights(x, 2) for x in (weights.initial, weights.arcs, weights.final)
    )
    check_shapes(
        arcs=(arcs, f"batch {t.arcs}"),
        initial=(initial, f"batch {len(t.starts)}"),
        final=(final, f"batch {len(t.finals)}"),
    )
    check_log_weights(initial=initial, arcs=arcs, final=final)
    partition = components(t.sources, t.targets, t.states)
    if partition.is_cyclic.any():
        raise UsageError(
            f"the machine has {describe_cycle(t, partition)}, so its paths may have any length; "
            "compose it with a string, or give shortest_path(...)"
        )
    ends = reachable(t.sources, t.targets, t.states, t.starts.tolist())[t.finals]
    if not ends.any():
        raise UsageError("no path leads from a start of the machine to a final")
    batch = arcs.shape[0]
    return AcceptingPaths(PathParts(initial, arcs, final), jnp.full(batch, t.arcs, jnp.int32), t)


def _places(chosen: np.ndarray, states: int) -> np.ndarray:
    places = np.full(states, -1)
    places[chosen] = np.arange(len(chosen))
    return places
