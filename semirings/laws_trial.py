"""What a law of the conformance kit is, and the random values that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.laws_declared import Laws

Draw = Callable[[np.random.Generator, tuple[int, ...]], Value]
"""Makes an array of values of the given shape; every entry is an independent draw."""


Pull = Callable[[Any], tuple[jax.Array, ...]]
"""From the cotangents of what a function gives to those of its arguments."""


class Operands(NamedTuple):
    """What the equations of a law are about; leaves are `[draws]`, or `[draws, 3, 4]`.

    Attributes:
        a, b, c: values of the semiring.
        w: log weights.
        n: what is counted about them.
    """

    a: Value
    b: Value
    c: Value
    w: jax.Array
    n: jax.Array


class Equation(NamedTuple):
    """Two pytrees of arrays that a law says are equal.

    Attributes:
        statement: the equation as people write it; operands stand in it as words.
        left, right: both sides, `[draws, ...]` or less, of what is observed.
        beside: more to show than the operands, by name, `[draws, ...]`.
    """

    statement: str
    left: Any
    right: Any
    beside: Mapping[str, Any] = {}


Equations = Callable[[Semiring, Operands], Iterator[Equation]]


@dataclass(frozen=True)
class Law:
    """A named law, made of equations over drawn values.

    Attributes:
        name: what ``Laws.broken`` calls it.
        statement: what it says, for people.
        equations: yields the equations.
        declared: the attribute of ``Laws`` without which it is not claimed, or the empty string.
        shape: the axes of the operands besides the draws.
        extreme: whether the weights of arrays go from e**-200 to e**80; those of single values do,
            unless ``extreme weights`` is broken.
        compiled: whether the equations are compiled; those are not that look beyond arrays.
    """

    name: str
    statement: str
    equations: Equations
    declared: str = ""
    shape: tuple[int, ...] = ()
    extreme: bool = False
    compiled: bool = True

    def waived(self, laws: Laws) -> str:
        """Why a semiring with these declarations need not keep the law, or the empty string."""
        if self.name in laws.broken:
            return laws.broken[self.name]
        if self.declared and not getattr(laws, self.declared):
            return "not declared"
        return ""


def equal_values(s: Semiring, statement: str, left: Value, right: Value) -> Equation:
    """An equation between values: between what of them is observed."""
    return Equation(statement, s.observe(left), s.observe(right))


def at(a: Value, *index: int | slice | None) -> Value:
    """Index every leaf."""
    return jax.tree.map(lambda x: x[(..., *index)], a)


def operands(
    semiring: Semiring,
    shape: tuple[int, ...],
    generator: np.random.Generator,
    draw: Draw | None = None,
    extreme: bool = False,
) -> Operands:
    """Draw operands of the given shape.

    Values are lifted weights, and sums and products of two of them, unless `draw` makes them.
    """

    def raw() -> tuple[np.ndarray, np.ndarray]:
        return _log_weights(generator, shape, extreme), _counts(generator, shape)

    def compose(
        first: tuple[jax.Array, jax.Array], second: tuple[jax.Array, jax.Array], kind: jax.Array
    ) -> Value:
        a, b = semiring.lift(*first), semiring.lift(*second)
        mixed = semiring.where(kind == 1, semiring.plus(a, b), semiring.times(a, b))
        return semiring.where(kind == 0, a, mixed)

    compiled = cast("Callable[..., Value]", jax.jit(compose))

    def value() -> Value:
        if draw:
            return draw(generator, shape)
        return compiled(raw(), raw(), generator.integers(0, 3, shape))

    w, n = map(jnp.asarray, raw())
    return Operands(value(), value(), value(), w, n)


def _log_weights(
    generator: np.random.Generator, shape: tuple[int, ...], extreme: bool
) -> np.ndarray:
    """Zeros of the semiring, small integers (hence ties, and ones), and floats in [-5, 5]."""
    drawn = generator.uniform(-5.0, 5.0, shape)
    kind = generator.integers(0, 8, shape)
    drawn = np.where(kind < 3, generator.integers(-2, 3, shape), drawn)
    if extreme:
        drawn = np.where(kind >= 5, generator.choice((-200.0, -90.0, 40.0, 80.0), shape), drawn)
    return np.where(kind == 3, -np.inf, drawn).astype(np.float32)


def _counts(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return generator.integers(-2, 3, shape).astype(np.float32)


def differing(left: Any, right: Any, rtol: float, atol: float) -> np.ndarray:
    """Tell for each draw whether two pytrees differ anywhere, `[draws]`.

    Equal infinities are equal, and NaN equals nothing. Where structures or shapes differ the
    answer is one truth value for all draws.
    """
    if jax.tree.structure(left) != jax.tree.structure(right):
        return np.array(True)
    found = np.array(False)
    for x, y in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        a, b = np.asarray(x), np.asarray(y)
        if a.shape != b.shape:
            return np.array(True)
        if a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            apart = ~np.isclose(a.astype(np.float64), b.astype(np.float64), rtol, atol)
        else:
            apart = np.asarray(a != b)
        found = found | (apart.reshape(len(apart), -1).any(1) if apart.ndim else apart)
    return found
