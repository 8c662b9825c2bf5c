"""Automata compared with paths enumerated in plain numpy, inverses of matrices, and OpenFst."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures.automata.machine import (
    Automaton,
    accept,
    automaton,
    closure,
    compose,
    distances,
    lift,
    remove_epsilon,
    shortest_distance,
)
from semipunct.structures.automata.paths import StringPaths, string_paths
from semipunct.structures.distribution import Distribution
from semirings import Derivation, Expectation, Laws, Log, Real, Semiring, Viterbi
from semirings.boolean import Boolean
from semirings.kbest import KBest
from semirings.tropical import Tropical
from tests.semirings.strings import Strings
from tests.structures.automata import LENGTHS, PADDED, STRINGS, acyclic, log, relation, run, small

CLOSE = {"rtol": 2e-5, "atol": 1e-6}


class Square(NamedTuple):
    """A matrix of two rows."""

    a: jax.Array
    b: jax.Array
    c: jax.Array
    d: jax.Array


@dataclass(frozen=True)
class Matrices(Semiring):
    """Real matrices of two rows: multiplication is not commutative, the star is an inverse."""

    name: ClassVar[str] = "matrices"
    laws: ClassVar[Laws] = Laws(commutative=False, star=True)

    def zeros(self, shape: tuple[int, ...]) -> Square:
        return Square(*(jnp.zeros(shape) for _ in range(4)))

    def ones(self, shape: tuple[int, ...]) -> Square:
        return Square(jnp.ones(shape), jnp.zeros(shape), jnp.zeros(shape), jnp.ones(shape))

    def plus(self, a: Square, b: Square) -> Square:
        return Square(*(x + y for x, y in zip(a, b, strict=True)))

    def times(self, a: Square, b: Square) -> Square:
        return Square(
            a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,
            a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d,
        )  # fmt: skip

    def sum(self, a: Square, axis: int) -> Square:
        return Square(*(jnp.sum(x, axis) for x in a))

    def star(self, a: Square) -> Square:
        determinant = (1 - a.a) * (1 - a.d) - a.b * a.c
        return Square(*(x / determinant for x in (1 - a.d, a.b, a.c, 1 - a.a)))

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Square:
        w = jnp.exp(log_weight)
        return Square(w, w * 0, w * 0, w)

    def log_weight(self, a: Square) -> jax.Array:
        return jnp.log(a.a)


def test_star_of_reals_is_the_inverse_and_the_series():
    a = small(1, 3, 5, 5)
    inverse = np.linalg.inv(np.eye(5) - a)
    series = sum(np.linalg.matrix_power(a, n) for n in range(60))
    np.testing.assert_allclose(inverse, series, rtol=1e-9)
    np.testing.assert_allclose(run(closure, Real(), jnp.asarray(a, jnp.float32)), inverse, **CLOSE)
    np.testing.assert_allclose(np.exp(run(closure, Log(), log(a))), inverse, **CLOSE)


def test_star_keeps_the_order_of_factors():
    big = small(2, 8, 8)
    blocks = big.reshape(4, 2, 4, 2).transpose(1, 3, 0, 2).reshape(4, 4, 4)
    star = run(closure, Matrices(), Square(*map(jnp.asarray, blocks.astype(np.float32))))
    expected = np.linalg.inv(np.eye(8) - big)
    star = np.stack(star).reshape(2, 2, 4, 4).transpose(2, 0, 3, 1).reshape(8, 8)
    np.testing.assert_allclose(star, expected, **CLOSE)


def test_star_of_costs_is_floyd_and_warshall():
    generator = np.random.default_rng(3)
    cost = generator.uniform(0, 9, (6, 6)).astype(np.float32)
    cost[generator.random((6, 6)) < 0.7] = np.inf
    expected = cost.copy()
    np.fill_diagonal(expected, 0)
    for k, i, j in itertools.product(range(6), repeat=3):
        expected[i, j] = min(expected[i, j], expected[i, k] + expected[k, j])
    assert np.isinf(expected).any()
    assert (expected < cost).any()
    np.testing.assert_allclose(run(closure, Tropical(), jnp.asarray(cost)), expected, rtol=1e-6)
    np.testing.assert_allclose(run(closure, Viterbi(), jnp.asarray(-cost)), -expected, rtol=1e-6)


def test_star_of_truth_is_reachability():
    step = np.random.default_rng(4).random((7, 7)) < 0.15
    reached = np.eye(7, dtype=bool)
    for _ in range(7):
        reached = reached | (reached.astype(int) @ step > 0)
    assert 7 < reached.sum() < 49
    np.testing.assert_array_equal(run(closure, Boolean(), jnp.asarray(step)), reached)


def test_star_of_one_loop_written_out():
    """The exit weighs 1/2, the loop 1/4: the star is 4/3, and 1/3 rounds are made on average."""
    matrix = np.array([[0.25, 0.5], [0.0, 0.0]])
    star = run(closure, Real(), jnp.asarray(matrix, jnp.float32))
    np.testing.assert_allclose(star, [[4 / 3, 2 / 3], [0, 1]], rtol=1e-6)
    rounds = Expectation()
    value = run(closure, rounds, rounds.lift(log(matrix), jnp.array([[1.0, 0.0], [0.0, 0.0]])))
    assert rounds.expected_value(value)[0, 1] == pytest.approx(1 / 3, rel=1e-5)


def test_star_diverges_to_infinity_and_only_where_it_must():
    """A loop of weight one is on the way from the first to the second state, the third is apart."""
    matrix = jnp.where(jnp.array([[1, 1, 0], [0, 0, 0], [0, 0, 0]], bool), 0.0, -jnp.inf)
    star = run(closure, Log(), matrix)
    assert (star == jnp.inf).tolist() == [[True, True, False], [False] * 3, [False] * 3]
    assert not jnp.isnan(star).any()


def test_gradients_of_a_star_are_finite_at_zero():
    a = small(5, 4, 4, zero=0.5)
    slope = jax.grad(lambda x: jnp.exp(run(closure, Log(), x)[0, 3]))(log(a))
    inverse = np.linalg.inv(np.eye(4) - a)
    np.testing.assert_allclose(slope, a * np.outer(inverse[0], inverse[:, 3]), **CLOSE)


@pytest.mark.parametrize("semiring", [Derivation(), KBest(2)], ids=lambda s: s.name)
def test_without_a_star_loops_have_no_weight(semiring: Semiring):
    with pytest.raises(TypeError, match=f"{semiring.name} has no star"):
        run(shortest_distance, semiring, lift(semiring, acyclic().machine))


def test_accepts_strings_with_epsilons_between_their_letters():
    machine, weights = acyclic()
    expected = [weights[x,] for x in STRINGS]
    for semiring in (Log(), Real(), Expectation()):
        total = run(accept, semiring, lift(semiring, machine), PADDED, LENGTHS)
        weight = np.exp(semiring.log_weight(total.value) + total.log_scale)
        np.testing.assert_allclose(weight, expected, **CLOSE)
    assert any(w > 0 for w in expected)


def test_accepts_through_loops_of_epsilon():
    initial, final = np.array([1.0, 0.0, 0.5]), np.array([0.0, 1.0, 0.3])
    arcs = small(8, 3, 3, 3) * 2
    arcs[0, 0, 1] = arcs[0, 1, 0] = 0.2
    weights = relation(initial, arcs, final, 9)
    machine = automaton(log(initial), log(arcs), log(final))
    strings, lengths = jnp.array([[1, 2], [2, 2], [1, 0], [0, 0]]), jnp.array([2, 2, 1, 0])
    total = run(accept, Log(), machine, strings, lengths)
    expected = [weights[x,] for x in ((1, 2), (2, 2), (1,), ())]
    np.testing.assert_allclose(np.exp(total.value + total.log_scale), expected, rtol=3e-3)
    silent = np.linalg.inv(np.eye(3) - arcs[0])
    exact = [
        initial @ silent @ arcs[1] @ silent @ arcs[2] @ silent @ final,
        initial @ silent @ arcs[2] @ silent @ arcs[2] @ silent @ final,
        initial @ silent @ arcs[1] @ silent @ final,
        initial @ silent @ final,
    ]
    np.testing.assert_allclose(np.exp(total.value + total.log_scale), exact, **CLOSE)


def test_strings_may_be_constants_of_a_compiled_function():
    machine, weights = acyclic()
    strings, wrong, lengths = jnp.array([[1, 2]]), jnp.array([[1, 9]]), jnp.array([2])
    total = jax.jit(lambda m: accept(Log(), m, strings, lengths))(machine)
    assert np.exp(total.value[0] + total.log_scale[0]) == pytest.approx(weights[(1, 2),], rel=1e-5)
    with pytest.raises(UsageError, match=r"strings\[0, 1\] is 9"):
        jax.jit(lambda m: accept(Log(), m, wrong, lengths))(machine)


def test_accepts_with_an_automaton_for_each_string():
    machines = [acyclic(seed).machine for seed in (6, 7)]
    stacked = Automaton(*(jnp.stack(x) for x in zip(*machines, strict=True)))
    strings = jnp.array([[1, 2], [2, 1]])
    total = run(accept, Log(), stacked, strings)
    expected = [acyclic(6).relation[(1, 2),], acyclic(7).relation[(2, 1),]]
    np.testing.assert_allclose(np.exp(total.value + total.log_scale), expected, **CLOSE)


def test_factors_stay_in_order():
    """The single path has the letters initial a, epsilon b, symbol c, epsilon d, final e."""
    semiring = Strings(length=6, letters=5)
    arcs = np.full((2, 4, 4), -np.inf)
    arcs[0, 0, 1] = arcs[1, 1, 2] = arcs[0, 2, 3] = 0
    letters = np.zeros((2, 4, 4))
    letters[0, 0, 1], letters[1, 1, 2], letters[0, 2, 3] = 1, 2, 3
    ends = np.full((2, 4), -np.inf)
    ends[0, 0] = ends[1, 3] = 0
    weights = automaton(*map(jnp.asarray, (ends[0], arcs, ends[1])))
    feature = Automaton(*map(jnp.asarray, (np.zeros(4), letters, np.full(4, 4.0))))
    machine = lift(semiring, weights, feature)
    read = run(accept, semiring, machine, jnp.array([[1]])).value
    whole = run(shortest_distance, semiring, machine)
    for value in (jax.tree.map(lambda x: x[0], read), whole):
        assert (int(value.size), int(value.code)) == (5, int("01234", 5))


def test_removal_of_epsilons_keeps_every_string():
    machine, weights = acyclic()
    removed = run(remove_epsilon, Log(), machine)
    assert (removed.arcs[0] == -jnp.inf).all()
    weight_of = relation(*(np.exp(np.asarray(x, np.float64)) for x in removed), 4)
    assert set(weight_of) == set(weights)
    for string, weight in weights.items():
        assert weight_of[string] == pytest.approx(weight, rel=1e-4)
    assert run(shortest_distance, Log(), removed) == pytest.approx(
        np.log(sum(weights.values())), rel=1e-5
    )


def test_shortest_distances():
    machine, weights = acyclic()
    total = np.log(sum(weights.values()))
    assert run(shortest_distance, Log(), machine) == pytest.approx(total, rel=1e-5)
    step = np.exp(np.asarray(machine.arcs, np.float64)).sum(0)
    expected = np.linalg.inv(np.eye(4) - step)
    np.testing.assert_allclose(run(distances, Real(), lift(Real(), machine)), expected, **CLOSE)
    best = max(weights.values())
    assert run(shortest_distance, Viterbi(), machine) <= np.log(best) + 1e-6
    assert bool(run(shortest_distance, Boolean(), lift(Boolean(), machine)))


def test_expected_length_of_what_an_automaton_writes():
    """A letter has weight 1/3, the end 2/3: the mean length is half a letter."""
    machine = automaton(
        log(np.ones(1)), log(np.array([0, 1 / 3]).reshape(2, 1, 1)), log(np.ones(1))
    )
    semiring = Expectation()
    feature = Automaton(jnp.zeros(1), jnp.ones((2, 1, 1)), jnp.zeros(1))
    value = run(shortest_distance, semiring, lift(semiring, machine, feature))
    assert semiring.expected_value(value) == pytest.approx(0.5, rel=1e-5)


def test_uses_of_arcs_are_expected_counts():
    """Two states differ in their output; uses per arc are summed over positions."""
    generator = np.random.default_rng(9)
    arcs = generator.normal(0, 1, (3, 2, 2)).astype(np.float32)
    arcs[0] = -np.inf
    machine = automaton(jnp.zeros(2), jnp.asarray(arcs), jnp.zeros(2))
    strings, lengths = jnp.array([[1, 2, 1], [2, 9, 9]]), jnp.array([3, 1])
    paths = string_paths(machine, strings, lengths)

    @jax.jit
    def ask(paths: StringPaths) -> Any:
        d = Distribution(paths)
        slopes = jax.grad(
            lambda x: jnp.sum(Distribution(paths.with_log_weights(x)).log_partition())
        )(paths.log_weights)
        parts = d.marginals()
        sampled = paths.uses(d.sample_parts(jax.random.key(1), 5))
        written_out = paths.expand().uses(parts)
        return d.log_partition(), slopes, paths.uses(parts), written_out, sampled

    log_partition, slopes, uses, again, sampled = ask(paths)
    for use, expected in zip(uses, slopes, strict=True):
        np.testing.assert_allclose(jnp.sum(use, 0), expected[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(uses.arcs.sum((2, 3)), [[0, 2, 1], [0, 0, 1]], rtol=1e-5)
    np.testing.assert_array_equal(again.arcs, uses.arcs)
    np.testing.assert_array_equal(
        sampled.arcs.sum((3, 4)), np.broadcast_to([[0, 2, 1], [0, 0, 1]], (5, 2, 3))
    )
    total = run(accept, Log(), machine, strings, lengths)
    np.testing.assert_allclose(log_partition, total.value + total.log_scale, rtol=1e-6)


def test_paths_refuse_epsilons_until_they_are_removed():
    machine, weights = acyclic()
    with pytest.raises(UsageError, match=r"epsilon arcs.*remove_epsilon\(Log\(\), automaton\)"):
        string_paths(machine, PADDED, LENGTHS)
    paths = string_paths(run(remove_epsilon, Log(), machine), PADDED, LENGTHS)
    partition = np.exp(Distribution(paths).log_partition())
    np.testing.assert_allclose(partition, [weights[x,] for x in STRINGS], **CLOSE)


@pytest.mark.parametrize(("change", "message"), [
    ({"initial": np.zeros(3)}, r"initial has shape \(3,\) and arcs has shape .*'states'"),
    ({"final": np.zeros((2, 2))}, r"final has shape \(2, 2\); expected 1 axis:"),
    ({"arcs": np.zeros((3, 2, 4))}, r"arcs has shape .*'states'"),
    ({"final": np.array([0, np.nan])}, r"final\[1\] is nan"),
])  # fmt: skip
def test_bad_automata_are_named(change: dict[str, np.ndarray], message: str):
    good = {"initial": np.zeros(2), "arcs": np.zeros((3, 2, 2)), "final": np.zeros(2)}
    with pytest.raises(UsageError, match=message):
        automaton(**(good | change))


@pytest.mark.parametrize(("strings", "lengths", "message"), [
    ([[1, 3]], [2], r"strings\[0, 1\] is 3; the symbols of arcs, of shape .* are 1 to 2"),
    ([[1, 0]], [2], r"strings\[0, 1\] is 0; .* epsilon is not part of a string"),
    ([[1, 1]], [3], r"lengths\[0\] is 3; the arrays allow 0 to 2"),
    ([[1, 1]], [1, 1], r"lengths has shape \(2,\) and strings has shape \(1, 2\)"),
    ([[1.0, 1.0]], None, r"strings must be integers, not float32"),
])  # fmt: skip
def test_bad_strings_are_named(strings: Any, lengths: Any, message: str):
    machine, _ = acyclic()
    strings = jnp.array(strings)
    lengths = None if lengths is None else jnp.array(lengths)
    for ask in (lambda: accept(Log(), machine, strings, lengths),
                lambda: string_paths(machine, strings, lengths)):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            ask()


def test_keeps_dtypes_and_ranks(strict_numerics: None):
    machine, _ = acyclic()

    def totals(machine: Automaton) -> list[Any]:
        every = [Log(), Real(), Viterbi(), Expectation()]
        sums = [(s, accept(s, lift(s, machine), PADDED, LENGTHS)) for s in every]
        paths = string_paths(remove_epsilon(Log(), machine), PADDED, LENGTHS)
        numbers = [(s.log_weight(total.value), total.log_scale) for s, total in sums]
        return [numbers, paths.total(KBest(2))]

    traced = jax.eval_shape(totals, machine)
    first = acyclic(11, 2, 3).machine
    composed = jax.eval_shape(lambda x: compose(Log(), x, x).arcs, first)
    assert {x.dtype for x in jax.tree.leaves((traced, composed))} == {jnp.dtype(jnp.float32)}
