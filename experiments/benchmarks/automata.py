"""Time and memory of operations on sparse automata, with OpenFst in the same run.

    python experiments/benchmarks/automata.py [--arcs 1000 10000] [--rounds 5] [--output PATH]

Machines are random, with about as many arcs as stated: a lattice without cycles (4 arcs from each
state, 100 symbols, an epsilon in ten), a graph with cycles, and a list of words, each a path of its
own, which is determinised and minimised. The lattice is composed with a transducer of 20 states and
20 symbols. OpenFst (the package pynini, extra ``openfst``) works on the same machines in the same
round, and fails to agree if totals differ by more than a thousandth. Times are medians of CPU time;
compilation is in the first call, which is reported separately. Memory is the peak of
what Python and NumPy allocate in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import jax
import numpy as np
from figures import machine, report

from semipunct.structures.sparse_automata import (
    SparseTransducer,
    compose,
    determinise,
    minimise,
    push,
    remove_epsilon,
    shortest_distance,
    shortest_path,
    sparse_transducer,
    total_weight,
)
from semirings import Log, Viterbi

SYMBOLS = 100
SMALL = 20
"""States and symbols of the transducer that the lattice is composed with."""

Pairs = dict[str, tuple[Callable[[], Any], Callable[[], Any]]]


def lattice(arcs: int, seed: int = 0, *, is_cyclic: bool = False) -> SparseTransducer:
    """Return a random automaton whose arcs lead a few states ahead, or also back.

    Args:
        arcs: their number.
        seed: the same seed gives the same automaton.
        is_cyclic: whether arcs lead back, too.
    """
    rng = np.random.default_rng(seed)
    states = arcs // 4 + 1
    sources = np.sort(rng.integers(0, states - 1, arcs))
    sources[: states - 1] = np.arange(states - 1)  # every state leads on
    steps = np.where(np.arange(arcs) < states - 1, 1, rng.integers(1, 9, arcs))
    if is_cyclic:
        steps = np.where(rng.random(arcs) < 0.1, -steps, steps)
    targets = np.clip(sources + steps, 0, states - 1)
    labels = np.where(rng.random(arcs) < 0.1, 0, rng.integers(1, SYMBOLS, arcs))
    weights = -rng.uniform(2, 4, arcs)
    return sparse_transducer(sources, labels, None, targets, weights, finals=[states - 1])


def transducer(seed: int = 1) -> SparseTransducer:
    """Return a transducer with an arc from each of its states for each symbol.

    Args:
        seed: the same seed gives the same transducer.
    """
    rng = np.random.default_rng(seed)
    sources = np.repeat(np.arange(SMALL), SYMBOLS)
    reads = np.tile(np.arange(SYMBOLS), SMALL)
    writes = rng.integers(0, SMALL, len(reads))
    targets = rng.integers(0, SMALL, len(reads))
    # An epsilon that is read leads ahead, so that the composition has no cycles of epsilons.
    targets = np.where(reads == 0, np.minimum(sources + 1, SMALL - 1), targets)
    kept = (reads != 0) | (sources < SMALL - 1)
    sources, reads, writes, targets = (x[kept] for x in (sources, reads, writes, targets))
    weights = -rng.uniform(2, 4, len(sources))
    return sparse_transducer(sources, reads, writes, targets, weights, finals=np.arange(SMALL))


def words(arcs: int, seed: int = 2) -> SparseTransducer:
    """Return words of eight letters, each on a path of its own.

    Args:
        arcs: their number.
        seed: the same seed gives the same words.
    """
    rng = np.random.default_rng(seed)
    count = arcs // 8
    # Letters become less frequent, so that words have common beginnings and ends.
    letters = 1 + np.minimum(rng.geometric(0.3, (count, 8)), 26)
    sources = 9 * np.arange(count)[:, None] + np.arange(8)
    sources = np.where(np.arange(8) == 0, 0, sources)
    return sparse_transducer(
        sources.ravel(), letters.ravel(), None,
        (9 * np.arange(count)[:, None] + np.arange(1, 9)).ravel(),
        finals=9 * np.arange(count) + 8, final_weights=-np.ones(count),
    )  # fmt: skip


def openfst(machine: SparseTransducer, arc_type: str = "log") -> Any:
    """Return a machine of OpenFst.

    Args:
        machine: log weights, with the start 0 of weight one.
        arc_type: the name of its kind of arcs.
    """
    pynini = import_module("pynini")
    kind = "tropical" if arc_type == "standard" else arc_type
    fst = pynini.Fst(arc_type=arc_type)
    fst.add_states(machine.states)
    fst.set_start(0)
    for state, weight in zip(machine.finals, np.asarray(machine.final_weights), strict=True):
        fst.set_final(int(state), pynini.Weight(kind, -float(weight)))
    columns = machine.sources, machine.inputs, machine.outputs, machine.weights, machine.targets
    for s, a, b, w, t in zip(*(np.asarray(x).tolist() for x in columns), strict=True):
        fst.add_arc(s, pynini.Arc(a, b, pynini.Weight(kind, -w), t))
    return fst


def questions(arcs: int) -> Pairs:
    """Return operations here and in OpenFst.

    Args:
        arcs: the number of arcs of machines.
    """
    pynini = import_module("pynini")
    flat, cyclic, small = lattice(arcs), lattice(arcs, is_cyclic=True), transducer()
    listed = words(arcs)
    tree = determinise(Log(), listed, limit=10**7)
    theirs, other, costs = openfst(flat), openfst(small), openfst(flat, "standard")
    around = openfst(cyclic, "standard")
    lists = openfst(listed)
    trees = pynini.determinize(lists)
    other.arcsort("ilabel")
    return {
        "compose": (
            lambda: compose(Log(), flat, small),
            lambda: pynini.compose(theirs, other),
        ),
        "remove epsilon": (
            lambda: remove_epsilon(Log(), flat),
            lambda: theirs.copy().rmepsilon(),
        ),
        "determinise": (
            lambda: determinise(Log(), listed, limit=10**7),
            lambda: pynini.determinize(lists),
        ),
        "minimise": (
            lambda: minimise(Log(), tree),
            lambda: trees.copy().minimize(),
        ),
        "push": (
            lambda: push(Log(), flat),
            lambda: pynini.push(theirs, push_weights=True, reweight_type="to_initial"),
        ),
        "shortest distance, no cycles": (
            lambda: shortest_distance(Log(), flat),
            lambda: pynini.shortestdistance(theirs),
        ),
        "shortest distance, cycles, best": (
            lambda: shortest_distance(Viterbi(), cyclic),
            lambda: pynini.shortestdistance(around),
        ),
        "ten best paths": (
            lambda: shortest_path(Viterbi(), flat, 10),
            lambda: pynini.shortestpath(costs, nshortest=10),
        ),
    }


def check(arcs: int) -> None:
    """Fail unless the compositions have the same total and the words the same minimal machine.

    Args:
        arcs: the number of arcs of machines.
    """
    pynini = import_module("pynini")
    pairs = questions(arcs)
    ours, theirs = (ask() for ask in pairs["compose"])
    distance = -float(pynini.shortestdistance(theirs, reverse=True)[theirs.start()])
    np.testing.assert_allclose(total_weight(Log(), ours), distance, rtol=1e-3)
    ours, theirs = (ask() for ask in pairs["minimise"])
    if ours.states != theirs.num_states():
        raise SystemExit(f"{ours.states} states, {theirs.num_states()} in OpenFst")


def timed(pairs: Pairs, rounds: int) -> dict[str, dict[str, float]]:
    """Return milliseconds and ratios.

    Args:
        pairs: operations here and in OpenFst.
        rounds: in which all take turns.
    """
    first = {}
    for name, (ask, _) in pairs.items():
        began = time.process_time()
        ask()
        first[name] = time.process_time() - began
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in pairs}
    for _ in range(rounds):
        for name, both in pairs.items():
            for ask, into in zip(both, times[name], strict=True):
                began = time.process_time()
                ask()
                into.append(1000 * (time.process_time() - began))
    found: dict[str, dict[str, float]] = {}
    for name, both in times.items():
        ours, theirs = (statistics.median(x) for x in both)
        found[name] = {
            "milliseconds": round(ours, 2),
            "OpenFst": round(theirs, 2),
            "ratio": round(ours / theirs, 1),
            "first call": round(1000 * first[name]),
        }
    return found


def needed(arcs: int) -> None:
    """Print the MiB that a composition needs, with those before it, and the sizes of all machines.

    Args:
        arcs: the number of arcs of the first machine.
    """
    compose(Log(), lattice(100), transducer())
    first, second = lattice(arcs), transducer()
    tracemalloc.start()
    composed = compose(Log(), first, second)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    sizes = (first.topology.arcs, second.topology.arcs, composed.topology.arcs)
    print(json.dumps({"MiB": round(peak), "arcs": sizes, "states": composed.states}))


def main() -> None:
    """Check that OpenFst agrees, time, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arcs", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--memory", type=int, nargs="*", default=[1000, 10000, 100000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--needed", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.needed:
        needed(options.needed)
        return
    figures: dict[str, Any] = {"operations": {}, "memory of a composition": []}
    for arcs in options.arcs:
        check(arcs)
        figures["operations"][f"{arcs} arcs"] = timed(questions(arcs), options.rounds)
    for arcs in options.memory:
        done = subprocess.run(
            [sys.executable, __file__, "--needed", str(arcs)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        figures["memory of a composition"].append(json.loads(done.stdout))
    report(figures | {"jax": jax.__version__} | machine(), options.output)


if __name__ == "__main__":
    main()
