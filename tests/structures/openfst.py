"""Machines in OpenFst, by its Python interface pynini."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from semipunct.structures.sparse_automata import SparseTransducer


def random_machine(
    seed: int, *, states: int = 6, arcs: int = 14, symbols: int = 3, is_cyclic: bool,
    is_acceptor: bool = False, silent: float = 0.3,
) -> dict[str, Any]:  # fmt: skip
    """Return the arguments of ``sparse_transducer``; loops converge."""
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, states, (2, arcs))
    if not is_cyclic:
        ends = np.sort(ends, 0)
        ends = ends[:, ends[0] < ends[1]]
    count = ends.shape[1]
    labels = np.where(
        generator.random((2, count)) < silent, 0, generator.integers(1, symbols, (2, count))
    )
    if is_acceptor:
        labels[1] = labels[0]
    finals = np.unique(np.append(generator.integers(0, states, 2), states - 1))
    return {
        "sources": ends[0],
        "inputs": labels[0],
        "outputs": labels[1],
        "targets": ends[1],
        "weights": -generator.uniform(2, 4, count).round(1),
        "finals": finals,
        "final_weights": -generator.uniform(0, 2, len(finals)).round(1),
        "states": states,
    }


def as_openfst(machine: SparseTransducer, arc_type: str = "log64") -> Any:
    """Return a machine of OpenFst; log weights become costs, and starts a state before them."""
    pynini = import_module("pynini")

    def weight(log_weight: float) -> Any:
        return pynini.Weight("tropical" if arc_type == "standard" else arc_type, -float(log_weight))

    fst = pynini.Fst(arc_type=arc_type)
    states = [fst.add_state() for _ in range(machine.states)]
    if list(machine.starts) == [0] and float(machine.start_weights[0]) == 0:
        fst.set_start(states[0])
    elif len(machine.starts):
        start = fst.add_state()
        fst.set_start(start)
        for state, w in zip(machine.starts, machine.start_weights, strict=True):
            fst.add_arc(start, pynini.Arc(0, 0, weight(w), states[state]))
    for state, w in zip(machine.finals, machine.final_weights, strict=True):
        fst.set_final(states[state], weight(w))
    columns = machine.sources, machine.inputs, machine.outputs, machine.weights, machine.targets
    for source, read, written, w, target in zip(*columns, strict=True):
        arc = pynini.Arc(int(read), int(written), weight(w), states[target])
        fst.add_arc(states[source], arc)
    return fst


def distances(fst: Any, *, reverse: bool = False) -> list[float]:
    """Return log weights of the sums over paths, up to a millionth of a millionth."""
    pynini = import_module("pynini")

    return [-float(x) for x in pynini.shortestdistance(fst, reverse=reverse, delta=1e-12)]


def total(fst: Any) -> float:
    """Return the log weight of the sum over all accepting paths."""
    if fst.start() < 0:
        return -np.inf
    return distances(fst, reverse=True)[fst.start()]


def arcs_of(fst: Any) -> list[tuple[Any, ...]]:
    """Return source, labels, target and log weight of all arcs."""
    return [
        (state, arc.ilabel, arc.olabel, arc.nextstate, -float(arc.weight))
        for state in fst.states()
        for arc in fst.arcs(state)
    ]
