"""The laws of ``select``, ``shares`` and ``seeds``, and the law of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from semirings.base import Groups, Semiring, Value, take
from semirings.capabilities import Divisible, Marking, Selective, Stochastic
from semirings.laws.axioms import EXTREME
from semirings.laws.law import FAST, Equation, Law, Operands, Pull, equal_values

# Number of values in an expression, a to i.
PARTS = 9

# The axes of an operand besides the draws.
SHAPE = (3, PARTS)

# Numbers of summands and their axis.
PLACES = ((1, 1), (3, -3), (6, 0), (9, -1))


def _places(a: Value) -> Iterator[tuple[str, Value, int]]:
    for size, axis in PLACES:
        part = jax.tree.map(lambda x, n=size, i=axis: jnp.moveaxis(x[..., :n], -1, i), a)
        yield f"{size} of a along axis {axis}", part, axis


def _take_along(a: Value, index: jax.Array, axis: int) -> Value:
    at = jnp.expand_dims(index, axis)
    return jax.tree.map(lambda x: jnp.squeeze(jnp.take_along_axis(x, at, axis), axis), a)


def _select(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation("a selective semiring is a semirings.Selective", isinstance(s, Selective), True)
    if not isinstance(s, Selective):
        return
    for place, a, axis in _places(o.a):
        chosen = s.select(a, axis)
        statement = f"sum of {place} is what select names"
        yield equal_values(s, statement, s.sum(a, axis), _take_along(a, chosen, axis))
        twice = s.concatenate([a, a], axis)
        statement = f"select names the first of equals, {place} twice"
        yield Equation(statement, s.select(twice, axis), chosen)


def _shares(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Divisible, semiring)
    for place, a, axis in _places(o.a):
        shares, total = s.shares(a, axis), s.sum(a, axis)
        some = s.log_weight(total) > -jnp.inf
        statement = f"shares of {place} add up to one, or to zero of zero"
        yield Equation(statement, jnp.sum(shares, axis), some.astype(shares.dtype))
        none = s.log_weight(a) == -jnp.inf
        statement = f"zero has no share of {place}"
        yield Equation(statement, jnp.where(none, shares, 0.0), jnp.zeros_like(shares))
        if isinstance(s, Selective):
            statement = f"the share of the winner of {place} is one"
            won = _take_along(shares, s.select(a, axis), axis)
            yield Equation(statement, won, some.astype(won.dtype))
        elif not s.laws.idempotent:
            relative = s.log_weight(a) - jnp.expand_dims(s.log_weight(total), axis)
            statement = f"shares of {place} are quotients of weights"
            expected = jnp.where(none, 0.0, jnp.exp(relative))
            yield Equation(statement, shares, expected.astype(shares.dtype))
    # Nested sums: the share within a group times the share of the group.
    pairs = jax.tree.map(lambda x: x[..., :8].reshape(*x.shape[:-1], 4, 2), o.a)
    flat = take[..., :8](o.a)
    nested = s.shares(pairs, -1) * s.shares(s.sum(pairs, -1), -1)[..., None]
    statement = "shares of eight of a are shares of pairs times the shares of these"
    yield Equation(statement, nested.reshape(o.w[..., :8].shape), s.shares(flat, -1))


def _marks(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Marking, semiring)
    w = np.where(np.isfinite(o.w[:, 0]), o.w[:, 0], np.float32(0.5))
    # One part has weight zero; all others are nonzero.
    w[:, 2] = -np.inf
    read = cast("Read", jax.jit(partial(_chosen, s), compiler_options=FAST))
    for expression in EXPRESSIONS:
        mark = jax.jit(partial(_marked, expression, s), compiler_options=FAST)
        yield from _as_marked(expression, w, *cast("Marks", mark(w)), read)


# Parts by rank, the total as observed and its log weight.
Marks = tuple[np.ndarray, Value, jax.Array]
# Returns the sum of derivations as observed, and the log weight of each.
Read = Callable[[np.ndarray, np.ndarray], tuple[Value, jax.Array]]


def _marked(expression: Expression, s: Marking, w: jax.Array) -> tuple[jax.Array, Value, jax.Array]:
    def total(feature: jax.Array) -> Value:
        return expression.value(s, s.lift(w, feature))

    value, pull = cast("tuple[Value, Pull]", jax.vjp(total, jnp.zeros_like(w)))
    seeds = s.seeds(value)

    def mark(seed: Value) -> jax.Array:
        return pull(seed)[0]

    has_ranks = jax.tree.leaves(seeds)[-1].ndim > w.ndim - 1
    ranks = jax.vmap(mark)(seeds) if has_ranks else mark(seeds)[None]
    return ranks, s.observe(value), s.log_weight(value)


def _chosen(s: Marking, w: jax.Array, factors: jax.Array) -> tuple[Value, jax.Array]:
    """Multiply the factors ``[draws, ranks, factors]`` of derivations, and add the products."""
    rows = jnp.arange(len(w))[:, None, None]
    products = s.prod(take[rows, factors](s.lift(w)), -1)
    return s.observe(s.sum(products, 1)), s.log_weight(products)


def _as_marked(
    expression: Expression, w: np.ndarray, marks: np.ndarray, total: Value, best: jax.Array,
    read: Read,
) -> Iterator[Equation]:  # fmt: skip
    """Compare marked parts with enumerated derivations; NumPy needs no compilation."""
    possible = [d for d in expression.derivations if 2 not in d]
    ranks = np.moveaxis(np.asarray(marks), 0, 1)[:, : len(possible)]
    is_derivation = np.all(ranks[:, :, None] == expression.parts(possible), -1)
    beside, text = {"log weights": w, "marked": ranks}, expression.text
    statement = f"{text} : each rank marks a derivation"
    yield Equation(
        statement, np.any(is_derivation, -1), np.ones(is_derivation.shape[:2], bool), beside
    )
    statement = f"{text} : each rank marks another derivation"
    count = np.sum(np.any(is_derivation, 1), -1)
    yield Equation(statement, count, np.full_like(count, is_derivation.shape[1]), beside)
    # All derivations of an expression have equally many factors.
    added, weights = read(w, np.array(possible)[np.argmax(is_derivation, -1)])
    yield Equation(f"{text} : what is marked adds up to the total", added, total, beside)
    falling = np.minimum.accumulate(np.asarray(weights), axis=1)
    yield Equation(f"{text} : weights fall with rank", weights, falling, beside)
    yield Equation(f"{text} : the first rank marks the best", weights[:, 0], best, beside)


CHOICES: tuple[Law, ...] = (
    Law(
        "select",
        "select names the winner, the first of equals",
        _select,
        declared="selective",
        shape=SHAPE,
    ),
    Law(
        "shares",
        "shares say what each summand is of its sum",
        _shares,
        capability=Divisible,
        shape=SHAPE,
    ),
    Law(
        "marks",
        "the parts that seeds mark, multiplied, give the total",
        _marks,
        capability=Marking,
        shape=SHAPE,
        compiled=False,
    ),
)

# Number of samples for each item from each expression.
SAMPLES = 20_000

# Weights that differ enough for wrong powers, or added constants, to be detected.
WEIGHTS = (0.1, 8.0, 1.0, 0.0, 0.5, 3.0, 20.0, 0.3, 2.0)

# Log factors of the items' weights, which change no proportion.
SCALES = (60.0, -60.0, 0.0, 30.0)


def _in_distribution(s: Semiring, o: Operands) -> Iterator[Equation]:
    yield Equation(
        "a semiring that draws is a semirings.Stochastic", isinstance(s, Stochastic), True
    )
    if not isinstance(s, Stochastic):
        return
    seeds = (s.seed(jax.random.key(0), (5, 2)) for _ in range(2))
    yield Equation("the same key makes the same seeds", next(seeds), next(seeds))
    scales = jnp.zeros(len(SCALES)) if EXTREME in s.laws.broken else jnp.array(SCALES)
    # Weights are read back after lifting: a semiring may transform them and sample accordingly.
    for expression in (*EXPRESSIONS, WIDE):
        weights = scales[:, None] + jnp.log(jnp.resize(jnp.array(WEIGHTS), (expression.size,)))
        weights = weights.astype(jnp.float32)
        read = np.exp(np.asarray(s.log_weight(s.lift(weights[0])), np.float64) - scales[0])
        draw = jax.jit(partial(_drawn, s, expression, weights))
        index, again, other_key = (np.asarray(draw(jax.random.key(key))) for key in (0, 0, 1))
        text, size = expression.text, len(expression.derivations)
        yield Equation(f"the same key draws the same from {text}", again, index)
        yield Equation(f"what is drawn from {text} is a derivation", int(index.min()) >= 0, True)
        weight = np.array([np.prod(read[list(d)]) for d in expression.derivations])
        share = weight / weight.sum()
        counts = np.bincount(index.ravel(), minlength=size)
        yield _as_expected(f"{text} is drawn by weight", counts, share)
        for pair, x, y in (
            ("two items of a draw", index[:, 0], index[:, 1]),
            ("the first and the third item of a draw", index[:, 0], index[:, 2]),
            ("the last two items of a draw", index[:, 2], index[:, 3]),
            ("a draw and the next", index[::2, 0], index[1::2, 0]),
            ("draws of two keys", index[:, 0], other_key[:, 0]),
        ):
            joint = np.bincount(x * size + y, minlength=size * size)
            statement = f"{pair} from {text} are independent"
            yield _as_expected(statement, joint, np.outer(share, share).ravel())


def _as_expected(statement: str, counts: np.ndarray, share: np.ndarray) -> Equation:
    """Compare counts with expectations, merging cells with small expected counts."""
    expected = counts.sum() * share
    rare = (expected < 5) & (share > 0)
    x, y = (np.append(each[~rare], each[rare].sum()) for each in (counts, expected))
    beside = {"drawn": counts, "expected": expected}
    return Equation(statement, by_chance((x - y) ** 2, y), True, beside)


def _drawn(s: Stochastic, expression: Expression, weights: jax.Array, key: jax.Array) -> jax.Array:
    """Sample indices of derivations of an expression, ``[SAMPLES, 4]``, -1 if not a derivation."""

    def total(feature: jax.Array) -> Value:
        return expression.value(s, s.lift(weights, feature))

    pull = cast(Pull, jax.vjp(total, jnp.zeros_like(weights))[1])
    marks = jax.vmap(lambda seed: pull(seed)[0])(s.seed(key, (SAMPLES, len(weights))))
    is_derivation = jnp.all(marks[:, :, None] == expression.parts(expression.derivations), -1)
    return jnp.where(jnp.any(is_derivation, -1), jnp.argmax(is_derivation, -1), -1)


def by_chance(squares: np.ndarray, variances: np.ndarray) -> bool:
    """Return whether Pearson's chi-squared statistic has a p-value above 1e-4.

    Args:
        squares: squared differences of counts, by cell.
        variances: their expected values, up to the factor one minus the share of the cell; zero for
            cells that must not differ.
    """
    cells = variances > 0
    if np.any(squares[~cells] > 0):
        return False
    freedom = max(1, int(cells.sum()) - 1)
    statistic = float(np.sum(squares[cells] / variances[cells]))
    return bool(stats.chi2.sf(statistic, freedom) > 1e-4)


DISTRIBUTION: tuple[Law, ...] = (
    Law(
        "in distribution",
        "what is drawn is a derivation, in proportion to its weight, and independent",
        _in_distribution,
        declared="in_distribution",
        compiled=False,
    ),
)

# Four and five items.
GROUPS = Groups.of([0, 1, 0, 1, 1, 0, 1, 0, 1], 2)

# The positions of its factors, in order.
Derivation = tuple[int, ...]


class Expression(NamedTuple):
    """A sum of products in which no two terms have the same factors.

    Attributes:
        text: in ordinary notation.
        value: computes ``[...]`` from ``[..., size]`` in any semiring.
    """

    text: str
    value: Callable[[Semiring, Value], Value]
    derivations: tuple[Derivation, ...]
    size: int = PARTS

    def parts(self, derivations: Sequence[Derivation]) -> np.ndarray:
        """Return ``[derivations, size]``: true for each factor of a derivation."""
        return np.array([[i in d for i in range(self.size)] for d in derivations])


def _sum(s: Semiring, a: Value) -> Value:
    return s.sum(a, -1)


def _left(s: Semiring, a: Value) -> Value:
    return s.plus(s.plus(take[..., 0](a), take[..., 1](a)), take[..., 2](a))


def _right(s: Semiring, a: Value) -> Value:
    return s.plus(take[..., 0](a), s.plus(take[..., 1](a), take[..., 2](a)))


def _nested(s: Semiring, a: Value) -> Value:
    first = s.times(take[..., 0](a), s.plus(take[..., 1](a), take[..., 2](a)))
    return s.plus(first, s.times(s.plus(take[..., 3](a), take[..., 4](a)), take[..., 5](a)))


def _spread(s: Semiring, a: Value) -> Value:
    a, b, c = (take[..., i](a) for i in range(3))
    return s.plus(s.times(a, b), s.times(a, c))


def _two_sums(s: Semiring, a: Value) -> Value:
    return s.times(s.sum(take[..., :3](a), -1), s.sum(take[..., 3:6](a), -1))


def _four_sums(s: Semiring, a: Value) -> Value:
    pairs = jax.tree.map(lambda x: x[..., :8].reshape(*x.shape[:-1], 4, 2), a)
    return s.prod(s.sum(pairs, -1), -1)


def _matrices(s: Semiring, a: Value) -> Value:
    row, column = take[..., None, :4](a), take[..., 4:8, None](a)
    return take[..., 0, 0](s.matmul(row, column))


def _groups(s: Semiring, a: Value) -> Value:
    summed = s.group_sum(a, GROUPS)
    return s.times(take[..., 0](summed), take[..., 1](summed))


def _balanced(s: Semiring, a: Value) -> Value:
    first, second = (s.sum(take[..., x](a), -1) for x in (slice(4), slice(4, 9)))
    joined = s.concatenate([take[..., None](first), take[..., None](second)], -1)
    scaled, factor = s.balance(joined, (-1,))
    product = s.prod(scaled, -1)
    # Multiplied once for each of the two.
    return s.where(factor == 0, product, s.times(s.lift(2 * factor), product))


def _members(group: int) -> list[int]:
    return np.flatnonzero(GROUPS.group == group).tolist()


# Homogeneous expressions: scaling all parts changes no share.
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

# More summands than any unrolled sum has.
WIDE = Expression("the sum of 24 values", _sum, tuple((i,) for i in range(24)), 24)
