"""The axioms of semirings, optional laws of ``plus`` and ``times``, and laws of extreme weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value, take
from semirings.capabilities import Divisible, Selective
from semirings.laws.law import Equation, Law, Operands, equal_values

# A semiring that breaks this law is not tested on extreme weights, except in arrays.
EXTREME = "extreme weights"

# Number of doublings of the partial sums of a series: up to 2**40 terms.
DOUBLINGS = 40

# Both sides of an equation, from the semiring and three of its values.
Sides = Callable[[Semiring, Value, Value, Value], tuple[Value, Value]]


def _law(name: str, *equations: tuple[str, Sides], declared: str = "") -> Law:
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
    # One operand as a whole, not leaves from both.
    is_a = jnp.all(jnp.stack(leaves_equal), 0)
    one_of_them = jax.tree.map(lambda x, y: jnp.where(is_a, x, y), a, b)
    yield Equation("a + b is a or b", total, one_of_them)


def _star(s: Semiring, o: Operands) -> Iterator[Equation]:
    star = s.star(o.a)
    # A diverging series is infinite and is not compared.
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


def _alike(s: Semiring, a: Value, b: Value) -> jax.Array:
    pairs = zip(jax.tree.leaves(s.observe(a)), jax.tree.leaves(s.observe(b)), strict=True)
    return jnp.all(jnp.stack([jnp.isclose(x, y, 1e-6, 1e-6) for x, y in pairs]), 0)


# The axioms, with the laws that are declared.
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
)


# Number of entries along a long axis: more than any operation unrolls.
LENGTH = 40

# Forty items in groups of 25, ten and five.
GROUPS = Groups.of([0, 1, 0, 2, 0, 1, 0, 0] * (LENGTH // 8), 3)

# Log weights far beyond the range of floats in linear space, whose sums are exact in float32.
LARGE = (300.0, -300.0, 2000.0, -2000.0)

# Values are raised to their 64th power.
SQUARINGS = 6


def _long_axes(s: Semiring, o: Operands) -> Iterator[Equation]:
    broken = s.laws.broken
    a = s.lift(jnp.maximum(o.w, -4.0) / 8, o.n)
    pieces = jax.tree.map(lambda x: x.reshape(-1, 4, LENGTH // 4), a)
    if "sum folds plus" not in broken:
        statement = f"the sum of {LENGTH} entries is that of four sums"
        yield equal_values(s, statement, s.sum(a, -1), s.sum(s.sum(pieces, -1), -1))
    if "prod folds times" not in broken and "times associative" not in broken:
        statement = f"the product of {LENGTH} entries is that of four products"
        yield equal_values(s, statement, s.prod(a, -1), s.prod(s.prod(pieces, -1), -1))
    if "matmul" not in broken:
        row = take[:, None, :](a)
        column = jax.tree.map(lambda x: jnp.flip(x, -1)[:, :, None], a)
        statement = f"matmul over {LENGTH} entries is the sum of products"
        yield equal_values(s, statement, s.matmul(row, column), Semiring.matmul(s, row, column))
    if "group sum" not in broken:
        summed = s.group_sum(a, GROUPS)
        for group in range(3):
            members = np.flatnonzero(GROUPS.group == group)
            expected = s.sum(take[:, members](a), -1)
            statement = f"a group of {len(members)} is their sum"
            yield equal_values(s, statement, take[..., group](summed), expected)
    if "group spread" not in broken:
        spread = s.group_spread(take[..., :3](a), GROUPS)
        expected = take[:, GROUPS.group](a)
        yield equal_values(s, f"group_spread to {LENGTH} items", spread, expected)
    if isinstance(s, Selective) and "select" not in broken:
        index = s.select(a, -1)[:, None]
        chosen = jax.tree.map(lambda x: jnp.take_along_axis(x, index, -1)[:, 0], a)
        yield equal_values(s, f"select names the sum of {LENGTH}", s.sum(a, -1), chosen)
    if isinstance(s, Divisible) and "shares" not in broken:
        nested = s.shares(pieces, -1) * s.shares(s.sum(pieces, -1), -1)[..., None]
        statement = f"shares of {LENGTH} are shares of four pieces times the shares of these"
        yield Equation(statement, nested.reshape(o.w.shape), s.shares(a, -1))


def _large_weights(s: Semiring, o: Operands) -> Iterator[Equation]:
    w = jnp.asarray(LARGE, jnp.float32)
    a, zero, unit = s.lift(w), s.zeros(w.shape), s.ones(w.shape)
    column = take[:, None](a)

    def read(operation: str, value: Value, expected: jax.Array) -> Equation:
        statement = f"{operation} of large weights reads as in exact arithmetic"
        return Equation(statement, s.log_weight(value), expected, {"log weights": w})

    def joined(second: Value) -> Value:
        return s.concatenate([column, take[:, None](second)], 1)

    yield read("lift", a, w)
    yield read("plus zero", s.plus(a, zero), w)
    yield read("times", s.times(a, a), 2 * w)
    yield read("times one", s.times(a, unit), w)
    yield read("sum", s.sum(joined(zero), 1), w)
    yield read("prod", s.prod(joined(a), 1), 2 * w)
    yield read("matmul", s.matmul(column, jax.tree.map(lambda x: x.T, column)),
               w[:, None] + w[None])  # fmt: skip
    pair = Groups.of([0, 0], 1)
    yield read("group_sum", take[..., 0](s.group_sum(joined(zero), pair)), w)


def _large_values(s: Semiring, o: Operands) -> Iterator[Equation]:
    """Compare sums of powers, which hold large features, entropies or divergences.

    The first factor is a large power, the second may be small, so an upper bound on values affects
    only one of the two products.
    """

    def power(a: Value, times: int) -> Value:
        def square(_: int, a: Value) -> Value:
            # Each weight is rescaled separately, so that small ones do not become denormal;
            # features and entropies double.
            return s.balance(s.times(a, a), ())[0]

        return jax.lax.fori_loop(0, times, square, a)

    pairs = jax.tree.map(lambda x: x.reshape(-1, 2), s.lift(jnp.clip(o.w, -3.0, 3.0), o.n))
    base = s.sum(pairs, -1)
    count = jax.tree.leaves(base)[0].shape[0] // 3
    x, y, z = (take[i * count : (i + 1) * count](base) for i in range(3))
    x = power(x, SQUARINGS)
    for squarings in (2, 4, SQUARINGS):
        large = power(y, squarings)
        left = s.times(x, s.plus(large, z))
        right = s.plus(s.times(x, large), s.times(x, z))
        statement = f"a ( b + c ) = a b + a c for the powers {2**SQUARINGS} and {2**squarings}"
        yield equal_values(s, statement, left, right)


SCALE: tuple[Law, ...] = (
    Law("long axes", f"operations along {LENGTH} entries are those along parts",
        _long_axes, shape=(LENGTH,)),
    Law("large weights", "weights from e**-2000 to e**2000 are read back, as products are",
        _large_weights, follows=(EXTREME, "read back", "weight one")),
    Law("large values", "times distributes over plus where features and entropies are large",
        _large_values, follows=("left distributive", "times associative", "balance")),
)  # fmt: skip
