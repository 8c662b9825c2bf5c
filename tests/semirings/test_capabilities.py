"""Capabilities are classes, classes are abstract or final, and compositions check types."""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points

import pytest

import semirings
from semirings import (
    Boolean,
    Covariance,
    Derivation,
    Divisible,
    Expectation,
    KBest,
    Log,
    Real,
    Risk,
    Sampling,
    Selective,
    Semiring,
    Stochastic,
    Viterbi,
)
from semirings.laws import check
from tests.semirings.cases import EVERY
from tests.semirings.strings import Strings

CLASSES = [
    found
    for name in semirings.__all__
    if isinstance(found := getattr(semirings, name), type) and issubclass(found, Semiring)
]


@pytest.mark.parametrize("semiring", CLASSES, ids=lambda c: c.__name__)
def test_no_class_derives_from_a_concrete_one(semiring: type[Semiring]):
    above = [base for base in semiring.__mro__[1:] if issubclass(base, Semiring)]
    assert all(inspect.isabstract(base) for base in above)


def test_what_is_registered_is_exported():
    points = [p for p in entry_points(group="semirings") if p.value.startswith("semirings.")]
    concrete = {c.__name__ for c in CLASSES if not inspect.isabstract(c)}
    assert {point.attr for point in points} == concrete


def test_classes_say_what_laws_say():
    assert {s.name for s in EVERY if isinstance(s, Selective)} == {
        "boolean", "derivation", "strings", "tropical", "viterbi",
    }  # fmt: skip
    assert {s.name for s in EVERY if isinstance(s, Divisible)} == {
        "log", "real", "tropical", "viterbi",
    }  # fmt: skip
    for semiring in EVERY:
        assert isinstance(semiring, Selective) == semiring.laws.selective
        assert isinstance(semiring, Stochastic) == semiring.laws.in_distribution


def test_a_selective_that_does_not_declare_it_is_reported():
    class Silent(Viterbi):
        laws = Log().laws

    (failure,) = check(Silent(), only=["declarations"]).failures
    assert failure.statement == "laws.selective is declared of a Selective alone"


@pytest.mark.parametrize("composed", [Derivation, lambda base: KBest(2, base)])
def test_a_best_derivation_needs_a_selective_base(composed):
    assert composed(Viterbi()).base == Viterbi()
    with pytest.raises(TypeError, match=r"Log\(\) is not selective.*use viterbi"):
        composed(Log())


@pytest.mark.parametrize("composed", [Expectation, Covariance, Risk])
def test_an_average_needs_a_divisible_base(composed):
    with pytest.raises(TypeError, match=r"Boolean\(\) is not divisible"):
        composed(Boolean())


def test_laws_follow_from_the_parts():
    assert not Derivation(Strings()).laws.commutative
    assert not KBest(2, Strings()).laws.commutative
    assert Expectation(Real()).laws.broken == Real().laws.broken
    assert Covariance(Real()).laws.broken == Real().laws.broken
    assert Risk(Real()).laws == Expectation(Real()).laws
    assert Derivation(Strings()).laws.broken == Strings().laws.broken
    assert KBest(2, Strings()).laws.broken == Strings().laws.broken
    annealed = {"read back", "balance restores"}
    assert set(Risk(gamma=2.0).laws.broken) == {*Risk().laws.broken, *annealed}
    assert set(Expectation().laws.broken) == {*Log().laws.broken, "infinite weights"}
    with pytest.raises(ValueError, match="gamma is 0"):
        Risk(gamma=0)
    assert Sampling().laws.in_distribution
