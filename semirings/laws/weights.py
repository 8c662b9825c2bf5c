"""The laws of ``lift`` and ``log_weight``, which convert weights to values and back."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from semirings.base import Semiring
from semirings.laws.law import Equation, Law, Operands, equal_values


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
    zero, infinite = s.zeros((3,)), s.lift(jnp.full((3,), jnp.inf, jnp.float32))
    yield equal_values(s, "0 lift(+inf) = 0", s.times(zero, infinite), zero)
    yield equal_values(s, "lift(+inf) 0 = 0", s.times(infinite, zero), zero)
    # Operations may take another way where shapes differ.
    for shape_of_zero, shape_of_infinity in (
        ((2, 1), (3,)),
        ((), (2, 3)),
        ((2, 3), (3,)),
        ((1, 3), (2, 1)),
    ):
        zero, zero_of_both = (
            s.zeros(shape_of_zero),
            s.zeros(jnp.broadcast_shapes(shape_of_zero, shape_of_infinity)),
        )
        infinite = s.lift(jnp.full(shape_of_infinity, jnp.inf, jnp.float32))
        where = f"for the shapes {shape_of_zero} and {shape_of_infinity}"
        yield equal_values(s, f"0 lift(+inf) = 0 {where}", s.times(zero, infinite), zero_of_both)
        yield equal_values(s, f"lift(+inf) 0 = 0 {where}", s.times(infinite, zero), zero_of_both)


def _observed(s: Semiring, o: Operands) -> Iterator[Equation]:
    read = [s.log_weight(x) for x in (o.a, o.b)]
    # The log weight of a negative number may be NaN, which does not count as different.
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
"""The laws of lifting and reading back."""
