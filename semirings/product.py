"""The direct product of two semirings: two quantities in one pass."""

# | argument                      | value                        | gradient             |
# | ----------------------------- | ---------------------------- | -------------------- |
# | any operation on infinities   | as in each factor            | as in each factor    |
# | a tie                         | decided in each factor       | as in each factor    |
# | ``sum([])``                   | zero in both                 | (nothing)            |
# | ``log_weight(a)``             | as in the first              | as in the first      |

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax

from semirings.base import Condition, Groups, Laws, Semiring
from semirings.log import Log
from semirings.viterbi import Viterbi


class Pair(NamedTuple):
    """A value of each factor, of equal shape."""

    first: Any
    second: Any


@dataclass(frozen=True)
class Product(Semiring):
    """Pairs of values, with componentwise operations; ``log_weight`` reads the first.

    A product is not selective, since the factors may select different summands, nor balanced, so
    factors need a sufficient range, like ``Log`` but unlike ``Real``.
    """

    first: Semiring = Log()
    second: Semiring = Viterbi()

    name: ClassVar[str] = "product"

    @property
    def laws(self) -> Laws:
        first, second = self.first.laws, self.second.laws
        return Laws(
            commutative=first.commutative and second.commutative,
            idempotent=first.idempotent and second.idempotent,
            star=first.star and second.star,
            features=first.features or second.features,
            in_distribution=first.in_distribution or second.in_distribution,
            broken=first.broken | second.broken,
        )

    def zeros(self, shape: tuple[int, ...]) -> Pair:
        return Pair(self.first.zeros(shape), self.second.zeros(shape))

    def ones(self, shape: tuple[int, ...]) -> Pair:
        return Pair(self.first.ones(shape), self.second.ones(shape))

    def plus(self, a: Pair, b: Pair) -> Pair:
        return Pair(self.first.plus(a.first, b.first), self.second.plus(a.second, b.second))

    def times(self, a: Pair, b: Pair) -> Pair:
        return Pair(self.first.times(a.first, b.first), self.second.times(a.second, b.second))

    def sum(self, a: Pair, axis: int) -> Pair:
        return Pair(self.first.sum(a.first, axis), self.second.sum(a.second, axis))

    def prod(self, a: Pair, axis: int) -> Pair:
        return Pair(self.first.prod(a.first, axis), self.second.prod(a.second, axis))

    def matmul(self, a: Pair, b: Pair) -> Pair:
        return Pair(self.first.matmul(a.first, b.first), self.second.matmul(a.second, b.second))

    def group_sum(self, a: Pair, groups: Groups) -> Pair:
        return Pair(self.first.group_sum(a.first, groups), self.second.group_sum(a.second, groups))

    def group_spread(self, a: Pair, groups: Groups) -> Pair:
        return Pair(
            self.first.group_spread(a.first, groups), self.second.group_spread(a.second, groups)
        )

    def concatenate(self, values: Sequence[Pair], axis: int) -> Pair:
        return Pair(
            self.first.concatenate([value.first for value in values], axis),
            self.second.concatenate([value.second for value in values], axis),
        )

    def where(self, condition: Condition, a: Pair, b: Pair) -> Pair:
        return Pair(
            self.first.where(condition, a.first, b.first),
            self.second.where(condition, a.second, b.second),
        )

    def star(self, a: Pair) -> Pair:
        return Pair(self.first.star(a.first), self.second.star(a.second))

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Pair:
        return Pair(self.first.lift(log_weight, feature), self.second.lift(log_weight, feature))

    def log_weight(self, a: Pair) -> jax.Array:
        return self.first.log_weight(a.first)

    def observe(self, a: Pair) -> Pair:
        return Pair(self.first.observe(a.first), self.second.observe(a.second))
