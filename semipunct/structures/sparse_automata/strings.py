"""Strings as machines, and the paths of machines as strings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.structures.sparse_automata.distance import describe_cycle
from semipunct.structures.sparse_automata.machine import (
    EPSILON,
    SparseTransducer,
    as_integers,
    sparse_transducer,
)
from semipunct.structures.sparse_automata.topology import components
from semipunct.structures.sparse_automata.values import concatenate, ones, product, take
from semirings.base import Semiring, Value


class Path(NamedTuple):
    """An accepting path.

    Attributes:
        inputs: the symbols that it reads, without epsilon.
        outputs: those that it writes.
        arcs: its arcs.
        weight: the product of its start, its arcs and its final, a value of shape ``[]``.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    arcs: tuple[int, ...]
    weight: Any


def from_strings(
    inputs: Iterable[npt.ArrayLike],
    outputs: Iterable[npt.ArrayLike] | None = None,
    weights: npt.ArrayLike | None = None,
) -> SparseTransducer:
    """Return the machine of log weights that accepts some strings: a tree of their prefixes.

    Pairs of strings are aligned symbol by symbol, and the shorter one is filled with epsilon. What
    is given twice has two paths.

    Args:
        inputs: strings of symbols from 1, each a list of integers.
        outputs: the strings that are written; by default those that are read.
        weights: ``[strings]`` log weights, of the ends; 0 by default.

    Raises:
        UsageError: if a symbol is no integer from 1, or the numbers of strings or weights differ.
    """
    rows = [_symbols(f"inputs[{i}]", string) for i, string in enumerate(inputs)]
    pairs: list[list[tuple[int, int]]]
    if outputs is None:
        pairs = [[(symbol, symbol) for symbol in row] for row in rows]
    else:
        others = [_symbols(f"outputs[{i}]", string) for i, string in enumerate(outputs)]
        if len(others) != len(rows):
            raise UsageError(f"{len(rows)} inputs and {len(others)} outputs; give pairs")
        pairs = [_aligned(*pair) for pair in zip(rows, others, strict=True)]
    arcs: list[tuple[int, int, int, int]] = []
    children: dict[tuple[int, int, int], int] = {}
    starts, finals, states = [0], dict[int, None](), 1
    for pair in pairs:
        state = 0
        for symbols in pair:
            key = state, *symbols
            if key not in children:
                children[key] = states
                arcs.append((*key, states))
                states += 1
            state = children[key]
        if state in finals:
            # The same string again, on a path of its own.
            chain = [states + i for i in range(len(pair) + 1)]
            starts.append(chain[0])
            arcs += [(chain[i], *symbols, chain[i + 1]) for i, symbols in enumerate(pair)]
            state, states = chain[-1], states + len(chain)
        finals[state] = None
    columns = np.array(arcs, np.int64).reshape(-1, 4).T
    return sparse_transducer(
        *columns,
        starts=np.array(starts, int),
        finals=np.array(list(finals), int),
        final_weights=weights,
        states=states,
    )


def _symbols(name: str, string: npt.ArrayLike) -> list[int]:
    symbols = as_integers(name, string)
    wrong = np.flatnonzero(symbols <= EPSILON)
    if wrong.size:
        raise UsageError(
            f"{name} has symbol {symbols[wrong[0]]}; symbols of strings are numbered from 1"
        )
    return symbols.tolist()


def _aligned(first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
    longest = max(len(first), len(second))
    rows = ([*row, *[EPSILON] * (longest - len(row))] for row in (first, second))
    return list(zip(*rows, strict=True))


def paths(semiring: Semiring, machine: SparseTransducer, *, limit: int = 10_000) -> list[Path]:
    """List the accepting paths of a machine without cycles, in the order of its starts and arcs.

    The paths of ``shortest_path`` are listed from the best.

    Args:
        semiring: the semiring of the values.
        machine: values.
        limit: the largest number of paths.

    Raises:
        UsageError: if the machine has a cycle, or more paths than the limit.
    """
    t = machine.topology
    partition = components(t.sources, t.targets, t.states)
    if partition.is_cyclic.any():
        raise UsageError(
            f"the machine has {describe_cycle(t, partition)}, so it may have any number of paths; "
            "list those of shortest_path(...)"
        )
    order, offsets = (x.tolist() for x in t.leaving)
    targets = t.targets.tolist()
    final_of = {state: place for place, state in enumerate(t.finals.tolist())}
    chains: list[tuple[int, tuple[int, ...], int]] = []
    for start, begin in enumerate(t.starts.tolist()):
        waiting: list[tuple[int, tuple[int, ...]]] = [(begin, ())]
        while waiting:
            state, arcs = waiting.pop()
            if state in final_of:
                if len(chains) == limit:
                    raise UsageError(f"the machine has more than {limit} paths; raise the limit")
                chains.append((start, arcs, final_of[state]))
            leaving = order[offsets[state] : offsets[state + 1]]
            waiting.extend((targets[arc], (*arcs, arc)) for arc in reversed(leaving))
    weights = _products(semiring, machine, chains)
    inputs, outputs = t.inputs.tolist(), t.outputs.tolist()
    return [
        Path(
            tuple(inputs[arc] for arc in arcs if inputs[arc] != EPSILON),
            tuple(outputs[arc] for arc in arcs if outputs[arc] != EPSILON),
            arcs,
            jax.tree.map(lambda x, i=place: x[i], weights),
        )
        for place, (_, arcs, _) in enumerate(chains)
    ]


def _products(
    s: Semiring, machine: SparseTransducer, chains: Sequence[tuple[int, tuple[int, ...], int]]
) -> Value:
    """Multiply the weights of paths, arc by arc, all paths at once."""
    weights = take(machine.start_weights, np.array([start for start, *_ in chains], int))
    nothing = machine.topology.arcs
    factors = concatenate([machine.weights, ones(s, 1, machine.weights)])
    longest = max((len(arcs) for _, arcs, _ in chains), default=0)
    table = np.full((len(chains), longest), nothing)
    for row, (_, arcs, _) in zip(table, chains, strict=True):
        row[: len(arcs)] = arcs
    for column in table.T:
        weights = product(s, (weights, None), (factors, column))
    finals = np.array([final for *_, final in chains], int)
    return product(s, (weights, None), (machine.final_weights, finals))
