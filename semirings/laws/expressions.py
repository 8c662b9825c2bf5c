"""Expressions over nine values with all their derivations listed, an oracle for marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import jax
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.laws.law import at

PARTS = 9
"""The number of values in an expression, a to i."""

GROUPS = Groups.of([0, 1, 0, 1, 1, 0, 1, 0, 1], 2)
"""Four and five items."""

Derivation = tuple[int, ...]
"""The positions of its factors, in order."""


class Expression(NamedTuple):
    """A sum of products in which no two terms have the same factors.

    Attributes:
        text: the expression in ordinary notation.
        value: computes ``[...]`` from ``[..., 9]`` in any semiring.
        derivations: its terms.
        size: the number of its values.
    """

    text: str
    value: Callable[[Semiring, Value], Value]
    derivations: tuple[Derivation, ...]
    size: int = PARTS

    def parts(self, derivations: Sequence[Derivation]) -> np.ndarray:
        """Return booleans, ``[derivations, size]``: true for each factor of the derivation."""
        return np.array([[i in d for i in range(self.size)] for d in derivations])


def _sum(s: Semiring, a: Value) -> Value:
    return s.sum(a, -1)


def _left(s: Semiring, a: Value) -> Value:
    return s.plus(s.plus(at(a, 0), at(a, 1)), at(a, 2))


def _right(s: Semiring, a: Value) -> Value:
    return s.plus(at(a, 0), s.plus(at(a, 1), at(a, 2)))


def _nested(s: Semiring, a: Value) -> Value:
    first = s.times(at(a, 0), s.plus(at(a, 1), at(a, 2)))
    return s.plus(first, s.times(s.plus(at(a, 3), at(a, 4)), at(a, 5)))


def _spread(s: Semiring, a: Value) -> Value:
    a, b, c = (at(a, i) for i in range(3))
    return s.plus(s.times(a, b), s.times(a, c))


def _two_sums(s: Semiring, a: Value) -> Value:
    return s.times(s.sum(at(a, slice(3)), -1), s.sum(at(a, slice(3, 6)), -1))


def _four_sums(s: Semiring, a: Value) -> Value:
    pairs = jax.tree.map(lambda x: x[..., :8].reshape(*x.shape[:-1], 4, 2), a)
    return s.prod(s.sum(pairs, -1), -1)


def _matrices(s: Semiring, a: Value) -> Value:
    row, column = at(a, None, slice(4)), at(a, slice(4, 8), None)
    return at(s.matmul(row, column), 0, 0)


def _groups(s: Semiring, a: Value) -> Value:
    summed = s.group_sum(a, GROUPS)
    return s.times(at(summed, 0), at(summed, 1))


def _balanced(s: Semiring, a: Value) -> Value:
    first, second = (s.sum(at(a, x), -1) for x in (slice(4), slice(4, 9)))
    joined = s.concatenate([at(first, None), at(second, None)], -1)
    scaled, factor = s.balance(joined, (-1,))
    product = s.prod(scaled, -1)
    # Put back once for each of the two.
    return s.where(factor == 0, product, s.times(s.lift(2 * factor), product))


def _members(group: int) -> list[int]:
    return np.flatnonzero(GROUPS.group == group).tolist()


EXPRESSIONS: tuple[Expression, ...] = (
    Expression("the sum of a to i", _sum, tuple((i,) for i in range(PARTS))),
    Expression("(a + b + c) (d + e + f)", _two_sums, tuple(product(range(3), range(3, 6)))),
    Expression("(a + b) + c", _left, ((0,), (1,), (2,))),
    Expression("a + (b + c)", _right, ((0,), (1,), (2,))),
    Expression("a (b + c) + (d + e) f", _nested, ((0, 1), (0, 2), (3, 5), (4, 5))),
    Expression("a b + a c", _spread, ((0, 1), (0, 2))),
    Expression(
        "the product of the sums of pairs",
        _four_sums,
        tuple(product(*((i, i + 1) for i in range(0, 8, 2)))),
    ),
    Expression("matmul of [a b c d] and [e f g h]", _matrices, tuple((i, i + 4) for i in range(4))),
    Expression("the product of two groups", _groups, tuple(product(_members(0), _members(1)))),
    Expression(
        "the product of two balanced sums", _balanced, tuple(product(range(4), range(4, 9)))
    ),
)
"""Homogeneous expressions: scaling all parts does not change any share."""

WIDE = Expression("the sum of 24 values", _sum, tuple((i,) for i in range(24)), 24)
"""More summands than any unrolled sum has."""
