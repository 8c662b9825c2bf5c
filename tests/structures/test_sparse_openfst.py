"""Sparse automata against OpenFst, on random machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from semipunct.structures.sparse_automata import (
    SparseTransducer,
    compose,
    connect,
    determinise,
    minimise,
    paths,
    push,
    remove_epsilon,
    shortest_distance,
    shortest_path,
    sparse_transducer,
    total_weight,
)
from semirings import Log, Viterbi
from tests.structures.openfst import arcs_of, as_openfst, distances, random_machine, total

pynini: Any = pytest.importorskip(
    "pynini", reason="OpenFst comes with the optional package pynini (extra `openfst`)"
)
CLOSE: Any = {"rtol": 2e-4, "atol": 2e-4}
MACHINES = 300


def weights_of(machine: SparseTransducer) -> tuple[Any, ...]:
    return machine.weights, machine.start_weights, machine.final_weights


def best(fst: Any, count: int, *, unique: bool) -> list[float]:
    """Return the log weights of the best paths."""
    found = pynini.shortestpath(fst, nshortest=count, unique=unique)
    return sorted((-float(w) for w in found.paths().weights()), reverse=True)


def openfst_agrees(seed: int) -> None:
    is_cyclic = bool(seed % 2)
    first, second, acceptor = (
        sparse_transducer(**random_machine(seed + shift, is_cyclic=is_cyclic, is_acceptor=plain))
        for shift, plain in ((0, False), (1000, False), (2000, True))
    )
    fst, other = as_openfst(first), as_openfst(second)

    for reverse in (False, True):
        expected = distances(fst, reverse=reverse)
        expected += [-np.inf] * (first.states - len(expected))
        ours = shortest_distance(Log(), first, reverse=reverse)
        np.testing.assert_allclose(ours, expected, **CLOSE)

    composed = compose(Log(), first, second)
    theirs = pynini.compose(fst.copy().arcsort("olabel"), other.copy().arcsort("ilabel"))
    np.testing.assert_allclose(total_weight(Log(), composed), total(theirs), **CLOSE)

    removed = remove_epsilon(Log(), first)
    theirs = fst.copy().rmepsilon(delta=1e-12)
    assert not np.any((removed.inputs == 0) & (removed.outputs == 0))
    assert (removed.states, removed.topology.arcs) == (theirs.num_states(), len(arcs_of(theirs)))
    np.testing.assert_allclose(total_weight(Log(), removed), total(theirs), **CLOSE)

    for to_final in (False, True):
        pushed = push(Log(), first, to_final=to_final)
        theirs = pynini.push(
            fst.copy().connect(), push_weights=True, reweight_type="to_final" if to_final
            else "to_initial", delta=1e-12, remove_total_weight=True,
        )  # fmt: skip
        # Where arcs lead to the start, OpenFst adds a state before it.
        expected = [w for s, *_, w in arcs_of(theirs) if s < pushed.states]
        by_source = np.argsort(pushed.sources, kind="stable")
        np.testing.assert_allclose(np.asarray(pushed.weights)[by_source], expected, **CLOSE)

    # With cycles, sets of states without weights are finite, those with weights need not be.
    semiring, plain = Log(), acceptor
    if is_cyclic:
        semiring = Viterbi()
        plain = acceptor.with_weights(*(0 * np.asarray(x) for x in weights_of(acceptor)))
    small = determinise(semiring, remove_epsilon(semiring, plain))
    theirs = as_openfst(plain, "standard" if is_cyclic else "log64")
    theirs = pynini.determinize(theirs.rmepsilon())
    assert (small.states, small.topology.arcs) == (theirs.num_states(), len(arcs_of(theirs)))
    least = minimise(semiring, small)
    theirs = theirs.minimize()
    assert (least.states, least.topology.arcs) == (theirs.num_states(), len(arcs_of(theirs)))
    np.testing.assert_allclose(total_weight(semiring, least), total(theirs), **CLOSE)

    costs = as_openfst(first, "standard")
    silent = as_openfst(acceptor, "standard").rmepsilon()
    for count in (1, 4):
        ours = [float(p.weight) for p in paths(Viterbi(), shortest_path(Viterbi(), first, count))]
        np.testing.assert_allclose(ours, best(costs, count, unique=False), **CLOSE)
        found = shortest_path(Viterbi(), acceptor, count, unique=True)
        listed = paths(Viterbi(), found)
        assert len({p.inputs for p in listed}) == len(listed)
        weights = [float(p.weight) for p in listed]
        np.testing.assert_allclose(weights, best(silent, count, unique=True), **CLOSE)
    assert connect(Log(), composed) is composed


@pytest.mark.exhaustive
def test_openfst_agrees_about_a_few_machines():
    for seed in range(2):
        openfst_agrees(seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("start", range(0, MACHINES, 50))
def test_openfst_agrees(start: int):
    for seed in range(start, start + 50):
        openfst_agrees(seed)
