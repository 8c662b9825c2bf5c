"""The laws of second derivatives and of calls outside compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.laws.law import FAST, Equation, Law, Operands
from semirings.laws.transformations import STEP, by_draw, operations_of, results

SECOND_SLACK = 0.04
"""The part of a difference of gradients that may come from curvature and rounding."""

CALLS = 3
"""How often each method is called outside a compiled program."""


def _second_derivatives(s: Semiring, o: Operands) -> Iterator[Equation]:
    generator = np.random.default_rng(1)
    shape = (8, *o.w.shape[1:])
    w = jnp.asarray(generator.uniform(-2.0, 2.0, shape), jnp.float32)
    v = jnp.asarray(generator.normal(size=shape), jnp.float32)
    n = jnp.ones_like(w)
    for name in ("plus", "times", "sum", "matmul"):
        operation = operations_of(s)[name]

        def gradient(w: jax.Array, operation: Callable[[Value], Value] = operation) -> jax.Array:
            def read(w: jax.Array) -> jax.Array:
                found = s.log_weight(operation(s.lift(w, n)))
                # The square gives a second derivative to operations that are linear.
                return jnp.sum(jnp.where(jnp.isfinite(found), found**2 / 8, 0.0))

            return cast("jax.Array", jax.grad(read)(w))

        slope = by_draw(v * jax.jvp(gradient, (w,), (v,))[1])
        at = [by_draw(v * gradient(w + step * STEP * v)) for step in (1.0, 0.0, -1.0)]
        parts = [(at[0] - at[1]) / STEP, (at[1] - at[2]) / STEP]
        central = (at[0] - at[2]) / (2 * STEP)
        slack = SECOND_SLACK * (1 + jnp.abs(parts[0]) + jnp.abs(parts[1]))
        # Near a kink the gradient jumps.
        rough = ~(jnp.abs(parts[0] - parts[1]) <= 4 * slack)
        agree = rough | (jnp.abs(slope - central) <= slack)
        left, right = jnp.where(agree, central, slope), central
        statement = f"the second derivative of {name} is that by differences of gradients"
        yield Equation(statement, left, right, {"log weights": w, "direction": v})


def _eager(s: Semiring, o: Operands) -> Iterator[Equation]:
    """Compare calls on concrete arrays with the compiled program, and with each other."""
    # Entries of three sizes, and of both kinds of features.
    w = jnp.asarray(np.resize([-1.0, 0.5, 2.0, 0.5, -0.25], (4, 4)), jnp.float32)
    compiled = jax.jit(lambda w: _seen(s, w), compiler_options=FAST)(w)
    for call in range(1, CALLS + 1):
        seen = _seen(s, w)
        for name, value in compiled.items():
            statement = f"call {call} of {name} on concrete arrays is as in a compiled program"
            yield Equation(statement, jax.tree.leaves(seen[name]), jax.tree.leaves(value))


def _seen(s: Semiring, w: jax.Array) -> dict[str, Value]:
    found = results(s, w)
    read = ("log_weight", "select", "shares")
    return {name: x if name in read else s.observe(x) for name, x in found.items()}


PROGRAMS: tuple[Law, ...] = (
    Law(
        "second derivatives",
        "second derivatives are limits of differences of gradients",
        _second_derivatives,
        shape=(3, 9),
        follows=("gradients",),
    ),
    Law(
        "eager",
        "methods give the same inside and outside compiled programs, in every call",
        _eager,
        compiled=False,
    ),
)
"""The laws of second derivatives and of eager calls."""
