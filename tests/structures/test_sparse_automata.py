"""Sparse automata: cases written out, and relations by enumeration."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import Distribution
from semipunct.structures.automata import PathParts
from semipunct.structures.sparse_automata import (
    SparseTransducer,
    accepting_paths,
    closure,
    compose,
    concatenate,
    connect,
    determinise,
    from_dense,
    from_strings,
    inputs_of,
    invert,
    lift,
    log_weights,
    minimise,
    outputs_of,
    paths,
    push,
    remove_epsilon,
    reverse,
    shortest_distance,
    shortest_path,
    sparse_transducer,
    to_dense,
    total_weight,
    union,
)
from semirings import (
    Boolean,
    Counting,
    Derivation,
    Expectation,
    KBest,
    Log,
    Real,
    Semiring,
    Tropical,
    Viterbi,
)
from semirings.strings import Strings
from tests.selection import thorough
from tests.structures.openfst import random_machine
from tests.structures.relations import arguments_of, joined, relation, same

CLOSE: Any = {"rtol": 2e-4, "atol": 1e-5}
SEEDS = range(3)


def acyclic(seed: int, **options: Any) -> SparseTransducer:
    """A machine without cycles that has some paths, with several starts."""
    for shift in itertools.count():
        arguments = random_machine(
            seed + 100 * shift, states=5, arcs=12, is_cyclic=False, **options
        )
        machine = sparse_transducer(**arguments, starts=[1, 0], start_weights=[-1.0, -0.5])
        if len(relation(arguments_of(machine))) > 3:
            return machine
    raise AssertionError


def test_epsilons_of_both_machines_are_composed_once():
    # The first writes a, epsilon; the second reads epsilon, a, epsilon: one pair of paths.
    first = sparse_transducer([0, 1], [1, 2], [1, 0], [1, 2], [-1.0, -2.0], finals=[2])
    second = sparse_transducer([0, 1, 2], [0, 1, 0], [3, 4, 5], [1, 2, 3], [-4.0, -8, -16],
                               finals=[3])  # fmt: skip
    composed = compose(Log(), first, second)
    same(composed, {((1, 2), (3, 4, 5)): math.exp(-31)})
    assert len(paths(Log(), composed)) == 1
    assert (composed.states, composed.topology.arcs) == (4, 3)  # the last arcs move together
    assert float(total_weight(Log(), composed)) == -31


def test_a_determinised_and_minimised_machine_written_out():
    # Both arcs of 1 are joined; what is left of their weights is multiplied later.
    weights = jnp.log(jnp.array([1.0, 3, 4, 4, 1]))
    machine = sparse_transducer([0, 0, 1, 2, 2], [1, 1, 2, 2, 3], None, [1, 2, 3, 3, 3], weights,
                                finals=[3])  # fmt: skip
    small = determinise(Log(), machine)
    assert (small.states, small.topology.arcs) == (3, 3)
    assert np.exp(small.weights) == pytest.approx([4, 4 / 4 + 3 * 4 / 4, 3 / 4])
    same(small, {((1, 2), (1, 2)): 1 * 4 + 3 * 4, ((1, 3), (1, 3)): 3 * 1})
    # 1 2 and 3 2 have the same remainder, once weights are pushed.
    trie = from_strings([[1, 2], [3, 2], [3, 4]], weights=jnp.log(jnp.array([2.0, 6, 6])))
    least = minimise(Log(), trie)
    assert (trie.states, least.states) == (6, 4)
    same(least, relation(arguments_of(trie)))
    pushed = push(Log(), trie)
    assert np.exp(pushed.start_weights) == pytest.approx([14])
    assert np.exp(pushed.weights) == pytest.approx([1 / 7, 1, 6 / 7, 0.5, 0.5], rel=1e-5)
    late = push(Log(), trie, to_final=True)
    assert np.exp(late.final_weights) == pytest.approx([2, 6, 6], rel=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_operations_keep_relations(seed: int):
    first, second = acyclic(seed), acyclic(seed + 50)
    one, other = (relation(arguments_of(m)) for m in (first, second))
    same(compose(Log(), first, second), joined(one, other))
    same(connect(Log(), first), one)
    removed = remove_epsilon(Log(), first)
    same(removed, one)
    assert not ((removed.inputs == 0) & (removed.outputs == 0)).any()
    for machine in (push(Log(), first), push(Log(), first, to_final=True)):
        same(machine, one)
    small = determinise(Log(), removed)
    labels = list(zip(small.sources, small.inputs, small.outputs, strict=True))
    assert len({*labels}) == len(labels)
    assert len(small.starts) == 1
    same(small, one)
    same(minimise(Log(), small), one)
    same(union(first, second), {k: one.get(k, 0) + other.get(k, 0) for k in one | other})
    chained: dict[Any, float] = {}
    for ((x, y), weight), ((z, w), more) in itertools.product(one.items(), other.items()):
        chained[x + z, y + w] = chained.get((x + z, y + w), 0) + weight * more
    same(concatenate(Log(), first, second), chained, 9)
    same(reverse(Log(), first), {(x[::-1], y[::-1]): w for (x, y), w in one.items()})
    same(invert(first), {(y, x): w for (x, y), w in one.items()})
    for projected, side in ((inputs_of(first), 0), (outputs_of(first), 1)):
        sums: dict[Any, float] = {}
        for pair, weight in one.items():
            sums[pair[side], pair[side]] = sums.get((pair[side],) * 2, 0) + weight
        same(projected, sums)


def test_closures_repeat():
    machine = from_strings([[1], [2, 1]], weights=[-1.0, -2.0])
    for plus in (False, True):
        weights = relation(arguments_of(closure(Log(), machine, plus=plus)), 12)
        assert weights[(1, 2, 1), (1, 2, 1)] == pytest.approx(math.exp(-3))
        assert weights[(1, 1, 1), (1, 1, 1)] == pytest.approx(math.exp(-3))
        assert (((), ()) in weights) is not plus
    assert math.isclose(
        float(total_weight(Log(), closure(Log(), machine))),
        -math.log(1 - math.exp(-1) - math.exp(-2)),
        rel_tol=1e-5,
    )


@pytest.mark.parametrize(
    "semiring",
    [Log(), Viterbi(), *map(thorough, (Real(), Tropical(), Boolean(), Counting(), Expectation()))],
    ids=lambda s: s.name,
)
def test_totals_in_every_semiring(semiring: Semiring):
    machine = acyclic(3)
    feature = machine.with_weights(jnp.ones(machine.topology.arcs), jnp.zeros(2),
                                   jnp.zeros(len(machine.finals)))  # fmt: skip
    value = lift(semiring, machine, feature)
    listed = paths(Log(), machine)
    logs = np.array([float(p.weight) for p in listed])
    best = logs.max()
    sums = {"viterbi": best, "tropical": best, "boolean": 0.0, "counting": np.log(len(logs))}
    expected = sums.get(semiring.name, np.logaddexp.reduce(logs))
    total = total_weight(semiring, value)
    assert float(semiring.log_weight(total)) == pytest.approx(expected, rel=1e-5)
    if isinstance(semiring, Expectation):
        mean = np.exp(logs - expected) @ [len(p.arcs) for p in listed]
        assert float(semiring.expected_value(total)) == pytest.approx(mean, rel=1e-5)
    if semiring.laws.division:
        same_total = total_weight(semiring, minimise(semiring, determinise(semiring, value)))
        assert float(semiring.log_weight(same_total)) == pytest.approx(expected, rel=1e-4)
        whole = push(semiring, value).start_weights
        assert float(semiring.log_weight(semiring.sum(whole, 0))) == pytest.approx(expected, 1e-4)
    back = log_weights(Log(), remove_epsilon(Log(), machine))
    assert isinstance(back, SparseTransducer)


def cyclic(seed: int, states: int = 7, arcs: int = 20) -> SparseTransducer:
    return sparse_transducer(**random_machine(seed, states=states, arcs=arcs, is_cyclic=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_with_cycles(seed: int):
    machine = cyclic(seed)
    step = np.zeros((7, 7))
    np.add.at(step, (machine.sources, machine.targets), np.exp(machine.weights))
    end = np.zeros(7)
    end[machine.finals] = np.exp(machine.final_weights)
    between = np.linalg.inv(np.eye(7) - step)
    for semiring in (Log(), Real()):
        value = lift(semiring, machine)
        there = semiring.log_weight(jnp.asarray(shortest_distance(semiring, value)))
        np.testing.assert_allclose(np.exp(there), between[0], **CLOSE)
        back = semiring.log_weight(jnp.asarray(shortest_distance(semiring, value, reverse=True)))
        np.testing.assert_allclose(np.exp(back), between @ end, **CLOSE)
    weight = np.full((7, 7), -np.inf)
    np.maximum.at(weight, (machine.sources, machine.targets), np.asarray(machine.weights))
    best = np.where(np.arange(7) == 0, 0.0, -np.inf)
    for _ in range(7):
        best = np.maximum(best, (best[:, None] + weight).max(0))
    np.testing.assert_allclose(shortest_distance(Viterbi(), machine), best, **CLOSE)


def test_large_components_are_relaxed():
    # A ring of 100 states, with a shortcut from 0 to 60.
    states = np.arange(100)
    machine = sparse_transducer(
        np.append(states, 0), np.ones(101, int), None, np.append((states + 1) % 100, 60),
        np.full(101, -1.0), finals=[59],
    )  # fmt: skip
    there = np.minimum(states, np.where(states >= 60, states - 59, 100))
    np.testing.assert_allclose(shortest_distance(Viterbi(), machine), -there)
    back = np.where(states <= 59, 59 - states, 100 - states + 59)
    np.testing.assert_allclose(shortest_distance(Viterbi(), machine, reverse=True), -back)
    improving = machine.with_weights(jnp.full(101, 1.0))
    assert (np.asarray(shortest_distance(Viterbi(), improving)) == np.inf).all()


def test_factors_stay_in_order():
    s = Strings(length=8, letters=6)
    # 0 -a-> 1 -b-> 2 -a-> 1 is a loop; 2 -c-> 3; the start writes d, the final e.
    plain = sparse_transducer([0, 1, 2, 2], [1, 1, 0, 1], None, [1, 2, 1, 3], finals=[3])
    letters = plain.with_weights(jnp.array([0.0, 1, 0, 2]), jnp.array([3.0]), jnp.array([4.0]))
    machine = lift(s, plain, letters)
    assert s.read(total_weight(s, machine)) == (3, 0, 1, 2, 4)
    back = s.read(shortest_distance(s, machine, reverse=True))
    assert back[0] == (0, 1, 2, 4)
    assert s.read(total_weight(s, remove_epsilon(s, machine))) == (3, 0, 1, 2, 4)
    (first, second) = paths(s, shortest_path(s, machine, 2))
    assert [s.read(p.weight) for p in (first, second)] == [(3, 0, 1, 2, 4), (3, 0, 1, 0, 1, 2, 4)]
    for operation in (reverse, lambda s, m: compose(s, m, m), lambda s, m: push(s, m)):
        with pytest.raises(TypeError, match=r"strings (is not commutative|has no division)"):
            operation(s, machine)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_paths_and_strings(seed: int):
    machine = acyclic(seed, is_acceptor=True)
    listed = sorted((float(p.weight) for p in paths(Viterbi(), machine)), reverse=True)
    for count in (1, 3, 1000):
        found = shortest_path(Viterbi(), machine, count)
        weights = [float(p.weight) for p in paths(Viterbi(), found)]
        np.testing.assert_allclose(weights, listed[:count], **CLOSE)
        assert {p.inputs for p in paths(Viterbi(), found)} <= {
            p.inputs for p in paths(Viterbi(), machine)
        }
    best: dict[Any, float] = {}
    for path in paths(Viterbi(), machine):
        best[path.inputs] = max(best.get(path.inputs, -np.inf), float(path.weight))
    found = paths(Viterbi(), shortest_path(Viterbi(), machine, 1000, unique=True))
    assert {p.inputs: pytest.approx(float(p.weight), rel=1e-4) for p in found} == best
    assert [float(p.weight) for p in found] == sorted(best.values(), reverse=True) or np.allclose(
        [float(p.weight) for p in found], sorted(best.values(), reverse=True), **CLOSE
    )
    costs = lift(Tropical(), machine)
    (cheapest,) = paths(Tropical(), shortest_path(Tropical(), costs))
    assert float(cheapest.weight) == pytest.approx(-listed[0], rel=1e-5)
    assert len(paths(Boolean(), shortest_path(Boolean(), lift(Boolean(), machine), 2))) == 2


def test_best_paths_around_loops():
    # Around the loop any number of times, each with another weight.
    machine = sparse_transducer([0, 0], [1, 2], None, [0, 1], [-1.0, -0.5], finals=[1])
    found = paths(Viterbi(), shortest_path(Viterbi(), machine, 4))
    assert [p.inputs for p in found] == [(1,) * n + (2,) for n in range(4)]
    assert [float(p.weight) for p in found] == [-0.5, -1.5, -2.5, -3.5]
    ties = machine.with_weights(jnp.array([0.0, -0.5]))
    assert len(paths(Viterbi(), shortest_path(Viterbi(), ties, 5, unique=True))) == 5
    improving = machine.with_weights(jnp.array([0.5, 0.0]))
    with pytest.raises(UsageError, match="state 0 is infinite: a cycle has a weight of one or"):
        shortest_path(Viterbi(), improving)


def test_a_distribution_over_paths():
    machine = acyclic(2)
    listed = paths(Log(), machine)
    logs = np.array([float(p.weight) for p in listed])
    d = Distribution(accepting_paths(machine))
    best = d.read(jax.jit(lambda d: d.best())(d))[0]
    assert tuple(best[best >= 0].tolist()) == listed[int(logs.argmax())].arcs
    forms = np.full((len(listed), 1, 4), -1)
    for row, path in zip(forms, listed, strict=True):
        row[0, : len(path.arcs)] = path.arcs
    whole = [i for i, path in enumerate(listed) if path.arcs]
    np.testing.assert_allclose(d.score(forms[whole])[:, 0], logs[whole], rtol=1e-5)
    wrong = forms[whole[0]].copy()
    wrong[0, 0] = machine.topology.arcs
    with pytest.raises(UsageError, match=r"arcs \[0\] are no accepting path"):
        d.score(wrong)


def test_gradients_flow_through_operations():
    machine, other = acyclic(1), acyclic(4)

    def total(machine: SparseTransducer) -> jax.Array:
        composed = remove_epsilon(Log(), compose(Log(), machine, other))
        return total_weight(Log(), push(Log(), composed))

    slope = jax.jit(jax.grad(total))(machine)
    composed = compose(Log(), machine, other)
    assert float(total(machine)) == pytest.approx(float(total_weight(Log(), composed)), rel=1e-5)
    for place in range(3):
        step = np.zeros(machine.topology.arcs, np.float32)
        step[place] = 0.05
        ends = [float(total(machine.with_weights(machine.weights + x))) for x in (step, -step)]
        assert float(slope.weights[place]) == pytest.approx((ends[0] - ends[1]) / 0.1, abs=2e-3)
    with pytest.raises(UsageError, match="traced by JAX, but determinise compares them"):
        jax.jit(lambda m: determinise(Log(), m).weights)(machine)


def test_dense_machines_and_strings():
    machine = acyclic(5)
    dense = to_dense(Log(), machine)
    assert jax.tree.leaves(dense.arcs)[0].shape == (3, 3, 5, 5)
    same(from_dense(Log(), dense), relation(arguments_of(machine)))
    acceptor = from_strings([[1, 2], [], [1, 2], [1]], weights=[-1.0, -2.0, -3.0, -4.0])
    assert jax.tree.leaves(to_dense(Log(), acceptor).arcs)[0].ndim == 3
    same(from_dense(Log(), to_dense(Log(), acceptor)), relation(arguments_of(acceptor)))
    listed = {p.inputs: float(p.weight) for p in paths(Log(), acceptor)}
    assert sorted(float(p.weight) for p in paths(Log(), acceptor)) == [-4, -3, -2, -1]
    assert listed[()] == -2
    pairs = from_strings([[1, 2], []], [[3], [4]])
    assert {(p.inputs, p.outputs) for p in paths(Log(), pairs)} == {((1, 2), (3,)), ((), (4,))}
    with pytest.raises(UsageError, match="symbols is 2, but the labels of the machine need 3"):
        to_dense(Log(), acceptor, 2)


def test_machines_without_paths():
    nothing = sparse_transducer([], [], [], [], starts=[], finals=[])
    lost = sparse_transducer([0], [1], None, [1], finals=[0], starts=[1])
    for machine in (nothing, lost):
        for found in (
            connect(Log(), machine), compose(Log(), machine, machine), push(Log(), machine),
            remove_epsilon(Log(), machine), determinise(Log(), machine), minimise(Log(), machine),
            shortest_path(Viterbi(), machine, 3), shortest_path(Viterbi(), machine, unique=True),
        ):  # fmt: skip
            assert (found.states, found.topology.arcs) == (0, 0)
        assert float(total_weight(Log(), machine)) == -np.inf
        assert paths(Log(), machine) == []
        same(closure(Log(), machine), {((), ()): 1.0})
        with pytest.raises(UsageError, match="no path leads from a start of the machine"):
            accepting_paths(machine)
    with pytest.raises(UsageError, match="a machine without states has no dense form"):
        to_dense(Log(), nothing)


GOOD: dict[str, Any] = {
    "sources": [0, 1], "inputs": [1, 2], "outputs": None, "targets": [1, 2], "finals": [2],
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [
    ({"targets": [1, 7], "states": 3}, r"targets\[1\] is 7; there are states 0 to 2"),
    ({"sources": [-1, 0]}, r"sources\[0\] is -1; there are states 0 to 2"),
    ({"inputs": [1, 9], "symbols": 3}, r"inputs\[1\] is 9; there are symbols 0 to 2"),
    ({"outputs": [1, -2]}, r"outputs\[1\] is -2; there are symbols 0 to"),
    ({"weights": [0.0, np.nan]}, r"weights\[1\] is nan"),
    ({"weights": [np.inf, 0.0]}, r"weights\[0\] is inf"),
    ({"final_weights": [np.inf]}, r"final_weights\[0\] is inf"),
    ({"weights": [0.0]}, r"weights has shape \(1,\) and sources has shape \(2,\)"),
    ({"weights": [[0.0, 0.0]]}, r"weights has shape \(1, 2\); expected 1 axis"),
    ({"inputs": [1]}, r"inputs has shape \(1,\) and sources has shape \(2,\)"),
    ({"inputs": [1.0, 2.0]}, r"inputs must be integers, not float64"),
    ({"starts": [0, 0]}, r"starts has state 0 twice; give each once"),
    ({"states": -1}, r"there are -1 states; give a number"),
    ({"targets": [1, 2**31]}, r"there are 2147483649 states; give a number"),
    ({"states": 0}, r"sources\[0\] is 0; there are no states"),
])  # fmt: skip
def test_bad_machines_are_named(change: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        sparse_transducer(**(GOOD | change))


def test_bad_requests_are_named():
    loop = sparse_transducer([0, 1, 1], [1, 1, 0], None, [1, 0, 1], [-1.0, -1.0, -1], finals=[1])
    chain = sparse_transducer(**GOOD)
    two = sparse_transducer([0, 0], [1, 1], None, [1, 2], finals=[1, 2])
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: accepting_paths(loop), UsageError, r"a cycle of states \(0 to 1 to 0\)|1 to 1"),
        (lambda: paths(Log(), loop), UsageError, "a cycle of states"),
        (lambda: shortest_distance(KBest(2), lift(KBest(2), loop)), TypeError, "no star, but"),
        (lambda: remove_epsilon(KBest(2), lift(KBest(2), loop)), TypeError, "kbest has no star"),
        (lambda: push(Counting(), lift(Counting(), chain)), TypeError, "no division, which push"),
        (lambda: determinise(KBest(2), lift(KBest(2), chain)), TypeError, "division"),
        (lambda: shortest_path(Log(), chain), TypeError, "not selective"),
        (lambda: shortest_path(Viterbi(), chain, 0), UsageError, "count is 0; give 1 or more"),
        (lambda: shortest_path(Viterbi(), invert(sparse_transducer(
            [0], [1], [2], [1], finals=[1])), unique=True), UsageError, "distinct strings"),
        (lambda: minimise(Log(), two), UsageError, r"state 0 has two arcs that read 1"),
        (lambda: minimise(Log(), union(chain, chain)), UsageError, "2 starts; determinise it"),
        (lambda: push(Log(), loop.with_weights(jnp.zeros(3))), UsageError, "is infinite: a cycle"),
        (lambda: push(Log(), chain.with_weights(jnp.array([0, jnp.nan]))), UsageError, "is NaN"),
        (lambda: determinise(Log(), chain, delta=0.0), UsageError, "delta is 0.0; give a positive"),
        (lambda: chain.with_weights(jnp.zeros(3)), UsageError, r"shape \(3,\); the machine needs"),
        (lambda: connect(Expectation(), chain), UsageError, "no values of expectation; give lift"),
        (lambda: compose(Boolean(), chain, chain), UsageError, "no values of boolean"),
        (lambda: from_strings([[1, 0]]), UsageError, r"inputs\[0\] has symbol 0"),
        (lambda: from_strings([[1]], [[1], [2]]), UsageError, "1 inputs and 2 outputs"),
        (lambda: accepting_paths(chain, PathParts(*map(jnp.zeros, ((1, 1), (1, 3), (1, 1))))),
         UsageError, r"arcs has shape \(1, 3\); axis 1 must have size 2"),
        (lambda: jax.jit(lambda x: sparse_transducer(x, x, x, x, finals=[0]))(jnp.ones(1, int)),
         UsageError, "sources is traced by JAX; only weights may be"),
    ]  # fmt: skip
    for ask, kind, message in cases:
        with pytest.raises(kind, match=message):
            ask()


def test_memory_of_a_composition_is_linear_in_arcs():
    peaks: list[int] = []
    for arcs in (200, 800):
        first = sparse_transducer(np.arange(arcs), np.arange(arcs) % 7, None, np.arange(arcs) + 1,
                                  finals=[arcs])  # fmt: skip
        second = sparse_transducer(np.arange(49) % 7, np.arange(49) // 7, None, np.arange(49) % 5,
                                   finals=[4], states=7)  # fmt: skip
        tracemalloc.start()
        compose(Log(), first, second)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]


def test_without_twins_determinisation_stops_at_the_limit():
    # Two loops of the same label with other weights: no deterministic machine is equivalent.
    machine = sparse_transducer([0, 0, 1, 2], [1, 1, 1, 1], None, [1, 2, 1, 2],
                                [-1.0, -1.0, -1.0, -2.0], finals=[1, 2])  # fmt: skip
    with pytest.raises(UsageError, match="more than 20 states; it may lack the twins property"):
        determinise(Viterbi(), machine, limit=20)
    twins = machine.with_weights(jnp.full(4, -1.0))
    assert determinise(Viterbi(), twins, limit=20).states == 2


def test_a_derivation_semiring_needs_no_star_for_distances():
    machine = cyclic(1)
    found = shortest_distance(Derivation(), lift(Derivation(), machine))
    np.testing.assert_allclose(found.weight, shortest_distance(Viterbi(), machine), **CLOSE)
