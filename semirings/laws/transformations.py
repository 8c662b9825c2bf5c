"""The laws of transformations: compilation, eager calls, and other dtypes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Groups, Semiring, Value
from semirings.capabilities import Divisible, Selective
from semirings.laws.law import FAST, Equation, Law, Operands

# Number of eager calls of each method.
CALLS = 3

_ALWAYS = np.ones((), bool)

# Four items in four groups.
FOUR = Groups.of([2, 0, 2, 0], 4)


def _repeatable(s: Semiring, o: Operands) -> Iterator[Equation]:
    first, again = _program(s), _program(s)
    yield Equation("the same calls make programs of the same length", len(again), len(first))
    apart = [pair for pair in zip(first, again, strict=False) if pair[0] != pair[1]]
    left, right = apart[0] if apart else ("", "")
    yield Equation("the same calls make the same program", left, right)


def _program(s: Semiring) -> list[str]:
    """Return the traced program of every method as lines, to compare without running it."""
    closed = jax.make_jaxpr(lambda w: values_of_methods(s, w))(jnp.ones((4, 4), jnp.float32))
    text = re.sub(r" at 0x[0-9a-f]+", "", str(closed))
    return [*text.splitlines(), *(np.array2string(np.asarray(x)) for x in closed.consts)]


def _dtypes(s: Semiring, o: Operands) -> Iterator[Equation]:
    with jax.enable_x64(True):
        for name, make in (("zeros", s.zeros), ("ones", s.ones)):
            value = jax.eval_shape(lambda make=make: make((2, 2)))
            yield from _floats(f"{name} are", value, "float32")
        for dtype in ("float32", "float64"):
            # Evaluates only shapes and dtypes.
            values = jax.eval_shape(lambda w: values_of_methods(s, w), jnp.ones((4, 4), dtype))
            dtypes_of_lift = _dtypes_of(values["lift with a feature"], floating=False)
            for operation, value in values.items():
                statement = f"what {operation} makes of {dtype}"
                yield from _floats(f"{statement} is", value, dtype)
                if operation not in ("select", "log_weight", "shares"):
                    more = sorted({*_dtypes_of(value, floating=False), *dtypes_of_lift})
                    yield Equation(
                        f"{statement} has no other dtypes than lift", more, dtypes_of_lift
                    )


def values_of_methods(s: Semiring, w: jax.Array) -> dict[str, Value]:
    """Return the result of every method by name, for ``[4, 4]`` log weights."""
    a = s.lift(w, jnp.ones_like(w))
    values = {
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
        values["star"] = s.star(a)
    if isinstance(s, Selective):
        values["select"] = s.select(a, 0)
    if isinstance(s, Divisible):
        values["shares"] = s.shares(a, 0)
    # Values without floating leaves lose the dtype of their weights.
    if _dtypes_of(s.observe(a)):
        values["log_weight"] = s.log_weight(a)
    return values


def _floats(statement: str, value: Value, dtype: str) -> Iterator[Equation]:
    dtypes = _dtypes_of(value)
    if dtypes:
        yield Equation(f"{statement} {dtype}", " ".join(dtypes), dtype)


def _dtypes_of(value: Value, floating: bool = True) -> list[str]:
    """Return the floating dtypes of a value, or all others."""
    dtypes = (x.dtype for x in jax.tree.leaves(value))
    return sorted({str(x) for x in dtypes if jnp.issubdtype(x, jnp.floating) == floating})


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
    values = values_of_methods(s, w)
    read = ("log_weight", "select", "shares")
    return {name: x if name in read else s.observe(x) for name, x in values.items()}


TRANSFORMATIONS: tuple[Law, ...] = (
    Law("repeatable", "nothing changes from call to call", _repeatable, compiled=False),
    Law(
        "eager",
        "methods give the same inside and outside compiled programs, in every call",
        _eager,
        compiled=False,
    ),
    Law("dtypes", "every dtype stays what it is", _dtypes, compiled=False),
)
