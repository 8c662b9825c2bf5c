"""The best paths, or the paths of the best strings, of a machine in a selective semiring.

A search from the starts extends the prefix whose best completion is best. With the shortest
distances to the end it knows how good that is, so it extends little else than prefixes of the paths
that it returns (A*; Mohri and Riley 2002, An efficient algorithm for the n-best-strings problem).
For distinct strings a prefix is a string with the best path to each state that it reaches, which is
the subset construction on the fly.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, cmp_to_key, partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

import jax
import numpy as np

from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.connection import connect
from semipunct.structures.sparse_automata.determinisation import check_concrete
from semipunct.structures.sparse_automata.distance import shortest_distance
from semipunct.structures.sparse_automata.epsilons import merge_parallel, remove_epsilon
from semipunct.structures.sparse_automata.machine import SparseTransducer
from semipunct.structures.sparse_automata.pushing import check_convergence
from semipunct.structures.sparse_automata.topology import Topology, expand
from semipunct.structures.sparse_automata.values import (
    concatenate,
    concretely,
    count_of,
    grouped_sum,
    log_weights_of,
    ones,
    product,
    take,
    zeros,
)
from semirings.base import Semiring, Value
from semirings.capabilities import Selective, require_selective


class _Path(NamedTuple):
    """A path from the last arc back to its start; ``arc`` is that of a start in the first entry."""

    before: _Path | None
    arc: int


def shortest_path(
    semiring: Semiring, machine: SparseTransducer, count: int = 1, *, unique: bool = False
) -> SparseTransducer:
    """Return a machine of the best paths, each a chain of states of its own, the best first.

    With ``unique`` they are the best strings of an automaton: each string once, with the sum of the
    weights of its paths, which is the weight of the best, as final weight.

    Args:
        semiring: the semiring of the values, a ``semirings.Selective``; its order is the one in
            which the sum of two values is the better one.
        machine: values, not traced by JAX.
        count: the number of paths; if there are fewer, all of them are returned.
        unique: return distinct strings.

    Raises:
        TypeError: if the semiring is not selective, or the machine has a cycle and the semiring no
            sum over it.
        UsageError: if the count is not positive, a cycle makes paths better without end, the
            weights are traced, or distinct strings are wanted of a transducer.
    """
    require_selective(semiring)
    s = cast(Selective, semiring)
    if count < 1:
        raise UsageError(f"count is {count}; give 1 or more")
    check_concrete(machine, "shortest_path")
    if unique:
        if not machine.topology.is_acceptor:
            raise UsageError(
                "distinct strings are those of an automaton; give inputs_of(machine) or "
                "outputs_of(machine)"
            )
        return _chains_of_strings(s, remove_epsilon(s, machine), count)
    return _chains_of_paths(s, connect(s, machine), count)


def _chains_of_paths(s: Selective, machine: SparseTransducer, count: int) -> SparseTransducer:
    t = machine.topology
    after = shortest_distance(s, machine, reverse=True)
    check_convergence(s, after)
    # The end is a state, and final weights are arcs to it.
    end = t.states
    targets = np.append(t.targets, np.full(len(t.finals), end))
    extended = replace(
        t,
        states=t.states + 1,
        sources=np.append(t.sources, t.finals),
        targets=targets,
    )
    weights = concatenate([machine.weights, machine.final_weights])
    after = concatenate([after, ones(s, 1, after)])
    first_keys = _keys(s, product(s, (machine.start_weights, None), (after, t.starts)))
    heap: list[tuple[Any, int, int, _Path, Value]] = []
    pushed = 0
    for i, state in enumerate(t.starts.tolist()):
        start = take(machine.start_weights, np.array([i]))
        heapq.heappush(heap, (first_keys[i], pushed, state, _Path(None, i), start))
        pushed += 1
    visits = np.zeros(t.states + 1, int)
    chains: list[list[int]] = []
    while heap and len(chains) < count:
        _, _, state, path, value = heapq.heappop(heap)
        visits[state] += 1
        if visits[state] > count:
            continue
        if state == end:
            chains.append(list(_arcs(path)))
            continue
        arcs = extended.leaving.order[
            extended.leaving.offsets[state] : extended.leaving.offsets[state + 1]
        ]
        same = np.zeros(len(arcs), int)
        walked = product(s, (value, same), (weights, arcs))
        keys = _keys(s, product(s, (walked, None), (after, targets[arcs])))
        for i, arc in enumerate(arcs.tolist()):
            entry = (
                keys[i],
                pushed,
                int(targets[arc]),
                _Path(path, arc),
                take(walked, np.array([i])),
            )
            heapq.heappush(heap, entry)
            pushed += 1
    return _machine_of_chains(machine, chains)


def _arcs(path: _Path | None) -> Iterator[int]:
    """Return the start and the arcs of a path, and the final as an arc behind all others."""
    links: list[int] = []
    while path is not None:
        links.append(path.arc)
        path = path.before
    return reversed(links)


def _machine_of_chains(machine: SparseTransducer, chains: list[list[int]]) -> SparseTransducer:
    t = machine.topology
    sizes = np.array([len(chain) - 1 for chain in chains], int)
    past = np.cumsum(sizes)
    arcs = np.array([arc for chain in chains for arc in chain[1:-1]], int)
    sources = np.delete(np.arange(sizes.sum()), past - 1)
    topology = Topology(
        int(sizes.sum()),
        sources.astype(np.int32),
        t.inputs[arcs],
        t.outputs[arcs],
        sources.astype(np.int32) + np.int32(1),
        (past - sizes).astype(np.int32),
        (past - 1).astype(np.int32),
    )
    starts = np.array([chain[0] for chain in chains], int)
    finals = np.array([chain[-1] - t.arcs for chain in chains], int)
    return SparseTransducer(
        topology,
        take(machine.weights, arcs),
        take(machine.start_weights, starts),
        take(machine.final_weights, finals),
    )


class _Prefix(NamedTuple):
    """A string: its last letter, the string before, and the best path to each state."""

    before: _Prefix | None
    letter: int
    states: np.ndarray
    values: Value


def _chains_of_strings(s: Selective, machine: SparseTransducer, count: int) -> SparseTransducer:
    t = machine.topology
    after = shortest_distance(s, machine, reverse=True)
    check_convergence(s, after)
    places = np.full(t.states, -1)
    places[t.finals] = np.arange(len(t.finals))
    heap: list[tuple[Any, int, _Prefix, Value | None]] = []
    strings: list[list[int]] = []
    totals: list[Value] = []

    def add(prefix: _Prefix, whole: Value | None, best: Value) -> None:
        heapq.heappush(heap, (_keys(s, best)[0], pushed[0], prefix, whole))
        pushed[0] += 1

    def best_of(value: Value) -> Value:
        return _summed(s, value)

    pushed = [0]
    if len(t.starts):
        order = np.argsort(t.starts)
        empty = _Prefix(None, 0, t.starts[order], take(machine.start_weights, order))
        add(empty, None, best_of(product(s, (empty.values, None), (after, empty.states))))
    while heap and len(strings) < count:
        _, _, prefix, whole = heapq.heappop(heap)
        if whole is not None:
            strings.append(_letters(prefix))
            totals.append(whole)
            continue
        place = places[prefix.states]
        ending = np.flatnonzero(place >= 0)
        if len(ending):
            total = best_of(
                product(s, (prefix.values, ending), (machine.final_weights, place[ending]))
            )
            add(prefix, total, total)
        member, arc = expand(t.leaving, prefix.states)
        if not len(arc):
            continue
        walked = product(s, (prefix.values, member), (machine.weights, arc))
        (letters, states), walked = merge_parallel(s, (t.inputs[arc], t.targets[arc]), walked)
        ahead = product(s, (walked, None), (after, states))
        bounds = np.append(np.flatnonzero(np.diff(letters, prepend=-1)), len(letters)).tolist()
        for first, past in pairwise(bounds):
            chosen = np.arange(first, past)
            longer = _Prefix(prefix, int(letters[first]), states[chosen], take(walked, chosen))
            add(longer, None, best_of(take(ahead, chosen)))
    return _machine_of_strings(s, machine, strings, totals)


def _letters(prefix: _Prefix | None) -> list[int]:
    letters: list[int] = []
    while prefix is not None:
        letters.append(prefix.letter)
        prefix = prefix.before
    return letters[-2::-1]


def _machine_of_strings(
    s: Semiring, machine: SparseTransducer, strings: list[list[int]], totals: list[Value]
) -> SparseTransducer:
    sizes = np.array([len(string) + 1 for string in strings], int)
    past = np.cumsum(sizes)
    letters = np.array([letter for string in strings for letter in string], np.int32)
    sources = np.delete(np.arange(sizes.sum()), past - 1).astype(np.int32)
    topology = Topology(
        int(sizes.sum()),
        sources,
        letters,
        letters,
        sources + np.int32(1),
        (past - sizes).astype(np.int32),
        (past - 1).astype(np.int32),
    )
    return SparseTransducer(
        topology,
        ones(s, len(letters), machine.weights),
        ones(s, len(strings), machine.start_weights),
        concatenate([zeros(s, 0, machine.final_weights), *totals]),
    )


def _summed(s: Semiring, value: Value) -> Value:
    return grouped_sum(s, value, np.zeros(count_of(value), int), 1)


def _keys(s: Selective, value: Value) -> list[Any]:
    """Return keys that order values, the best first."""
    if "read back" not in s.laws.broken:
        logs = log_weights_of(s, value)
        return (logs if _prefers_small(s) else -logs).tolist()
    items = range(jax.tree.leaves(value)[0].shape[0])
    compare = cmp_to_key(partial(_compared, s))
    return [compare(take(value, np.array([i]))) for i in items]


@cache
def _prefers_small(s: Selective) -> bool:
    """Return whether the better of two values is that of the smaller log weight."""
    pair = concretely(s.lift, np.array([-1, 0], np.float32))
    return int(concretely(_selected, s, pair)) == 0


def _compared(s: Selective, a: Value, b: Value) -> int:
    first, second = (
        int(concretely(_selected, s, jax.tree.map(lambda x, y: np.concatenate([x, y]), *pair)))
        for pair in ((a, b), (b, a))
    )
    return first - second


_selected: Callable[[Selective, Value], jax.Array] = partial(jax.jit, static_argnums=0)(
    lambda s, pair: s.select(pair, 0)
)
