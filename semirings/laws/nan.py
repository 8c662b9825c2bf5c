"""The law that NaN is never lost: a wrong weight does not become a plausible number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import jax
import jax.numpy as jnp

from semirings.base import Groups, Semiring, Value
from semirings.capabilities import Divisible, Selective
from semirings.laws.arrays import GROUPS, SHAPE
from semirings.laws.law import Equation, Law, Operands, at

ROW, COLUMN = 1, 2
"""The entry of each operand that is NaN."""

GROUPS_OF_ITEMS = Groups.of(range(SHAPE[-1]), SHAPE[-1])
"""Each item is a group of its own."""


def _nan(s: Semiring, o: Operands) -> Iterator[Equation]:
    entry = jnp.zeros(SHAPE, bool).at[ROW, COLUMN].set(True)
    row = entry.any(1)
    a, b = s.lift(jnp.where(entry, jnp.nan, o.w)), s.lift(o.w)
    transposed = [jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), x) for x in (a, b)]
    product = jnp.broadcast_to(row[:, None], (SHAPE[0], SHAPE[0]))
    values: dict[str, tuple[Value, jax.Array]] = {
        "lift": (a, entry),
        "plus": (s.plus(a, b), entry),
        "plus, on the right,": (s.plus(b, a), entry),
        "plus of zero": (s.plus(s.zeros(SHAPE), a), entry),
        "times": (s.times(a, b), entry),
        "times, on the right,": (s.times(b, a), entry),
        "times zero": (s.times(a, s.zeros(SHAPE)), entry),
        "zero times": (s.times(s.zeros(SHAPE), a), entry),
        "sum": (s.sum(a, -1), row),
        "prod": (s.prod(a, -1), row),
        "matmul": (s.matmul(a, transposed[1]), product),
        "matmul, on the right,": (s.matmul(b, transposed[0]), product.T),
        "balance": (s.balance(a, (-1,))[0], entry),
        # A matrix product spreads it over all groups.
        "group_sum": (at(s.group_sum(a, GROUPS), GROUPS.group[COLUMN]), row),
        "group_spread": (at(s.group_spread(a, GROUPS_OF_ITEMS), COLUMN), row),
    }
    if s.laws.star:
        values["star"] = s.star(a), entry
    if s.laws.division:
        values["divide"] = s.divide(a, b), entry
        values["divide, by NaN,"] = s.divide(b, a), entry
    for name, (value, expected) in values.items():
        seen = jnp.isnan(s.log_weight(value))
        statement = f"{name} of NaN is NaN, and nothing else is"
        yield Equation(
            statement, seen, jnp.broadcast_to(expected, seen.shape), {"log weights": o.w}
        )
    if isinstance(s, Divisible):
        share = jnp.isnan(cast("Callable[..., jax.Array]", s.shares)(a, -1))[:, ROW, COLUMN]
        yield Equation("the share of NaN is NaN", share, jnp.ones_like(share))
    if isinstance(s, Selective):
        chosen = s.select(a, -1)[:, ROW]
        yield Equation("select chooses NaN", chosen, jnp.full_like(chosen, COLUMN))


NAN: tuple[Law, ...] = (
    Law("NaN", "an operation on NaN is NaN, even where zero is a factor", _nan, shape=SHAPE),
)
"""The law of NaN."""
