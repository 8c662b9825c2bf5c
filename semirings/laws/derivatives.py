"""The laws of derivatives, and of transformations that must not change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.capabilities import Selective
from semirings.laws.arrays import SHAPE
from semirings.laws.derivative_programs import (
    EXPRESSION,
    SECOND,
    expression,
    operations_of,
    programs_of,
)
from semirings.laws.law import FAST, Equation, Law, Operands, Pull, at

STEP = 2.0**-7
"""The step of finite differences."""

SLACK = 0.02
"""The part of a difference that may come from curvature and rounding."""

SECOND_SLACK = 0.04
"""The part of a difference of gradients that may come from curvature and rounding."""


def _by_draw(x: Any) -> np.ndarray:
    """Sum over all axes but the first."""
    with np.errstate(invalid="ignore"):
        return np.asarray(x, np.float64).reshape(len(x), -1).sum(1)


def _log_weight_alone(s: Semiring, w: Any, n: Any) -> dict[str, list[np.ndarray]]:
    """Return the factors of outputs that make the gradient that of the log weight."""
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
        # Derivatives of infinities are not constrained.
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
        # These arrays read the same in both directions: what is added to its mirror image ties.
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
            # Near a kink or a pole some neighbours have a different derivative, or none.
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
"""The laws of derivatives."""
