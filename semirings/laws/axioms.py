"""The axioms of semirings, and further laws of ``plus`` and ``times`` that some declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp

from semirings.base import Semiring, Value
from semirings.capabilities import Selective
from semirings.laws.law import Equation, Law, Operands, equal_values

EXTREME = "extreme weights"
"""The law without which single values are not drawn from extreme weights."""

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


def _one(s: Semiring, a: Value) -> Value:
    return s.ones(jax.tree.leaves(a)[0].shape)


def _selective(s: Semiring, o: Operands) -> Iterator[Equation]:
    a, b, total = (s.observe(x) for x in (o.a, o.b, s.plus(o.a, o.b)))
    same = [x == y for x, y in zip(jax.tree.leaves(total), jax.tree.leaves(a), strict=True)]
    # One of the two as a whole: not this leaf of one and that leaf of the other.
    is_a = jnp.all(jnp.stack(same), 0)
    one_of_them = jax.tree.map(lambda x, y: jnp.where(is_a, x, y), a, b)
    yield Equation("a + b is a or b", total, one_of_them)


def _select(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation("a selective semiring is a semirings.Selective", isinstance(s, Selective), True)
    if not isinstance(s, Selective):
        return

    def pair(a: Value, b: Value) -> Value:
        return s.concatenate([jax.tree.map(lambda x: x[None], x) for x in (a, b)], 0)

    both = pair(o.a, o.b)
    chosen = s.where(s.select(both, 0) == 0, o.a, o.b)
    yield equal_values(s, "sum of a and b is what select names", s.sum(both, 0), chosen)
    first = s.select(pair(o.a, o.a), 0)
    yield Equation("select names the first of a and a", first, jnp.zeros_like(first))


def _star(s: Semiring, o: Operands) -> Iterator[Equation]:
    star = s.star(o.a)
    # Where the series does not converge its value is infinite, and says nothing.
    finite = s.log_weight(star) < jnp.inf
    for statement, product in (
        ("star( a ) = 1 + a star( a )", s.times(o.a, star)),
        ("star( a ) = 1 + star( a ) a", s.times(star, o.a)),
    ):
        right = s.where(finite, s.plus(_one(s, o.a), product), star)
        yield equal_values(s, statement, star, right)
    yield equal_values(s, "star(0) = 1", s.star(s.zeros((3,))), s.ones((3,)))


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
        ("a 1 = a", lambda s, a, b, c: (s.times(a, _one(s, a)), a)),
        ("1 a = a", lambda s, a, b, c: (s.times(_one(s, a), a), a)),
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
    Law("select", "select names the winner, the first of equals", _select, declared="selective"),
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
)
"""The axioms, with the laws that are declared."""
