"""The laws of transformations: compiling, batching, differentiating, and other dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.laws.arrays import GROUPS, SHAPE
from semirings.laws.law import Equation, Law, Operands, Pull, at, equal_values

_ALWAYS = np.ones((), bool)


def _expression(s: Semiring, w: jax.Array, n: jax.Array) -> Value:
    """Reduce ``[..., 3, 4]`` lifted weights to ``[...]`` by the methods that semirings override."""
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


def _forward_mode(s: Semiring, o: Operands) -> Iterator[Equation]:
    w = jnp.where(jnp.isfinite(o.w), o.w, 0.5)

    def outputs(w: jax.Array) -> list[jax.Array]:
        value = _expression(s, w, o.n)
        leaves = [s.log_weight(value), *jax.tree.leaves(s.observe(value))]
        return [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]

    generator = np.random.default_rng(0)

    def like(x: jax.Array) -> jax.Array:
        return jnp.asarray(generator.normal(size=x.shape), x.dtype)

    direction = like(w)
    values, forward = jax.jvp(outputs, (w,), (direction,))
    cotangents = [like(x) for x in values]
    pull = cast(Pull, jax.vjp(outputs, w)[1])
    backward = pull(cotangents)[0]
    pushed = [c * t for c, t in zip(cotangents, forward, strict=True)]
    pulled = backward * direction
    size = sum((jnp.abs(x) for x in pushed), 1.0) + jnp.sum(jnp.abs(pulled), (1, 2))
    left, right = sum(pushed) / size, jnp.sum(pulled, (1, 2)) / size
    yield Equation("u (J v) = (u J) v relative to its terms, at w and n", left, right)


def _gradients(s: Semiring, o: Operands) -> Iterator[Equation]:
    # The first array has no weight at all, the second a row and a column without.
    w = o.w.at[0].set(-jnp.inf).at[1, 0].set(-jnp.inf).at[1, :, 0].set(-jnp.inf)
    groups = Groups.of(np.zeros(SHAPE[1], int), 2)

    def turned(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.flip(x, -1), a)

    def transposed(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), a)

    through: dict[str, Callable[[Value], Value]] = {
        "lift": lambda a: a,
        "plus": lambda a: s.plus(a, turned(a)),
        "times": lambda a: s.times(a, turned(a)),
        "sum": lambda a: s.sum(s.sum(a, -1), -1),
        "prod": lambda a: s.sum(s.prod(a, -1), -1),
        "matmul": lambda a: s.matmul(a, transposed(a)),
        "group_sum": lambda a: s.group_sum(a, groups),
        "balance": lambda a: s.balance(a, (1, 2))[0],
    }
    for name, operation in through.items():

        def read(w: jax.Array, operation: Callable[[Value], Value] = operation) -> jax.Array:
            return s.log_weight(operation(s.lift(w)))

        values, pull = cast("tuple[jax.Array, Pull]", jax.vjp(read, w))
        gradient = pull(jnp.ones_like(values))[0]
        finite = jnp.isfinite(gradient)
        statement = f"the gradient of log_weight through {name} is finite"
        yield Equation(
            statement, finite, jnp.ones_like(finite), {"log weights": w, "gradient": gradient}
        )


def _dtypes(s: Semiring, o: Operands) -> Iterator[Equation]:
    with jax.enable_x64(True):
        for name, make in (("zeros", s.zeros), ("ones", s.ones)):
            value = jax.eval_shape(lambda make=make: make((2, 2)))
            yield from _floats(f"{name} are", value, "float32")
        for dtype in ("float32", "float64"):
            # Shapes and dtypes only: nothing is computed.
            results = jax.eval_shape(lambda w: _results(s, w), jnp.ones((4, 4), dtype))
            for operation, value in results.items():
                yield from _floats(f"what {operation} makes of {dtype} is", value, dtype)


def _results(s: Semiring, w: jax.Array) -> dict[str, Value]:
    a = s.lift(w, jnp.ones_like(w))
    found = {
        "lift": s.lift(w),
        "lift with a feature": a,
        "plus": s.plus(a, a),
        "times": s.times(a, a),
        "sum": s.sum(a, 0),
        "prod": s.prod(a, 0),
        "matmul": s.matmul(a, a),
        "group_sum": s.group_sum(a, GROUPS),
        "group_spread": s.group_spread(a, GROUPS),
        "balance": s.balance(a, (0,))[0],
        "where": s.where(_ALWAYS, a, a),
        "concatenate": s.concatenate([a, a], 0),
    }
    if s.laws.star:
        found["star"] = s.star(a)
    # What has no float leaves knows nothing of the dtype of its weights.
    if _dtypes_of(a):
        found["log_weight"] = s.log_weight(a)
    return found


def _floats(statement: str, value: Value, dtype: str) -> Iterator[Equation]:
    found = _dtypes_of(value)
    if found:
        yield Equation(f"{statement} {dtype}", " ".join(found), dtype)


def _dtypes_of(value: Value) -> list[str]:
    """Return the floating dtypes of a value, by name."""
    dtypes = (x.dtype for x in jax.tree.leaves(value))
    return sorted({str(x) for x in dtypes if jnp.issubdtype(x, jnp.floating)})


TRANSFORMATIONS: tuple[Law, ...] = (
    Law("jit", "compiling changes nothing", _jit, compiled=False),
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
    Law(
        "gradients at zero", "gradients are finite where weights are zero", _gradients, shape=SHAPE
    ),
    Law("dtypes", "float32 stays float32, and float64 stays float64", _dtypes, compiled=False),
)
"""The laws of transformations."""
