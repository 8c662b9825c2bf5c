"""The laws of semirings that lift a weight twice: into two factors, or with two features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from semirings.base import Semiring
from semirings.expectation import Covariance
from semirings.laws.law import Equation, Law, Operands
from semirings.product import Product


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
"""The laws of pairs."""
