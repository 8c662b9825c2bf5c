"""The laws of ``lift`` and ``log_weight``, of pairs, and the laws that cannot be waived."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from typing import cast

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.capabilities import Selective
from semirings.expectation import Covariance
from semirings.laws.law import Equation, Law, Operands, equal_values
from semirings.product import Product


def _support(s: Semiring, o: Operands) -> Iterator[Equation]:
    statement = "log_weight(lift( w )) = -inf just where w = -inf"
    yield Equation(statement, s.log_weight(s.lift(o.w)) == -jnp.inf, o.w == -jnp.inf)


def _read_back(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation("log_weight(lift( w )) = w", s.log_weight(s.lift(o.w)), o.w)


def _weight_zero(s: Semiring, o: Operands) -> Iterator[Equation]:
    zero, nothing = s.zeros((3,)), jnp.full((3,), -jnp.inf, jnp.float32)
    yield equal_values(s, "lift(-inf) = 0", s.lift(nothing), zero)
    yield Equation("log_weight(0) = -inf", s.log_weight(zero), nothing)


def _weight_one(s: Semiring, o: Operands) -> Iterator[Equation]:
    unit, certain = s.ones((3,)), jnp.zeros((3,), jnp.float32)
    yield equal_values(s, "lift(0.0) = 1", s.lift(certain), unit)
    yield Equation("log_weight(1) = 0.0", s.log_weight(unit), certain)


def _infinity(s: Semiring, o: Operands) -> Iterator[Equation]:
    # Operations may take another path where shapes differ.
    for shape_of_zero, shape_of_infinity in (
        ((3,), (3,)),
        ((2, 1), (3,)),
        ((), (2, 3)),
        ((2, 3), (3,)),
        ((1, 3), (2, 1)),
    ):
        zero = s.zeros(shape_of_zero)
        zero_of_both = s.zeros(jnp.broadcast_shapes(shape_of_zero, shape_of_infinity))
        infinite = s.lift(jnp.full(shape_of_infinity, jnp.inf, jnp.float32))
        where = f"for the shapes {shape_of_zero} and {shape_of_infinity}"
        yield equal_values(s, f"0 lift(+inf) = 0 {where}", s.times(zero, infinite), zero_of_both)
        yield equal_values(s, f"lift(+inf) 0 = 0 {where}", s.times(infinite, zero), zero_of_both)


def _observed(s: Semiring, o: Operands) -> Iterator[Equation]:
    read = [s.log_weight(x) for x in (o.a, o.b)]
    # The log weight of a negative number may be NaN, which counts as equal.
    apart = jnp.abs(read[0] - read[1]) > 0.01
    pairs = zip(*(jax.tree.leaves(s.observe(x)) for x in (o.a, o.b)), strict=True)
    seen = jnp.any(jnp.stack([x != y for x, y in pairs]), 0)
    statement = "what log_weight tells apart, a and b , observe tells apart"
    yield Equation(statement, seen | ~apart, jnp.ones_like(apart))


def _infinite(s: Semiring, o: Operands) -> Iterator[Equation]:
    c = s.lift(jnp.full_like(o.w, jnp.inf))
    total, a, b = s.plus(o.a, o.b), o.a, o.b
    left, right = s.plus(s.times(c, a), s.times(c, b)), s.plus(s.times(a, c), s.times(b, c))
    yield equal_values(s, "lift(+inf) ( a + b ) = lift(+inf) a + lift(+inf) b", s.times(c, total),
                       left)  # fmt: skip
    yield equal_values(s, "( a + b ) lift(+inf) = a lift(+inf) + b lift(+inf)", s.times(total, c),
                       right)  # fmt: skip
    yield equal_values(
        s,
        "( lift(+inf) + a ) + b = lift(+inf) + ( a + b )",
        s.plus(s.plus(c, a), b),
        s.plus(c, total),
    )


WEIGHTS: tuple[Law, ...] = (
    Law("support", "just minus infinity is lifted to what reads as such", _support),
    Law("read back", "log_weight(lift(w)) = w", _read_back),
    Law("weight zero", "lift(-inf) = 0 and log_weight(0) = -inf", _weight_zero),
    Law("weight one", "lift(0.0) = 1 and log_weight(1) = 0.0", _weight_one),
    Law("zero annihilates infinity", "0 lift(+inf) = 0 = lift(+inf) 0", _infinity),
    Law("infinite weights", "lift(+inf) distributes over plus", _infinite),
    Law("observed", "what log_weight tells apart, observe tells apart", _observed),
)


def _two_factors(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Product, semiring)
    factors = {"first": s.first, "second": s.second}
    for note, arguments in (("w", (o.w,)), ("w and n", (o.w, o.n))):
        pair = s.observe(s.lift(*arguments))
        for name, factor in factors.items():
            expected = factor.observe(factor.lift(*arguments))
            statement = f"lift of {note} is in the {name} factor as there"
            yield Equation(statement, getattr(pair, name), expected)
    pair = s.observe(s.times(s.lift(o.w, o.n), s.lift(o.w, o.n)))
    for name, factor in factors.items():
        expected = factor.observe(factor.times(*[factor.lift(o.w, o.n)] * 2))
        statement = f"lift( w , n ) ** 2 is in the {name} factor as there"
        yield Equation(statement, getattr(pair, name), expected)


def _two_features(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Covariance, semiring)
    second = 1 - 2 * o.n
    (_, means_of_pair), (_, means_of_first), (_, means_of_second) = (
        s.observe(s.lift(o.w, feature)) for feature in ((o.n, second), o.n, second)
    )
    yield Equation(
        "the first average of lift( w , (n, 1 - 2 n) ) is n", means_of_pair[0], means_of_first[0]
    )
    yield Equation(
        "the second average of lift( w , (n, 1 - 2 n) ) is 1 - 2 n",
        means_of_pair[1],
        means_of_second[1],
    )
    yield Equation("lift( w , n ) has n twice", means_of_first[0], means_of_first[1])


PAIRS: tuple[Law, ...] = (
    Law("two factors", "a product lifts into both of its factors", _two_factors,
        capability=Product),
    Law("two features", "a covariance is of the first feature and the second", _two_features,
        capability=Covariance),
)  # fmt: skip


def _declared(s: Semiring, o: Operands) -> Iterator[Equation]:
    chooses = isinstance(s, Selective)
    yield Equation("laws.selective is declared of a Selective alone", s.laws.selective, chooses)
    bare, featured = (jax.tree.leaves(x) for x in (s.lift(o.w), s.lift(o.w, o.n)))
    is_unchanged = all(bool(jnp.all(x == y)) for x, y in zip(bare, featured, strict=True))
    statement = "laws.features is declared just where lift puts its feature into the value"
    yield Equation(statement, s.laws.features, not is_unchanged)
    for name, reason in s.laws.broken.items():
        yield Equation(f"there is a reason for breaking {name!r}", bool(reason.strip()), True)


def _parameters_only(s: Semiring, o: Operands) -> Iterator[Equation]:
    twin = copy.copy(s)
    yield Equation("a copy is equal", bool(twin == s), True)
    yield Equation("equal ones have equal hashes", hash(twin) == hash(s), True)
    try:
        twin.name = twin.name  # pyright: ignore[reportAttributeAccessIssue] - it should refuse
        frozen = False
    except FrozenInstanceError:
        frozen = True
    yield Equation("a frozen dataclass: attributes cannot be set", frozen, True)


DECLARATIONS: tuple[Law, ...] = (
    Law(
        "declarations",
        "classes agree with laws, and what is broken has a reason",
        _declared,
        compiled=False,
    ),
    Law("hashable", "a frozen dataclass; equal ones hash equal", _parameters_only, compiled=False),
)
