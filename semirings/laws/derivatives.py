"""The laws of derivatives, and of transformations that must not change them.

Compilation dominates, so each operation is differentiated in one program, which several laws run on
different weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from semirings.base import Groups, Semiring, Value, take
from semirings.capabilities import Selective
from semirings.laws.arrays import GROUPS, SHAPE
from semirings.laws.law import FAST, Equation, Law, Operands, Pull

# The step of finite differences.
STEP = 2.0**-7

# Relative error of a difference allowed for curvature and rounding.
SLACK = 0.02

# Relative error of a difference of gradients allowed for curvature and rounding.
SECOND_SLACK = 0.04


def _by_draw(x: Any) -> np.ndarray:
    """Sum over all axes but the first."""
    with np.errstate(invalid="ignore"):
        return np.asarray(x, np.float64).reshape(len(x), -1).sum(1)


def _log_weight_alone(s: Semiring, w: Any, n: Any) -> dict[str, list[np.ndarray]]:
    """Return factors of outputs that select the gradient of the log weight."""
    return {
        name: [np.full(x.shape, float(i == 0), x.dtype) for i, x in enumerate(outputs)]
        for name, outputs in programs_of(s).outputs(w, n).items()
    }


def _vmap(s: Semiring, o: Operands) -> Iterator[Equation]:
    def observe_row(w: jax.Array, n: jax.Array) -> Any:
        return s.observe(expression(s, s.lift(w, n)))

    batched = jax.jit(jax.vmap(observe_row), compiler_options=FAST)(o.w, o.n)
    whole = programs_of(s).pull(o.w, o.n, _log_weight_alone(s, o.w, o.n), True)[EXPRESSION]
    yield Equation("vmap over w and n changes nothing", batched, whole.observed)


def _checkpoint(s: Semiring, o: Operands) -> Iterator[Equation]:
    def total(w: jax.Array) -> tuple[jax.Array, Any]:
        value = expression(s, s.lift(w, o.n))
        return s.log_weight(value), s.observe(value)

    @partial(jax.jit, compiler_options=FAST)
    def value_and_gradient(w: jax.Array) -> tuple[Any, jax.Array]:
        checkpointed = jax.checkpoint(total)
        read, pull, seen = cast(
            "tuple[jax.Array, Pull, Any]", jax.vjp(checkpointed, w, has_aux=True)
        )
        return seen, pull(jnp.where(read < jnp.inf, 1.0, 0.0).astype(read.dtype))[0]

    again, gradient = value_and_gradient(o.w)
    whole = programs_of(s).pull(o.w, o.n, _log_weight_alone(s, o.w, o.n), True)[EXPRESSION]
    yield Equation("checkpoint changes no value of w and n", again, whole.observed)
    yield Equation("checkpoint changes no gradient at w and n", gradient, whole.gradient)


def _forward_mode(s: Semiring, o: Operands) -> Iterator[Equation]:
    w = np.where(np.isfinite(o.w), o.w, np.float32(0.5))
    generator = np.random.default_rng(0)
    direction = generator.normal(size=w.shape).astype(w.dtype)
    programs = programs_of(s)
    factors = {
        name: [generator.normal(size=x.shape).astype(x.dtype) for x in outputs]
        for name, outputs in programs.outputs(w, o.n).items()
    }
    backward, forward = programs.pull(w, o.n, factors, False), programs.push(w, o.n, direction)
    for name, tangents in forward.values.items():
        # Derivatives of infinities are unconstrained.
        pushed = [
            _by_draw(np.where(np.isfinite(x), u * np.where(np.isfinite(x), t, 0.0), 0.0))
            for u, x, t in zip(factors[name], backward[name].values, tangents, strict=True)
        ]
        pulled = _by_draw(np.asarray(backward[name].gradient) * direction)
        terms = np.abs(np.asarray(backward[name].gradient) * direction)
        size = sum((np.abs(x) for x in pushed), 1.0 + _by_draw(terms))
        statement = f"u (J v) = (u J) v relative to its terms, through {name} at w and n"
        yield Equation(statement, sum(pushed) / size, pulled / size)


def _gradients(s: Semiring, o: Operands) -> Iterator[Equation]:
    generator = np.random.default_rng(0)
    drawn = generator.uniform(-2.0, 2.0, o.w.shape)
    if not s.laws.selective:
        # Palindromes: sums with the mirror image have ties.
        drawn[:16, :, 5:] = drawn[:16, :, 3::-1]
    w = drawn.astype(np.float32)
    v = generator.normal(size=o.w.shape).astype(np.float32)
    n = 1 + np.abs(np.asarray(o.n))
    places = STEP * np.array([1.0, 0.5, 0.0, -0.5, -1.0], np.float32)
    programs = programs_of(s)
    factors = {
        name: [generator.uniform(0.5, 1.5, x.shape).astype(x.dtype) for x in outputs]
        for name, outputs in programs.outputs(w, n).items()
    }
    near = [programs.pull(w + place * v, n, factors, False) for place in places]
    for name in operations_of(s):
        if name == "balance" and "balance restores" in s.laws.broken:
            continue  # Without its constant factor the slope of a value differs from its gradient.
        at_w = near[2][name]
        slope = _by_draw(np.asarray(at_w.gradient) * v)

        def difference(first: int, second: int, name: str = name) -> np.ndarray:
            """Return the difference quotient of the outputs, weighted like the gradient."""
            total = np.zeros(len(w))
            outputs = (near[i][name].values for i in (first, 2, second))
            for u, x, middle, y in zip(factors[name], *outputs, strict=True):
                with np.errstate(invalid="ignore"):
                    change = u * (np.asarray(x, np.float64) - np.asarray(y, np.float64))
                    total += _by_draw(np.where(np.isfinite(middle), change, 0.0))
            return total / (places[first] - places[second])

        parts, central = np.stack([difference(i, i + 1) for i in range(4)]), difference(0, 4)
        with np.errstate(invalid="ignore"):
            slack = SLACK * (1 + 2 * np.max(np.abs(parts), 0))
            # Near a kink or a pole, neighbours have different derivatives, or none.
            spread = np.max(parts, 0) - np.min(parts, 0)
            rough = ~(spread <= slack) | ~np.isfinite(spread)
            agree = np.abs(slope - central) <= slack
        left, right = np.where(agree, central, slope), central
        left, right = (np.where(rough, 0.0, x) for x in (left, right))
        statement = f"the slope of {name} by the gradient is that by finite differences"
        yield Equation(statement, left, right, {"log weights": w, "feature": n, "direction": v})


def _gradients_at_zero(s: Semiring, o: Operands) -> Iterator[Equation]:
    # The first array is all zeros, the second has a row and a column of zeros.
    w = np.array(o.w)
    w[0] = w[1, 0] = w[1, :, 0] = -np.inf
    n = np.zeros_like(w)
    slopes = programs_of(s).pull(w, n, _log_weight_alone(s, w, n), True)
    for name in operations_of(s):
        gradient = np.asarray(slopes[name].gradient)
        finite = np.isfinite(gradient)
        statement = f"the gradient of log_weight through {name} is finite"
        yield Equation(
            statement, finite, np.ones_like(finite), {"log weights": w, "gradient": gradient}
        )


def _second_derivatives(s: Semiring, o: Operands) -> Iterator[Equation]:
    generator = np.random.default_rng(1)
    w = generator.uniform(-2.0, 2.0, o.w.shape).astype(np.float32)
    v = generator.normal(size=o.w.shape).astype(np.float32)
    n = np.ones_like(w)
    near = [programs_of(s).push(w + step * STEP * v, n, v) for step in (1.0, 0.0, -1.0)]
    for name in SECOND:
        slope = _by_draw(v * np.asarray(near[1].gradient[name][1]))
        at_w = [_by_draw(v * np.asarray(x.gradient[name][0])) for x in near]
        parts = [(at_w[0] - at_w[1]) / STEP, (at_w[1] - at_w[2]) / STEP]
        central = (at_w[0] - at_w[2]) / (2 * STEP)
        slack = SECOND_SLACK * (1 + np.abs(parts[0]) + np.abs(parts[1]))
        # Near a kink the gradient jumps.
        rough = ~(np.abs(parts[0] - parts[1]) <= 4 * slack)
        agree = rough | (np.abs(slope - central) <= slack)
        left, right = np.where(agree, central, slope), central
        statement = f"the second derivative of {name} is that by differences of gradients"
        yield Equation(statement, left, right, {"log weights": w, "direction": v})


def _gradients_of_ties(semiring: Semiring, o: Operands) -> Iterator[Equation]:
    s = cast(Selective, semiring)
    w = jnp.concatenate([o.w, o.w], -1)

    def gradient(through: Callable[[Value], Value]) -> tuple[jax.Array, jax.Array]:
        def read(w: jax.Array) -> jax.Array:
            return s.log_weight(through(s.lift(w)))

        values, pull = cast("tuple[jax.Array, Pull]", jax.vjp(read, w))
        return values, pull(jnp.ones_like(values))[0]

    # Booleans and strings have no floating leaves.
    _, own_gradient = gradient(lambda a: a)
    ways: dict[str, tuple[Callable[[Value], Value], jax.Array]] = {
        "sum": (lambda a: s.sum(a, -1), s.select(s.lift(w), -1)),
        "plus": (
            lambda a: s.plus(take[..., 0](a), take[..., SHAPE[-1]](a)),
            jnp.zeros(w.shape[:-1], jnp.int32),
        ),
        "matmul": (
            lambda a: take[..., 0, 0](s.matmul(take[..., None, :](a), s.ones((2 * SHAPE[-1], 1)))),
            s.select(s.lift(w), -1),
        ),
        "group_sum": (
            lambda a: take[..., 0](s.group_sum(a, Groups.of([0] * (2 * SHAPE[-1]), 1))),
            s.select(s.lift(w), -1),
        ),
    }
    for name, (operation, winner) in ways.items():
        total, gradient_of_total = gradient(operation)
        some = (total > -jnp.inf)[..., None]
        whole = jnp.where(jnp.arange(w.shape[-1]) == winner[..., None], own_gradient, 0.0)
        statement = f"the gradient of {name} of equals goes to one winner, the first"
        left, right = (jnp.where(some, x, 0.0) for x in (gradient_of_total, whole))
        yield Equation(statement, left, right, {"log weights": w})


def _law(name: str, statement: str, equations: Any, follows: tuple[str, ...] = ()) -> Law:
    return Law(name, statement, equations, shape=SHAPE, compiled=False, follows=follows)


DERIVATIVES: tuple[Law, ...] = (
    _law("vmap", "batching changes nothing", _vmap),
    _law("checkpoint", "rematerialisation changes no value and no gradient", _checkpoint),
    _law("forward mode", "forward and reverse mode give the same derivative", _forward_mode),
    _law("gradients", "gradients are limits of finite differences", _gradients),
    Law(
        "gradients of ties",
        "a sum of equals has the gradient of the first of them",
        _gradients_of_ties,
        declared="selective",
        capability=Selective,
        shape=SHAPE,
    ),
    _law("gradients at zero", "gradients are finite where weights are zero", _gradients_at_zero),
    _law(
        "second derivatives",
        "second derivatives are limits of differences of gradients",
        _second_derivatives,
        follows=("gradients",),
    ),
)

# The name of an expression of overridden methods, besides the names of operations.
EXPRESSION = "an expression"

# Operations of which second derivatives are computed.
SECOND = ("plus", "times", "sum", "matmul")


class Slopes(NamedTuple):
    """Results for one operation.

    Attributes:
        values: the floating outputs, the log weight first.
        gradient: the gradient of a weighted sum of them.
    """

    values: list[jax.Array]
    gradient: jax.Array
    observed: Any


class Tangents(NamedTuple):
    """Directional derivatives by operation.

    Attributes:
        values: of the floating outputs.
        gradient: for each of ``SECOND`` the gradient of a square of its log weight, and its
            derivative.
    """

    values: dict[str, list[jax.Array]]
    gradient: dict[str, tuple[jax.Array, jax.Array]]


class Programs(NamedTuple):
    """Compiled programs for a semiring, each a function of ``[draws, 3, 9]`` log weights.

    Attributes:
        outputs: shapes and dtypes of the floating outputs of each operation.
        pull: maps log weights, features, a factor for each output, and whether outputs of minus
            infinity count, to ``Slopes``; other outputs that are not finite do not count.
        push: maps log weights, features and a direction to ``Tangents``.
    """

    outputs: Callable[[ArrayLike, ArrayLike], dict[str, list[jax.ShapeDtypeStruct]]]
    pull: Callable[[ArrayLike, ArrayLike, Any, bool], dict[str, Slopes]]
    push: Callable[[ArrayLike, ArrayLike, ArrayLike], Tangents]


_last: list[tuple[Semiring, Programs]] = []


def programs_of(s: Semiring) -> Programs:
    """Return the programs of a semiring, compiled when first called; those of one are kept."""
    # Compared by identity: a semiring under test may have a wrong equality or hash.
    known, programs = _last[0] if _last else (None, None)
    if programs is None or known is not s:

        def compiled(f: Callable[..., Any]) -> Callable[..., Any]:
            return jax.jit(partial(f, s), compiler_options=FAST)

        shapes = partial(jax.eval_shape, partial(_outputs, s))
        programs = Programs(shapes, compiled(_pull), compiled(_push))
        _last[:] = [(s, programs)]
    return programs


def _outputs(s: Semiring, w: jax.Array, n: jax.Array) -> dict[str, list[jax.Array]]:
    return {name: _floats_of(s, f(s.lift(w, n))) for name, f in _every(s).items()}


def _pull(
    s: Semiring, w: jax.Array, n: jax.Array, factors: Any, lowest: jax.Array
) -> dict[str, Slopes]:
    slopes: dict[str, Slopes] = {}
    for name, operation in _every(s).items():

        def outputs(
            w: jax.Array, operation: Callable[[Value], Value] = operation
        ) -> tuple[list[jax.Array], Any]:
            value = operation(s.lift(w, n))
            return _floats_of(s, value), s.observe(value)

        values, pull, observed = cast(
            "tuple[list[jax.Array], Pull, Any]", jax.vjp(outputs, w, has_aux=True)
        )
        cotangents = [
            jnp.where(jnp.isfinite(x) | (lowest & (x == -jnp.inf)), u, 0.0).astype(x.dtype)
            for u, x in zip(factors[name], values, strict=True)
        ]
        slopes[name] = Slopes(values, pull(cotangents)[0], observed)
    return slopes


def _push(s: Semiring, w: jax.Array, n: jax.Array, direction: jax.Array) -> Tangents:
    _, tangents = jax.jvp(lambda w: _outputs(s, w, n), (w,), (direction,))
    gradients: dict[str, tuple[jax.Array, jax.Array]] = {}
    for name in SECOND:

        def gradient(w: jax.Array, name: str = name) -> jax.Array:
            def read(w: jax.Array) -> jax.Array:
                log_weight = s.log_weight(operations_of(s)[name](s.lift(w, n)))
                # The square gives a second derivative to operations that are linear.
                return jnp.sum(jnp.where(jnp.isfinite(log_weight), log_weight**2 / 8, 0.0))

            return cast("jax.Array", jax.grad(read)(w))

        gradients[name] = jax.jvp(gradient, (w,), (direction,))
    return Tangents(tangents, gradients)


def _every(s: Semiring) -> dict[str, Callable[[Value], Value]]:
    return {**operations_of(s), EXPRESSION: partial(expression, s)}


def expression(s: Semiring, a: Value) -> Value:
    """Reduce ``[..., 3, 9]`` values to ``[...]`` by the methods that semirings override."""
    grouped = s.group_spread(s.group_sum(a, GROUPS), GROUPS)
    row = s.prod(take[..., :2, :](grouped), -2)
    product = s.matmul(take[..., None, :](row), take[..., 2, :, None](a))
    return take[..., 0, 0](product)


def operations_of(s: Semiring) -> dict[str, Callable[[Value], Value]]:
    """Return the operations to differentiate, each a function of an array of values."""
    groups = Groups.of([0, 1, 0, 1, 1, 0, 1, 0, 1], 3)

    def turned(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.flip(x, -1), a)

    def transposed(a: Value) -> Value:
        return jax.tree.map(lambda x: jnp.swapaxes(x, -1, -2), a)

    def balanced(a: Value) -> Value:
        balanced_row, factor = s.balance(a, (-1,))
        # The factor is constant under differentiation; multiplying by it restores the derivative.
        return s.times(s.lift(factor[..., None]), balanced_row)

    operations: dict[str, Callable[[Value], Value]] = {
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
        operations["star"] = s.star
    return operations


def _floats_of(s: Semiring, a: Value) -> list[jax.Array]:
    """Return the log weights of values, and all other floating leaves of ``observe``."""
    leaves = [s.log_weight(a), *jax.tree.leaves(s.observe(a))]
    return [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]
