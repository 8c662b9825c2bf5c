"""The laws of transformations: compiling, batching, differentiating, and other dtypes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.capabilities import Divisible, Selective
from semirings.laws.arrays import GROUPS, SHAPE
from semirings.laws.law import Equation, Law, Operands, Pull, at, equal_values

_ALWAYS = np.ones((), bool)

FOUR = Groups.of([2, 0, 2, 0], 4)
"""Four items in four groups."""


def _expression(s: Semiring, w: jax.Array, n: jax.Array) -> Value:
    """Reduce ``[..., 3, 9]`` lifted weights to ``[...]`` by the methods that semirings override."""
    a = s.lift(w, n)
    grouped = s.group_spread(s.group_sum(a, GROUPS), GROUPS)
    row = s.prod(at(grouped, slice(2), slice(None)), -2)
    product = s.matmul(at(row, None, slice(None)), at(a, 2, slice(None), None))
    return at(product, 0, 0)


def _jit(s: Semiring, o: Operands) -> Iterator[Equation]:
    def combined(semiring: Semiring, a: Value, w: jax.Array, n: jax.Array) -> Value:
        return semiring.plus(semiring.times(a, semiring.lift(w, n)), a)

    compiled = jax.jit(combined, static_argnums=0)
    statement = "a lifted w and n + a is the same when compiled"
    yield equal_values(s, statement, compiled(s, o.a, o.w, o.n), combined(s, o.a, o.w, o.n))


def _vmap(s: Semiring, o: Operands) -> Iterator[Equation]:
    batched = jax.vmap(lambda w, n: _expression(s, w, n))(o.w, o.n)
    yield equal_values(s, "vmap over w and n changes nothing", batched, _expression(s, o.w, o.n))


def _checkpoint(s: Semiring, o: Operands) -> Iterator[Equation]:
    def total(w: jax.Array) -> tuple[jax.Array, Any]:
        value = _expression(s, w, o.n)
        return s.log_weight(value), s.observe(value)

    def both(f: Callable[[jax.Array], Any]) -> tuple[Any, jax.Array]:
        read, pull, seen = cast("tuple[jax.Array, Pull, Any]", jax.vjp(f, o.w, has_aux=True))
        return seen, pull(jnp.ones_like(read))[0]

    (seen, gradient), (again, its_gradient) = both(total), both(jax.checkpoint(total))
    yield Equation("checkpoint changes no value of w and n", again, seen)
    yield Equation("checkpoint changes no gradient at w and n", its_gradient, gradient)


def operations_of(s: Semiring) -> dict[str, Callable[[Value], Value]]:
    """Return the operations to differentiate, each a function of an array of values."""
    groups = Groups.of([0, 1, 0, 1, 1, 0, 1, 0, 1], 3)

    def turned(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.flip(x, -1), a)

    def transposed(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), a)

    def balanced(a: Value) -> Value:
        rest, factor = s.balance(a, (-1,))
        # The factor is constant under differentiation; multiplying by it restores the derivative.
        return s.times(s.lift(factor[..., None]), rest)

    found: dict[str, Callable[[Value], Value]] = {
        "lift": lambda a: a,
        "plus": lambda a: s.plus(a, turned(a)),
        "times": lambda a: s.times(a, turned(a)),
        "sum": lambda a: s.sum(s.sum(a, -1), -1),
        "prod": lambda a: s.sum(s.prod(a, -1), -1),
        "matmul": lambda a: s.matmul(a, transposed(a)),
        "group_sum": lambda a: s.group_sum(a, groups),
        "balance": balanced,
    }
    if s.laws.star:
        found["star"] = s.star
    return found


def _floats_of(s: Semiring, a: Value) -> list[jax.Array]:
    """Return the log weights of values, and all other floating leaves of ``observe``."""
    leaves = [s.log_weight(a), *jax.tree.leaves(s.observe(a))]
    return [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]


def by_draw(x: jax.Array) -> jax.Array:
    """Sum over all axes but the first."""
    return jnp.sum(x, tuple(range(1, x.ndim)))


def _forward_mode(s: Semiring, o: Operands) -> Iterator[Equation]:
    w = jnp.where(jnp.isfinite(o.w), o.w, 0.5)

    def outputs(w: jax.Array) -> list[jax.Array]:
        a = s.lift(w, o.n)
        values = [operation(a) for operation in operations_of(s).values()]
        return [x for value in (*values, _expression(s, w, o.n)) for x in _floats_of(s, value)]

    generator = np.random.default_rng(0)

    def like(x: jax.Array) -> jax.Array:
        return jnp.asarray(generator.normal(size=x.shape), x.dtype)

    direction = like(w)
    values, forward = jax.jvp(outputs, (w,), (direction,))
    # Derivatives of infinities are not constrained.
    cotangents = [jnp.where(jnp.isfinite(x), like(x), 0.0) for x in values]
    backward = cast(Pull, jax.vjp(outputs, w)[1])(cotangents)[0]
    pushed = [
        by_draw(jnp.where(c == 0, 0.0, c * t)) for c, t in zip(cotangents, forward, strict=True)
    ]
    pulled = by_draw(backward * direction)
    size = sum((jnp.abs(x) for x in pushed), 1.0) + by_draw(jnp.abs(backward * direction))
    statement = "u (J v) = (u J) v relative to its terms, at w and n"
    yield Equation(statement, sum(pushed) / size, pulled / size)


STEP = 2.0**-7
"""The step of finite differences."""

SLACK = 0.02
"""The part of a difference that may come from curvature and rounding."""


def _gradients(s: Semiring, o: Operands) -> Iterator[Equation]:
    generator = np.random.default_rng(0)
    drawn = generator.uniform(-2.0, 2.0, o.w.shape)
    if not s.laws.selective:
        # These arrays read the same in both directions: what is added to its mirror image ties.
        drawn[:16, :, 5:] = drawn[:16, :, 3::-1]
    w = jnp.asarray(drawn, jnp.float32)
    v = jnp.asarray(generator.normal(size=o.w.shape), jnp.float32)
    n = 1 + jnp.abs(o.n)
    places = STEP * jnp.array([1.0, 0.5, 0.0, -0.5, -1.0], jnp.float32)
    around = w + places.reshape(-1, 1, 1, 1) * v
    operations = operations_of(s)
    if "balance restores" in s.laws.broken:
        # Without its constant factor the slope of a value differs from its gradient.
        del operations["balance"]
    for name, operation in operations.items():

        def outputs(
            w: jax.Array, operation: Callable[[Value], Value] = operation
        ) -> list[jax.Array]:
            return _floats_of(s, operation(s.lift(w, jnp.broadcast_to(n, w.shape))))

        values, pull = cast("tuple[list[jax.Array], Pull]", jax.vjp(outputs, w))
        weights = [generator.uniform(0.5, 1.5, x.shape) for x in values]
        finite = [jnp.isfinite(x) for x in values]
        cotangents = [
            jnp.where(some, jnp.asarray(u, x.dtype), 0.0)
            for some, u, x in zip(finite, weights, values, strict=True)
        ]
        slope = by_draw(pull(cotangents)[0] * v)

        near = outputs(around)

        def difference(
            first: int,
            second: int,
            near: list[jax.Array] = near,
            cotangents: list[jax.Array] = cotangents,
        ) -> jax.Array:
            """Return the difference quotient of the outputs, weighted like the gradient."""
            terms = (
                by_draw(jnp.where(u == 0, 0.0, u * jnp.subtract(x[first], x[second])))
                for u, x in zip(cotangents, near, strict=True)
            )
            return sum(terms, jnp.zeros(len(w))) / (places[first] - places[second])

        parts, central = jnp.stack([difference(i, i + 1) for i in range(4)]), difference(0, 4)
        slack = SLACK * (1 + 2 * jnp.max(jnp.abs(parts), 0))
        # Near a kink or a pole some neighbours have a different derivative, or none.
        spread = jnp.max(parts, 0) - jnp.min(parts, 0)
        rough = ~(spread <= slack) | ~jnp.isfinite(spread)
        agree = jnp.abs(slope - central) <= slack
        left, right = jnp.where(agree, central, slope), central
        left, right = (jnp.where(rough, 0.0, x) for x in (left, right))
        statement = f"the slope of {name} by the gradient is that by finite differences"
        yield Equation(statement, left, right, {"log weights": w, "feature": n, "direction": v})


def _gradients_at_zero(s: Semiring, o: Operands) -> Iterator[Equation]:
    # The first array is all zeros, the second has a row and a column of zeros.
    w = o.w.at[0].set(-jnp.inf).at[1, 0].set(-jnp.inf).at[1, :, 0].set(-jnp.inf)
    for name, operation in operations_of(s).items():

        def read(w: jax.Array, operation: Callable[[Value], Value] = operation) -> jax.Array:
            return s.log_weight(operation(s.lift(w)))

        values, pull = cast("tuple[jax.Array, Pull]", jax.vjp(read, w))
        gradient = pull(jnp.where(values < jnp.inf, 1.0, 0.0).astype(values.dtype))[0]
        finite = jnp.isfinite(gradient)
        statement = f"the gradient of log_weight through {name} is finite"
        yield Equation(
            statement, finite, jnp.ones_like(finite), {"log weights": w, "gradient": gradient}
        )


def _gradients_of_ties(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Selective, semiring)
    w = jnp.concatenate([o.w, o.w], -1)

    def gradient(through: Callable[[Value], Value]) -> tuple[jax.Array, jax.Array]:
        def read(w: jax.Array) -> jax.Array:
            return s.log_weight(through(s.lift(w)))

        values, pull = cast("tuple[jax.Array, Pull]", jax.vjp(read, w))
        return values, pull(jnp.ones_like(values))[0]

    # Booleans and strings have no floating leaves.
    _, own = gradient(lambda a: a)
    ways: dict[str, tuple[Callable[[Value], Value], jax.Array]] = {
        "sum": (lambda a: s.sum(a, -1), s.select(s.lift(w), -1)),
        "plus": (
            lambda a: s.plus(at(a, 0), at(a, SHAPE[-1])),
            jnp.zeros(w.shape[:-1], jnp.int32),
        ),
        "matmul": (
            lambda a: at(s.matmul(at(a, None, slice(None)), s.ones((2 * SHAPE[-1], 1))), 0, 0),
            s.select(s.lift(w), -1),
        ),
        "group_sum": (
            lambda a: at(s.group_sum(a, Groups.of([0] * (2 * SHAPE[-1]), 1)), 0),
            s.select(s.lift(w), -1),
        ),
    }
    for name, (operation, winner) in ways.items():
        total, found = gradient(operation)
        some = (total > -jnp.inf)[..., None]
        whole = jnp.where(jnp.arange(w.shape[-1]) == winner[..., None], own, 0.0)
        statement = f"the gradient of {name} of equals goes to one winner, the first"
        left, right = (jnp.where(some, x, 0.0) for x in (found, whole))
        yield Equation(statement, left, right, {"log weights": w})


def _repeatable(s: Semiring, o: Operands) -> Iterator[Equation]:
    first, again = _program(s), _program(s)
    yield Equation("the same calls make programs of the same length", len(again), len(first))
    apart = [pair for pair in zip(first, again, strict=False) if pair[0] != pair[1]]
    left, right = apart[0] if apart else ("", "")
    yield Equation("the same calls make the same program", left, right)


def _program(s: Semiring) -> list[str]:
    """Return the traced program of every method as lines, to be compared without running it."""
    closed = jax.make_jaxpr(lambda w: results(s, w))(jnp.ones((4, 4), jnp.float32))
    text = re.sub(r" at 0x[0-9a-f]+", "", str(closed))
    return [*text.splitlines(), *(np.array2string(np.asarray(x)) for x in closed.consts)]


def _dtypes(s: Semiring, o: Operands) -> Iterator[Equation]:
    with jax.enable_x64(True):
        for name, make in (("zeros", s.zeros), ("ones", s.ones)):
            value = jax.eval_shape(lambda make=make: make((2, 2)))
            yield from _floats(f"{name} are", value, "float32")
        for dtype in ("float32", "float64"):
            # Only shapes and dtypes are evaluated.
            found = jax.eval_shape(lambda w: results(s, w), jnp.ones((4, 4), dtype))
            others = _dtypes_of(found["lift with a feature"], floating=False)
            for operation, value in found.items():
                made = f"what {operation} makes of {dtype}"
                yield from _floats(f"{made} is", value, dtype)
                if operation not in ("select", "log_weight", "shares"):
                    more = sorted({*_dtypes_of(value, floating=False), *others})
                    yield Equation(f"{made} has no other dtypes than lift", more, others)


def results(s: Semiring, w: jax.Array) -> dict[str, Value]:
    """Return the result of every method, by name.

    Args:
        s: the semiring.
        w: ``[4, 4]`` log weights.
    """
    a = s.lift(w, jnp.ones_like(w))
    found = {
        "lift": s.lift(w),
        "lift with a feature": a,
        "plus": s.plus(a, a),
        "times": s.times(a, a),
        "sum": s.sum(a, 0),
        "prod": s.prod(a, 0),
        "matmul": s.matmul(a, a),
        "group_sum": s.group_sum(a, FOUR),
        "group_spread": s.group_spread(a, FOUR),
        "balance": s.balance(a, (0,))[0],
        "where": s.where(_ALWAYS, a, a),
        "concatenate": s.concatenate([a, a], 0),
        "zeros_like": s.zeros_like(s.plus(a, a)),
        "ones_like": s.ones_like(s.plus(a, a)),
    }
    if s.laws.star:
        found["star"] = s.star(a)
    if isinstance(s, Selective):
        found["select"] = s.select(a, 0)
    if isinstance(s, Divisible):
        found["shares"] = s.shares(a, 0)
    # Values without floating leaves do not keep the dtype of their weights.
    if _dtypes_of(s.observe(a)):
        found["log_weight"] = s.log_weight(a)
    return found


def _floats(statement: str, value: Value, dtype: str) -> Iterator[Equation]:
    found = _dtypes_of(value)
    if found:
        yield Equation(f"{statement} {dtype}", " ".join(found), dtype)


def _dtypes_of(value: Value, floating: bool = True) -> list[str]:
    """Return the dtypes of a value, by name: floating ones, or all others."""
    dtypes = (x.dtype for x in jax.tree.leaves(value))
    return sorted({str(x) for x in dtypes if jnp.issubdtype(x, jnp.floating) == floating})


TRANSFORMATIONS: tuple[Law, ...] = (
    Law("jit", "compiling changes nothing", _jit, compiled=False),
    Law("repeatable", "nothing changes from call to call", _repeatable, compiled=False),
    Law("vmap", "batching changes nothing", _vmap, shape=SHAPE),
    Law(
        "checkpoint", "rematerialisation changes no value and no gradient", _checkpoint, shape=SHAPE
    ),
    Law(
        "forward mode",
        "forward and reverse mode give the same derivative",
        _forward_mode,
        shape=SHAPE,
    ),
    Law("gradients", "gradients are limits of finite differences", _gradients, shape=SHAPE),
    Law(
        "gradients of ties",
        "a sum of equals has the gradient of the first of them",
        _gradients_of_ties,
        declared="selective",
        capability=Selective,
        shape=SHAPE,
    ),
    Law(
        "gradients at zero",
        "gradients are finite where weights are zero",
        _gradients_at_zero,
        shape=SHAPE,
    ),
    Law("dtypes", "every dtype stays what it is", _dtypes, compiled=False),
)
"""The laws of transformations."""
