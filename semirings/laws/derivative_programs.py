"""The programs that the laws of derivatives share: values, gradients and derivatives of gradients.

Nearly all of the time that a check takes is compilation, so each operation is differentiated in one
program, which several laws run on different weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from semirings.base import Groups, Semiring, Value
from semirings.laws.arrays import GROUPS
from semirings.laws.law import FAST, Pull, at

EXPRESSION = "an expression"
"""The name, besides those of operations, of an expression of the overridden methods."""

SECOND = ("plus", "times", "sum", "matmul")
"""Operations of which second derivatives are computed."""


class Slopes(NamedTuple):
    """Results for one operation.

    Attributes:
        values: the floating outputs, of which the first is the log weight.
        gradient: the gradient of a weighted sum of them.
        observed: the value as observed.
    """

    values: list[jax.Array]
    gradient: jax.Array
    observed: Any


class Tangents(NamedTuple):
    """Derivatives in a direction, by operation.

    Attributes:
        values: derivatives of the floating outputs.
        gradient: for each of ``SECOND`` the gradient of a square of its log weight, and its
            derivative.
    """

    values: dict[str, list[jax.Array]]
    gradient: dict[str, tuple[jax.Array, jax.Array]]


class Programs(NamedTuple):
    """Compiled programs for a semiring, each a function of ``[draws, 3, 9]`` log weights.

    Attributes:
        outputs: the shapes and dtypes of the floating outputs of each operation.
        pull: maps log weights, features, a factor for each output, and whether outputs of minus
            infinity count, too, to the ``Slopes`` of each operation. Outputs that are not finite do
            not count.
        push: maps log weights, features and a direction to ``Tangents``.
    """

    outputs: Callable[[ArrayLike, ArrayLike], dict[str, list[jax.ShapeDtypeStruct]]]
    pull: Callable[[ArrayLike, ArrayLike, Any, bool], dict[str, Slopes]]
    push: Callable[[ArrayLike, ArrayLike, ArrayLike], Tangents]


class _Identical:
    """A key that is the object itself, whatever its equality and hash."""

    def __init__(self, semiring: Semiring) -> None:
        self.semiring = semiring

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identical) and other.semiring is self.semiring

    def __hash__(self) -> int:
        return id(self.semiring)


def programs_of(s: Semiring) -> Programs:
    """Return the programs of a semiring, compiled when first called."""
    return _programs(_Identical(s))


@lru_cache(maxsize=1)
def _programs(key: _Identical) -> Programs:
    s = key.semiring

    def compiled(f: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(partial(f, s), compiler_options=FAST)

    return Programs(
        lambda w, n: jax.eval_shape(partial(_outputs, s), w, n), compiled(_pull), compiled(_push)
    )


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
    """Reduce values by the methods that semirings override.

    Args:
        s: the semiring.
        a: values ``[..., 3, 9]``.

    Returns:
        Values ``[...]``.
    """
    grouped = s.group_spread(s.group_sum(a, GROUPS), GROUPS)
    row = s.prod(at(grouped, slice(2), slice(None)), -2)
    product = s.matmul(at(row, None, slice(None)), at(a, 2, slice(None), None))
    return at(product, 0, 0)


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
