"""The axioms of semirings, and optional laws of ``plus`` and ``times``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp

from semirings.base import Semiring, Value
from semirings.laws.law import Equation, Law, Operands, equal_values

EXTREME = "extreme weights"
"""A semiring that breaks this law is not tested on extreme weights, except in arrays."""

DOUBLINGS = 40
"""How many times partial sums of a series are doubled: up to 2**40 terms."""

Sides = Callable[[Semiring, Value, Value, Value], tuple[Value, Value]]
"""Both sides of an equation, from the semiring and three of its values."""


def _law(name: str, *equations: tuple[str, Sides], declared: str = "") -> Law:
    """Make a law of equations over a, b and c."""

    def over_three(s: Semiring, o: Operands) -> Iterator[Equation]:
        for statement, sides in equations:
            yield equal_values(s, statement, *sides(s, o.a, o.b, o.c))

    return Law(name, "; ".join(text for text, _ in equations), over_three, declared)


def _zero(s: Semiring, a: Value) -> Value:
    return s.zeros(jax.tree.leaves(a)[0].shape)


def _unit(s: Semiring, a: Value) -> Value:
    return s.ones(jax.tree.leaves(a)[0].shape)


def _selective(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b, total = (s.observe(x) for x in (o.a, o.b, s.plus(o.a, o.b)))
    leaves_equal = [x == y for x, y in zip(jax.tree.leaves(total), jax.tree.leaves(a), strict=True)]
    # One of the two operands as a whole, not leaves from both.
    is_a = jnp.all(jnp.stack(leaves_equal), 0)
    one_of_them = jax.tree.map(lambda x, y: jnp.where(is_a, x, y), a, b)
    yield Equation("a + b is a or b", total, one_of_them)


def _star(s: Semiring, o: Operands) -> Iterator[Equation]:
    star = s.star(o.a)
    # Where the series diverges its value is infinite and is not compared.
    finite = s.log_weight(star) < jnp.inf
    for statement, product in (
        ("star( a ) = 1 + a star( a )", s.times(o.a, star)),
        ("star( a ) = 1 + star( a ) a", s.times(star, o.a)),
    ):
        right = s.where(finite, s.plus(_unit(s, o.a), product), star)
        yield equal_values(s, statement, star, right)
    yield equal_values(s, "star(0) = 1", s.star(s.zeros((3,))), s.ones((3,)))


def _star_least(s: Semiring, o: Operands) -> Iterator[Equation]:
    """Compare the star with the limit of its partial sums, the least fixed point (Kleene)."""
    star, unit = s.star(o.a), _unit(s, o.a)

    def doubled(_: int, sums: tuple[Value, Value, Value]) -> tuple[Value, Value, Value]:
        # 1 + a + ... + a^(2n-1) = (1 + ... + a^(n-1)) + a^n (1 + ... + a^(n-1))
        _, total, power = sums
        return total, s.plus(total, s.times(power, total)), s.times(power, power)

    # Results, which sums are initialised with, may have other dtypes than neutral elements.
    start = s.plus(unit, s.times(o.a, s.zeros_like(o.a)))
    first = (start, s.plus(start, s.times(o.a, start)), s.times(o.a, o.a))
    before, total, _ = jax.lax.fori_loop(0, DOUBLINGS, doubled, first)
    read, least = s.log_weight(star), s.log_weight(total)
    settled = _alike(s, before, total) & (least < jnp.inf)
    statement = "star( a ) = 1 + a + a a + ... where the series has converged"
    yield equal_values(s, statement, star, s.where(settled, total, star))
    above = (read >= least) | jnp.isclose(read, least, 1e-4, 1e-4)
    statement = "star( a ) is at least 1 + a + a a + ... + a ** n in log weight"
    yield Equation(statement, jnp.where(above, least, read), least)


def _division(s: Semiring, o: Operands) -> Iterator[Equation]:
    total = s.plus(o.a, o.b)
    statement = "( a + b ) ( a / ( a + b ) ) = a"
    yield equal_values(s, statement, s.times(total, s.divide(o.a, total)), o.a)
    yield equal_values(s, "a ( a / a ) = a", s.times(o.a, s.divide(o.a, o.a)), o.a)
    zero = _zero(s, o.a)
    yield equal_values(s, "0 / a = 0", s.divide(zero, o.a), zero)
    yield equal_values(s, "0 / 0 = 0", s.divide(zero, zero), zero)


def _alike(s: Semiring, a: Value, b: Value) -> jax.Array:
    pairs = zip(jax.tree.leaves(s.observe(a)), jax.tree.leaves(s.observe(b)), strict=True)
    return jnp.all(jnp.stack([jnp.isclose(x, y, 1e-6, 1e-6) for x, y in pairs]), 0)


AXIOMS: tuple[Law, ...] = (
    _law(
        "plus associative",
        (
            "( a + b ) + c = a + ( b + c )",
            lambda s, a, b, c: (s.plus(s.plus(a, b), c), s.plus(a, s.plus(b, c))),
        ),
    ),
    _law("plus commutative", ("a + b = b + a", lambda s, a, b, c: (s.plus(a, b), s.plus(b, a)))),
    _law(
        "zero neutral",
        ("a + 0 = a", lambda s, a, b, c: (s.plus(a, _zero(s, a)), a)),
        ("0 + a = a", lambda s, a, b, c: (s.plus(_zero(s, a), a), a)),
    ),
    _law(
        "times associative",
        (
            "( a b ) c = a ( b c )",
            lambda s, a, b, c: (s.times(s.times(a, b), c), s.times(a, s.times(b, c))),
        ),
    ),
    _law(
        "one neutral",
        ("a 1 = a", lambda s, a, b, c: (s.times(a, _unit(s, a)), a)),
        ("1 a = a", lambda s, a, b, c: (s.times(_unit(s, a), a), a)),
    ),
    _law(
        "zero annihilates",
        ("a 0 = 0", lambda s, a, b, c: (s.times(a, _zero(s, a)), _zero(s, a))),
        ("0 a = 0", lambda s, a, b, c: (s.times(_zero(s, a), a), _zero(s, a))),
    ),
    _law(
        "left distributive",
        (
            "a ( b + c ) = a b + a c",
            lambda s, a, b, c: (s.times(a, s.plus(b, c)), s.plus(s.times(a, b), s.times(a, c))),
        ),
    ),
    _law(
        "right distributive",
        (
            "( a + b ) c = a c + b c",
            lambda s, a, b, c: (s.times(s.plus(a, b), c), s.plus(s.times(a, c), s.times(b, c))),
        ),
    ),
    _law(
        "commutative",
        ("a b = b a", lambda s, a, b, c: (s.times(a, b), s.times(b, a))),
        declared="commutative",
    ),
    _law(
        "idempotent",
        ("a + a = a", lambda s, a, b, c: (s.plus(a, a), a)),
        declared="idempotent",
    ),
    Law("selective", "a + b is a or b", _selective, declared="selective"),
    _law(
        EXTREME,
        (
            "( a b ) ( b c ) = a ( b b ) c",
            lambda s, a, b, c: (
                s.times(s.times(a, b), s.times(b, c)),
                s.times(s.times(a, s.times(b, b)), c),
            ),
        ),
    ),
    Law("star", "star(a) = 1 + a star(a) = 1 + star(a) a", _star, declared="star"),
    Law(
        "star least",
        "star(a) is the limit of 1 + a + a a + ..., the least solution",
        _star_least,
        declared="star",
    ),
    Law(
        "division",
        "a + b divides a: (a + b) (a / (a + b)) = a",
        _division,
        declared="division",
    ),
)
"""The axioms, with the laws that are declared."""
