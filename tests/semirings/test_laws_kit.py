"""The conformance kit: semirings of the project satisfy their laws, and violations are detected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import (
    Counting,
    Derivation,
    Divisible,
    Entropy,
    Expectation,
    Laws,
    Log,
    Provenance,
    Real,
    Risk,
    Semiring,
    SignedLog,
    Tropical,
    Value,
    Viterbi,
)
from semirings.laws import LAWS, Failure, check
from semirings.laws.choices import by_chance
from semirings.log import Signed
from tests.semirings.cases import EVERY
from tests.semirings.mutants import MUTANTS, mutant, unwritten
from tests.semirings.strings import Strings

DRAWS = 400


def with_laws(semiring: Semiring, laws: Laws) -> Semiring:
    """Return the same semiring with other declared laws."""
    bold = dataclass(frozen=True)(type("Bold", (type(semiring),), {"laws": laws}))
    return bold(**{field.name: getattr(semiring, field.name) for field in fields(semiring)})


@pytest.mark.parametrize("semiring", EVERY, ids=repr)
def test_laws_hold_exactly_as_declared(semiring: Semiring):
    """A law that is not declared, or declared broken, fails somewhere; all others hold."""
    optional = ("commutative", "idempotent", "selective")
    undeclared = {law for law in optional if not getattr(semiring.laws, law)}
    broken = {"infinite weights", "plus commutative"} & semiring.laws.broken.keys()
    remaining = {law: why for law, why in semiring.laws.broken.items() if law not in broken}
    laws = replace(semiring.laws, broken=remaining, **dict.fromkeys(undeclared, True))
    report = check(with_laws(semiring, laws), draws=DRAWS)
    found = {failure.law for failure in report.failures}
    if "selective" in undeclared:  # The kit also compares this claim with the class.
        found -= {"declarations", "select"}
    assert undeclared <= found <= undeclared | broken, str(found)
    check(semiring, only=["declarations"]).raise_if_failed()
    if isinstance(semiring, Expectation | Entropy | Risk):
        assert found >= broken
    made = {*report.passed, *report.not_claimed, *(failure.law for failure in report.failures)}
    assert made >= {law.name for law in LAWS}


@pytest.mark.parametrize(
    "semiring", [Derivation(Strings()), Expectation(Real()), Expectation(Viterbi())], ids=repr
)
def test_compositions_declare_what_they_break(semiring: Semiring):
    laws = ("plus commutative", "read back", "infinite weights", "star", "star least", "dtypes",
            "left distributive", "matmul")  # fmt: skip
    check(semiring, draws=DRAWS, only=laws).raise_if_failed()


NUMBERS = (0, 1, 2, 3, 5, 2**15, 46340, 46341, 2**16, 2**30, 2**31 - 2, 2**31 - 1)


def of_numbers(generator: np.random.Generator, shape: tuple[int, ...]) -> Value:
    return jnp.asarray(generator.choice(NUMBERS, shape), jnp.int32)


def of_costs(generator: np.random.Generator, shape: tuple[int, ...]) -> Value:
    return jnp.asarray(generator.choice([np.inf, 0.0, 1.0, -2.0, 2.0**20], shape), jnp.float32)


def of_sets(generator: np.random.Generator, shape: tuple[int, ...]) -> Value:
    s = Provenance(40)
    some = [s.lift(jnp.zeros(shape), jnp.asarray(generator.choice([-1, 0, 31, 32, 39], shape)))
            for _ in range(2)]  # fmt: skip
    return s.where(jnp.asarray(generator.random(shape) < 0.2), s.zeros(shape), s.plus(*some))


@pytest.mark.parametrize(
    "semiring, draw",
    [(Counting(), of_numbers), (Tropical(), of_costs), (Provenance(40), of_sets)],
    ids=["counting", "tropical", "provenance"],
)
def test_laws_hold_for_values_that_saturate(semiring: Semiring, draw: Callable[..., Value]):
    laws = {
        "plus associative", "plus commutative", "zero neutral", "times associative", "one neutral",
        "zero annihilates", "left distributive", "right distributive", "sum folds plus",
        "prod folds times", "matmul", "group sum", "star", "commutative", "idempotent",
    }  # fmt: skip
    check(semiring, draws=DRAWS, only=laws, draw=draw, rtol=0, atol=0).raise_if_failed()


def test_the_star_of_a_winner_takes_no_round():
    s = Expectation(Viterbi())
    star = s.star(s.lift(jnp.array([-jnp.inf, -1.0, 0.0, 1.0]), jnp.full(4, 3.0)))
    assert star.weight.tolist() == [0, 0, 0, np.inf]
    assert star.mean.tolist() == [0, 0, 0, np.inf]


@pytest.mark.parametrize("base", [Log(), Real()], ids=repr)
def test_the_star_of_a_loop_counts_its_rounds(base: Divisible):
    """A loop of weight p and mean m is traversed p / (1 - p) times, also if m is 0."""
    s = Expectation(base)

    def mean(p: jax.Array, m: jax.Array) -> jax.Array:
        return s.star(s.lift(jnp.log(p), m)).mean

    p, m = jnp.array([0.25, 0.5, 0.5, 0.0, 1.0]), jnp.array([3.0, 1.0, 0.0, 2.0, 1.0])
    means, slopes = jax.jit(jax.vmap(jax.value_and_grad(mean, (0, 1))))(p, m)
    np.testing.assert_allclose(means, [1, 1, 0, 0, np.inf], atol=1e-6)
    np.testing.assert_allclose(slopes[0][:3], [16 / 3, 4, 0], rtol=1e-5)
    np.testing.assert_allclose(slopes[1][:3], [1 / 3, 1, 1], rtol=1e-5)


@dataclass(frozen=True)
class Positive(SignedLog):
    """Without cancellation, no exception to a law of signed numbers is needed."""

    laws: ClassVar[Laws] = Laws()

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Signed:
        return super().lift(log_weight)


def test_signed_logs_keep_all_laws_where_nothing_cancels():
    check(Positive(), draws=DRAWS, only=SignedLog().laws.broken.keys()).raise_if_failed()


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str):
    law, make = MUTANTS[name]
    report = check(make(), draws=100, only=[law])
    assert [failure.law for failure in report.failures] == [law]
    with pytest.raises(AssertionError, match=f"fails: {law}: "):
        report.raise_if_failed()


def test_every_law_has_a_mutant_that_breaks_it():
    assert {law.name for law in LAWS} <= {mutant.law for mutant in MUTANTS.values()}


def test_poles_and_kinks_are_no_faults_of_a_gradient():
    """Among many points some are close to the pole of ``star``, or between two kinks."""
    check(Log(), draws=10_000, only=["gradients"]).raise_if_failed()


@dataclass(frozen=True)
class Unfrozen(Log):
    """A class of equal objects with different hashes."""

    def __hash__(self) -> int:
        return id(self)


def test_equal_ones_must_hash_equal():
    (failure,) = check(Unfrozen(), only=["hashable"]).failures
    assert failure.statement == "equal ones have equal hashes"


def test_unknown_laws_are_a_mistake():
    semiring = mutant(Log, Laws(broken={"distributve": "a slip of the pen"}))
    (failure,) = check(semiring, only=["declarations"]).failures
    assert failure.law == "unknown law"
    assert "'distributve'" in failure.statement


def test_what_is_declared_broken_is_not_tried():
    reason = "nobody multiplies matrices"
    semiring = mutant(Log, Laws(broken={"matmul": reason}), matmul=unwritten)
    report = check(semiring, only=["matmul", "idempotent"])
    assert report.ok
    assert report.not_claimed == {"matmul": reason, "idempotent": "not declared"}
    report.raise_if_failed()


def test_a_failure_shows_the_first_counterexample():
    semiring = mutant(Log, Laws(idempotent=True))
    values = jnp.array([-jnp.inf, 1.0, 2.0])
    report = check(semiring, draws=3, only=["idempotent"], draw=lambda generator, shape: values)
    (failure,) = report.failures
    assert failure.statement == "a + a = a"
    assert list(failure.counterexample) == ["a"]
    assert failure.counterexample["a"] == 1.0
    assert failure.left == pytest.approx(1.0 + np.log(2.0))
    assert failure.right == 1.0
    assert str(failure).splitlines()[:2] == ["idempotent: a + a = a", "  a = 1.0"]
    assert "fails: idempotent" in str(report)


def test_exceptions_are_failures():
    (failure,) = check(mutant(Log, times=unwritten), only=["commutative"]).failures
    assert isinstance(failure.exception, NotImplementedError)
    assert "raised NotImplementedError: later" in str(failure)


def test_values_of_the_caller_are_tried():
    def draw(generator: np.random.Generator, shape: tuple[int, ...]) -> jax.Array:
        return jnp.asarray(-generator.random(shape), jnp.float32)

    report = check(Real(), draws=50, draw=draw, only=["plus associative", "extreme weights"])
    assert report.passed == ("plus associative",)
    negative = mutant(Real, plus=lambda s, a, b: a + jnp.maximum(b, 0.0))
    assert not check(negative, draws=50, draw=draw, only=["plus commutative"]).ok
    assert check(negative, draws=50, only=["plus commutative"]).ok


def test_the_seed_fixes_what_is_drawn():
    def left(seed: int) -> Failure:
        (failure,) = check(
            mutant(Log, Laws(idempotent=True)), seed=seed, only=["idempotent"]
        ).failures
        return failure

    assert str(left(1)) == str(left(1))
    assert str(left(1)) != str(left(2))


def test_nothing_to_try_is_a_mistake():
    with pytest.raises(ValueError, match="draws is 0"):
        check(Log(), draws=0)
    with pytest.raises(ValueError, match="'matmult'"):
        check(Log(), only=["matmult"])


@pytest.mark.parametrize(
    "other, alike",
    [((1000, 1010, 990), True), ((1060, 1000, 940), True), ((1250, 900, 850), False)],
)
def test_by_chance(other: tuple[int, ...], alike: bool):
    x, y = np.array([1000, 1000, 1000, 0]), np.array([*other, 0])
    assert by_chance((x - y) ** 2, x + y) is alike


def test_what_is_impossible_does_not_happen_by_chance():
    assert not by_chance(np.array([0.0, 1.0]), np.array([4000.0, 0.0]))
