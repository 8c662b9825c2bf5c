"""Composition of transducers, compared with sums over pairs of paths and with OpenFst."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures.automata.machine import (
    Transducer,
    accept,
    as_transducer,
    compose,
    inputs_of,
    lift,
    log_weights,
    outputs_of,
    shortest_distance,
    transducer,
)
from semirings import Log, Real, Semiring
from tests.semirings.strings import Strings
from tests.structures.automata import (
    LENGTHS,
    PADDED,
    STRINGS,
    Case,
    acyclic,
    log,
    relation,
    run,
    small,
)

CLOSE = {"rtol": 2e-5, "atol": 1e-6}


@cache
def composed(semiring: Semiring) -> tuple[Case, Case, Any]:
    first, second = acyclic(11, 2, states=3), acyclic(12, 2, states=3)
    machine = run(compose, semiring, lift(semiring, first.machine), lift(semiring, second.machine))
    return first, second, machine


def joined(first: Any, second: Any) -> dict[Any, float]:
    """Compute the weight of each pair: the sum over the intermediate strings."""
    weight_of: dict[Any, float] = {}
    for ((x, y), p), ((z, written), q) in itertools.product(first.items(), second.items()):
        if y == z and p * q > 0:
            weight_of[x, written] = weight_of.get((x, written), 0.0) + p * q
    return weight_of


@pytest.mark.parametrize("semiring", [Log(), Real()], ids=lambda s: s.name)
def test_composition_sums_over_the_strings_in_the_middle(semiring: Semiring):
    first, second, machine = composed(semiring)
    weights = (np.exp(np.asarray(x, np.float64)) for x in run(log_weights, semiring, machine))
    weight_of = {pair: w for pair, w in relation(*weights, 4).items() if w > 0}
    expected = joined(first.relation, second.relation)
    assert len(expected) > 30
    assert set(weight_of) == set(expected)
    for pair, weight in expected.items():
        assert weight_of[pair] == pytest.approx(weight, rel=1e-4), pair


def test_composition_counts_each_pair_of_paths_once():
    """Three output epsilons meet three input epsilons: without a filter interleavings count."""
    arcs = np.zeros((2, 2, 4, 4))
    writing_nothing, reading_nothing = arcs.copy(), arcs.copy()
    for s in range(3):
        writing_nothing[1, 0, s, s + 1] = reading_nothing[0, 1, s, s + 1] = 1
    start, end = np.eye(4)[0], np.eye(4)[3]
    machines = [
        transducer(log(start), log(x), log(end)) for x in (writing_nothing, reading_nothing)
    ]
    composed = run(compose, Log(), *machines)
    weight_of = relation(*(np.exp(np.asarray(x, np.float64)) for x in composed), 6)
    assert dict(weight_of) == {((1, 1, 1), (1, 1, 1)): pytest.approx(1)}


def test_composition_with_an_acceptor_restricts():
    acceptor, machine = acyclic(6), acyclic(11, 2, 3)
    restricted = run(compose, Log(), run(as_transducer, Log(), acceptor.machine), machine.machine)
    expected = joined({(x, x): w for (x,), w in acceptor.relation.items()}, machine.relation)
    total = run(shortest_distance, Log(), run(inputs_of, Log(), restricted))
    assert total == pytest.approx(np.log(sum(expected.values())), rel=1e-5)
    for tape, project in enumerate((inputs_of, outputs_of)):
        total_of_strings = run(accept, Log(), run(project, Log(), restricted), PADDED, LENGTHS)
        sums = [sum(w for pair, w in expected.items() if pair[tape] == x) for x in STRINGS]
        np.testing.assert_allclose(
            np.exp(total_of_strings.value + total_of_strings.log_scale), sums, **CLOSE
        )


def test_composition_of_batches():
    first, second, machine = composed(Log())
    batched = [
        Transducer(*(jnp.stack([x, x - 1]) for x in case.machine)) for case in (first, second)
    ]
    composed_batch = run(compose, Log(), *batched)
    for x, y in zip(composed_batch, machine, strict=True):
        assert x.shape == (2, *y.shape)
        np.testing.assert_allclose(x[0], y, rtol=1e-6)


def test_composition_needs_a_commutative_semiring():
    first, second, _ = composed(Log())
    semiring = Strings()
    with pytest.raises(TypeError, match="strings is not commutative"):
        compose(
            semiring,
            lift(semiring, first.machine),
            lift(semiring, second.machine),
        )


def test_composition_needs_letters_in_common():
    first, second = acyclic(11, 2).machine, acyclic(11, 2, symbols=2).machine
    with pytest.raises(UsageError, match=r"first.arcs has shape .*second.arcs has shape"):
        compose(Log(), first, second)


def test_openfst_agrees_about_compositions():
    pynini = pytest.importorskip(
        "pynini", reason="OpenFst comes with the optional package pynini (extra `openfst`)"
    )

    def fst(machine: Transducer) -> Any:
        fst = pynini.Fst(arc_type="log64")
        initial, arcs, final = (np.asarray(x, np.float64) for x in machine)
        start = fst.add_state()
        fst.set_start(start)
        states = [fst.add_state() for _ in initial]
        for s, state in enumerate(states):
            fst.set_final(state, pynini.Weight("log64", -final[s]))
            if initial[s] > -np.inf:
                fst.add_arc(start, pynini.Arc(0, 0, pynini.Weight("log64", -initial[s]), state))
        for a, b, s, t in np.argwhere(arcs > -np.inf):
            weight = pynini.Weight("log64", -arcs[a, b, s, t])
            fst.add_arc(states[s], pynini.Arc(int(a), int(b), weight, states[t]))
        return fst

    # Arcs in all directions: loops, including loops of epsilons.
    machines = [
        transducer(log(small(seed, 3)), log(small(seed, 3, 3, 3, 3)), log(small(seed + 1, 3)))
        for seed in (21, 23)
    ]
    first, second = map(fst, machines)
    composed = pynini.compose(first.arcsort("olabel"), second.arcsort("ilabel"))
    distance = pynini.shortestdistance(composed, reverse=True, delta=1e-12)
    total = run(shortest_distance, Log(), run(inputs_of, Log(), run(compose, Log(), *machines)))
    assert total == pytest.approx(-float(distance[composed.start()]), rel=1e-5)
