"""The conformance kit: what we ship keeps its laws, and what breaks one is caught."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semirings import (
    Boolean,
    Counting,
    Expectation,
    Laws,
    Log,
    Provenance,
    Real,
    Sampling,
    Semiring,
    SignedLog,
    Tropical,
    Viterbi,
)
from semirings.base import Groups
from semirings.laws import LAWS, Failure, check
from semirings.laws.distribution import by_chance
from semirings.log import Signed
from semirings.numerics import log_sum
from semirings.strings import Coded, Strings
from tests.semirings.cases import EVERY

DRAWS = 10_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 400


WHOLE = (Expectation, Log, Real, Sampling, SignedLog, Strings, Viterbi)
"""Semirings that try every law in every run. The others do in the exhaustive one."""

ENUMERATED = (Boolean, Counting, Provenance, Tropical)
"""Semirings whose laws ``test_exact_laws`` tries in every run, on all triples of some values."""

AXIOMS = {
    "plus associative",
    "times associative",
    "left distributive",
    "right distributive",
    "zero annihilates",
    "weight zero",
    "weight one",
}
"""The laws that compositions try in every run, beside ``test_composition``."""


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
    "semiring", [s for s in EVERY if not isinstance(s, WHOLE + ENUMERATED)], ids=repr
)
def test_compositions_keep_the_axioms(semiring: Semiring):
    report = check(semiring, draws=DRAWS, only=AXIOMS)
    report.raise_if_failed()
    assert set(report.passed) == AXIOMS


@dataclass(frozen=True)
class Positive(SignedLog):
    """Without cancellation no law of signed numbers is excused."""

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


def mutant(base: type[Semiring], laws: Laws | None = None, **methods: Any) -> Semiring:
    """An object of a class that differs from its base in some methods."""
    body = {**methods, **({"laws": laws} if laws else {})}
    return dataclass(frozen=True)(type("Mutant", (base,), body))()


def average(self: Semiring, a: jax.Array, b: jax.Array) -> jax.Array:
    return (a + b) / 2


def loses_the_last(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    size = a.shape[axis] - (a.shape[axis] > 1)
    return log_sum(jax.lax.slice_in_dim(a, 0, size, axis=axis), axis)


def naive_sum(self: Semiring, a: jax.Array, axis: int) -> jax.Array:
    """Right in value; its gradient is NaN where nothing has weight."""
    return jnp.log(jnp.sum(jnp.exp(a), axis))


def backwards(self: Semiring, a: Coded, axis: int) -> Coded:
    return Strings.prod(self, jax.tree.map(lambda x: jnp.flip(x, axis), a), axis)  # type: ignore[arg-type]


def unwritten(self: Semiring, *_: Any) -> Any:
    raise NotImplementedError("later")


def nan_star(self: Semiring, a: jax.Array) -> jax.Array:
    return -jnp.log(1 - jnp.exp(a))


def half_balance(self: Semiring, a: jax.Array, axes: tuple[int, ...]) -> tuple[Any, Any]:
    balanced, factor = Real.balance(Real(), a, axes)
    return balanced, factor / 2


def first_group_only(self: Semiring, a: jax.Array, groups: Groups) -> jax.Array:
    return a @ (groups.membership * (np.arange(groups.membership.shape[1]) == 0))


def greedy(self: Sampling, key: jax.Array, shape: tuple[int, ...]) -> Any:
    """One state for all draws: they draw the same."""
    return jax.tree.map(lambda x: jnp.broadcast_to(x[:1], shape), Sampling.seed(self, key, shape))


@jax.custom_vjp
def reverse_only(x: jax.Array) -> jax.Array:
    return x * 1.0


reverse_only.defvjp(lambda x: (x, None), lambda _, t: (t,))

LEFT = Laws(commutative=True, idempotent=True, selective=True, star=True)
MUTANTS: dict[str, tuple[str, Callable[[], Semiring]]] = {
    "plus averages": ("plus associative", lambda: mutant(Viterbi, plus=average)),
    "plus keeps the left": ("plus commutative", lambda: mutant(Viterbi, plus=lambda s, a, b: a)),
    "zero is one": ("zero neutral", lambda: mutant(Log, zeros=Log.ones)),
    "times averages": ("times associative", lambda: mutant(Viterbi, times=average)),
    "one is zero": ("one neutral", lambda: mutant(Log, ones=Log.zeros)),
    "zero survives": (
        "zero annihilates",
        lambda: mutant(Real, times=lambda s, a, b: jnp.where(b == 0, a, a * b)),
    ),
    "times adds": ("left distributive", lambda: mutant(Real, times=lambda s, a, b: a + b)),
    "times adds on the left": (
        "right distributive",
        lambda: mutant(Real, times=lambda s, a, b: a * a * b),
    ),
    "strings said to commute": ("commutative", lambda: mutant(Strings, LEFT)),
    "log said to be idempotent": ("idempotent", lambda: mutant(Log, Laws(idempotent=True))),
    "log said to be selective": ("selective", lambda: mutant(Log, Laws(selective=True))),
    "selective without select": ("select", lambda: mutant(Log, Laws(selective=True))),
    "select names the last": (
        "select",
        lambda: mutant(
            Viterbi,
            select=lambda s, a, axis: a.shape[axis] - 1 - jnp.argmax(jnp.flip(a, axis), axis),
        ),
    ),
    "star said to be there": ("star", lambda: mutant(Sampling, Laws(star=True))),
    "star without its zeros": ("star", lambda: mutant(Log, star=nan_star)),
    "lift swallows small weights": (
        "support",
        lambda: mutant(
            Log, lift=lambda s, w, feature=None: jnp.where(w < -4, -jnp.inf, w).astype(w.dtype)
        ),
    ),
    "lift squares": ("read back", lambda: mutant(Log, lift=lambda s, w, feature=None: 2 * w)),
    "lift cannot be zero": (
        "weight zero",
        lambda: mutant(Log, lift=lambda s, w, feature=None: jnp.maximum(w, -1e5)),
    ),
    "lift has no one": ("weight one", lambda: mutant(Log, lift=lambda s, w, feature=None: w + 1)),
    "0 times infinity": (
        "zero annihilates infinity",
        lambda: mutant(Log, times=lambda s, a, b: a + b),
    ),
    "small range": ("extreme weights", lambda: mutant(Real, Laws())),
    "sum loses the last": ("sum folds plus", lambda: mutant(Log, sum=loses_the_last)),
    "prod backwards": ("prod folds times", lambda: mutant(Strings, prod=backwards)),
    "no empty sum": (
        "empty axes",
        lambda: mutant(Viterbi, sum=lambda s, a, axis: jnp.max(a, axis)),
    ),
    "plus of equal shapes only": (
        "broadcasting",
        lambda: mutant(Log, plus=lambda s, a, b: log_sum(jnp.stack([a, b]), 0)),
    ),
    "matmul transposed": (
        "matmul",
        lambda: mutant(Log, matmul=lambda s, a, b: jnp.swapaxes(Log.matmul(s, a, b), -1, -2)),
    ),
    "matmul without a shift": (
        "matmul of extreme weights",
        lambda: mutant(Viterbi, matmul=lambda s, a, b: jnp.log(jnp.exp(a) @ jnp.exp(b))),
    ),
    "one group only": ("group sum", lambda: mutant(Real, group_sum=first_group_only)),
    "spread in order": (
        "group spread",
        lambda: mutant(Log, group_spread=lambda s, a, groups: a),
    ),
    "half balanced": ("balance", lambda: mutant(Real, balance=half_balance)),
    "where turned round": (
        "where",
        lambda: mutant(Log, where=lambda s, c, a, b: jnp.where(c, b, a)),
    ),
    "concatenate turned round": (
        "concatenate",
        lambda: mutant(Log, concatenate=lambda s, xs, axis: jnp.concatenate(xs[::-1], axis)),
    ),
    "needs concrete values": (
        "jit",
        lambda: mutant(Log, times=lambda s, a, b: a if not jnp.any(a > 3) else Log.times(s, a, b)),
    ),
    "sums over the batch": (
        "vmap",
        lambda: mutant(
            Log, sum=lambda s, a, axis: Log.sum(s, a, axis) + (a.ndim if axis == -1 else 0)
        ),
    ),
    "reverse mode only": (
        "forward mode",
        lambda: mutant(Log, lift=lambda s, w, feature=None: reverse_only(w)),
    ),
    "NaN gradient": ("gradients at zero", lambda: mutant(Log, sum=naive_sum)),
    "always float32": (
        "dtypes",
        lambda: mutant(Log, sum=lambda s, a, axis: Log.sum(s, a, axis).astype(jnp.float32)),
    ),
    "zeros of the default dtype": (
        "dtypes",
        lambda: mutant(Log, zeros=lambda s, shape: jnp.full(shape, -jnp.inf)),
    ),
    "draws one thing": ("in distribution", lambda: mutant(Sampling, seed=greedy)),
    "nothing written": ("plus associative", lambda: mutant(Log, plus=unwritten)),
    "no reason given": ("declarations", lambda: mutant(Log, Laws(broken={"matmul": " "}))),
    "unhashable": ("hashable", lambda: mutant(Log, __hash__=None)),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str):
    law, make = MUTANTS[name]
    report = check(make(), draws=400, only=[law])
    assert [failure.law for failure in report.failures] == [law]
    with pytest.raises(AssertionError, match=f"fails: {law}: "):
        report.raise_if_failed()


def test_every_law_has_a_mutant_that_breaks_it():
    broken = {law for law, _ in MUTANTS.values()}
    # What recomputes is what was computed: nothing but a defect of jax could tell them apart.
    assert {law.name for law in LAWS} - broken == {"checkpoint"}


@dataclass(frozen=True)
class Unfrozen(Log):
    """Equal objects with different hashes."""

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
