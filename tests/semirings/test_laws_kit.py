"""The conformance kit: semirings of the project satisfy their laws, and violations are detected."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import (
    Boolean,
    Counting,
    Covariance,
    Derivation,
    Divergence,
    Divisible,
    Entropy,
    Expectation,
    KBest,
    Laws,
    Log,
    Provenance,
    Real,
    Risk,
    Sampling,
    Semiring,
    SignedLog,
    Tropical,
    Viterbi,
)
from semirings.laws import LAWS, Failure, check
from semirings.laws.choices import by_chance
from semirings.log import Signed
from tests.selection import selected, thorough
from tests.semirings.cases import EVERY
from tests.semirings.mutants.base import mutant
from tests.semirings.mutants.conditions import LATER, OF_THE_SAME_KINDS
from tests.semirings.mutants.further import FURTHER
from tests.semirings.mutants.reviewed import NAMED
from tests.semirings.mutants.simple import PLAIN, unwritten
from tests.semirings.strings import Strings

MUTANTS = PLAIN | NAMED | FURTHER | LATER | OF_THE_SAME_KINDS

DRAWS = 2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 400


COSTLY = {
    "a tie in plus goes to the first",
    "draws one thing",
    "matmul of sixteen",
    "NaN gradient",
    "reverse mode only",
    "state of eager calls",
    "sum has no second derivative",
    "sums over the batch",
    "the third item draws as the first",
    "uniform beyond nine",
}
"""Mutants that take seconds to be caught."""

WHOLE = (Real,)
"""Semirings checked against all laws in every run. Others are in the exhaustive run."""

FAST = (Expectation, Log, Sampling, SignedLog, Strings, Viterbi)
"""Semirings checked in every run against the laws of the methods that they override."""

SLOW = (Expectation, Sampling, SignedLog, Strings, Viterbi)
"""Those of them whose laws take long to compile, and which other tests ask as well."""

ENUMERATED = (Boolean, Counting, Provenance, Tropical)
"""Semirings whose laws ``test_exact_laws`` checks in every run, on all triples of some values."""

AXIOMS = {
    "plus associative",
    "times associative",
    "left distributive",
    "right distributive",
    "zero annihilates",
    "weight zero",
    "weight one",
}
"""The laws that compositions are checked against in every run, besides ``test_composition``."""

OVERRIDDEN = {
    "NaN",
    "balance",
    "balance restores",
    "declarations",
    "dtypes",
    "extreme weights",
    "gradients at zero",
    "gradients of ties",
    "group spread",
    "group sum",
    "infinite weights",
    "matmul",
    "matmul of extreme weights",
    "prod folds times",
    "select",
    "shares",
    "star",
    "star least",
    "sum of extreme weights",
}
"""The laws of methods that semirings override, for speed or by necessity."""

ODD = {
    Sampling: {"empty axes", "in distribution", "long axes", "observed", "sum folds plus"},
    Strings: {"empty axes", "idempotent", "long axes", "selective", "sum folds plus"},
}
"""Further laws of semirings that share little code with others."""


@pytest.mark.parametrize(
    "semiring",
    [pytest.param(s, marks=() if isinstance(s, WHOLE) else pytest.mark.exhaustive) for s in EVERY],
    ids=repr,
)
def test_what_we_ship_keeps_its_laws(semiring: Semiring):
    report = check(semiring, draws=DRAWS)
    report.raise_if_failed()
    assert report.ok
    assert {*report.passed, *report.not_claimed} >= {law.name for law in LAWS}


@pytest.mark.parametrize(
    "semiring",
    [
        pytest.param(s, marks=pytest.mark.exhaustive if isinstance(s, SLOW) else ())
        for s in EVERY
        if isinstance(s, FAST)
    ],
    ids=repr,
)
def test_what_is_overridden_keeps_its_laws(semiring: Semiring):
    laws = AXIOMS | OVERRIDDEN | ODD.get(type(semiring), set())
    report = check(semiring, draws=DRAWS, only=laws)
    report.raise_if_failed()
    assert {*report.passed, *report.not_claimed} == laws


@pytest.mark.parametrize(
    "semiring", [s for s in EVERY if not isinstance(s, WHOLE + ENUMERATED + FAST)], ids=repr
)
def test_compositions_keep_the_axioms(semiring: Semiring):
    report = check(semiring, draws=DRAWS, only=AXIOMS)
    report.raise_if_failed()
    assert set(report.passed) == AXIOMS


OF_OTHERS: tuple[Semiring, ...] = (
    Derivation(Strings()),
    Expectation(Real()),
    Expectation(Viterbi()),
    KBest(2, Strings()),
    KBest(4, Boolean()),
)
"""Compositions that break the same laws as their bases, or that have other ties."""

CONTENTIOUS = (
    "plus commutative", "read back", "infinite weights", "star", "star least", "dtypes",
)  # fmt: skip


@pytest.mark.parametrize("semiring", [Derivation(), thorough(KBest(2))], ids=repr)
def test_what_is_marked_is_the_derivation(semiring: Semiring):
    check(semiring, draws=DRAWS, only=["marks"]).raise_if_failed()


@pytest.mark.parametrize(
    "only",
    [CONTENTIOUS, pytest.param(None, marks=pytest.mark.exhaustive)],
    ids=["contentious", "all"],
)
@pytest.mark.parametrize(
    "semiring", selected(OF_OTHERS, lambda s: not isinstance(s, KBest)), ids=repr
)
def test_compositions_declare_what_they_break(semiring: Semiring, only: Collection[str] | None):
    check(semiring, draws=DRAWS, only=only).raise_if_failed()


@pytest.mark.parametrize(
    "semiring",
    [Covariance(), Divergence(), Entropy(), Expectation(), Expectation(Viterbi()), Risk()],
    ids=repr,
)
def test_what_is_declared_broken_is_broken(semiring: Semiring):
    """Averages lose their weights at infinity, and one of several equal weights is selected."""
    laws = {"infinite weights", "plus commutative"} & semiring.laws.broken.keys()
    remaining = {law: why for law, why in semiring.laws.broken.items() if law not in laws}
    body = {"laws": replace(semiring.laws, broken=remaining)}
    bold = dataclass(frozen=True)(type("Bold", (type(semiring),), body))
    arguments = {field.name: getattr(semiring, field.name) for field in fields(semiring)}
    failed = {failure.law for failure in check(bold(**arguments), draws=DRAWS, only=laws).failures}
    assert failed == laws


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


@pytest.mark.parametrize(
    "only",
    [SignedLog().laws.broken.keys(), pytest.param(None, marks=pytest.mark.exhaustive)],
    ids=["those it breaks", "all"],
)
def test_signed_logs_keep_all_laws_where_nothing_cancels(only: Collection[str] | None):
    check(Positive(), draws=DRAWS, only=only).raise_if_failed()


@pytest.mark.parametrize(
    "name",
    [name if name in PLAIN | LATER and name not in COSTLY else thorough(name) for name in MUTANTS],
)
def test_mutants_are_caught(name: str):
    law, make = MUTANTS[name]
    report = check(make(), draws=100, only=[law])
    assert [failure.law for failure in report.failures] == [law]
    with pytest.raises(AssertionError, match=f"fails: {law}: "):
        report.raise_if_failed()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught_by_the_whole_kit(name: str):
    law, make = MUTANTS[name]
    assert law in {failure.law for failure in check(make(), draws=DRAWS).failures}


@pytest.mark.parametrize(
    "semiring",
    [Log(), Tropical(), pytest.param(KBest(2, Viterbi()), marks=pytest.mark.exhaustive)],
    ids=repr,
)
def test_poles_and_kinks_are_no_faults_of_a_gradient(semiring: Semiring):
    """Among many points some are close to the pole of ``star``, or between two kinks."""
    check(semiring, draws=10_000, only=["gradients"]).raise_if_failed()


def test_every_law_has_a_mutant_that_breaks_it():
    assert {law.name for law in LAWS} <= {mutant.law for mutant in MUTANTS.values()}


def test_the_matrix_has_the_thirty_nine_and_as_many_again():
    assert len(NAMED) == 39
    assert len(FURTHER) >= 20
    assert not set(FURTHER) & set(NAMED)


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
