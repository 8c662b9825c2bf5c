"""A law of the conformance kit: named equations over operands, which are drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value

# Compiler options for programs that run only once, without optimisation.
FAST = {"xla_backend_optimization_level": 0}

# Maps the cotangents of a function's results to cotangents of its arguments.
Pull = Callable[[Any], tuple[jax.Array, ...]]


class Operands(NamedTuple):
    """The variables of equations; leaves are ``[draws]``, or ``[draws, 3, 9]``.

    Attributes:
        a, b, c: values of the semiring.
        w: log weights.
        n: their feature.
    """

    a: Value
    b: Value
    c: Value
    w: jax.Array
    n: jax.Array


class Equation(NamedTuple):
    """Two pytrees of arrays that a law equates.

    Attributes:
        statement: in ordinary notation, with operands as separate words.
        left, right: as returned by ``observe``, ``[draws, ...]`` or fewer axes.
        beside: further arrays to show besides the operands, ``[draws, ...]``.
    """

    statement: str
    left: Any
    right: Any
    beside: Mapping[str, Any] = {}


Equations = Callable[[Semiring, Operands], Iterator[Equation]]


@dataclass(frozen=True, eq=False)
class Law:
    """A named law, made of equations over drawn values.

    Attributes:
        declared: the attribute of ``Laws`` that claims the law.
        capability: the class that a semiring must derive from to claim it.
        shape: the axes of the operands besides the draws.
        extreme: weights of arrays range from e**-200 to e**80, as weights of single values do
            unless ``extreme weights`` is declared broken.
        compiled: false for equations that involve more than arrays.
        follows: laws without which it is waived.
    """

    name: str
    statement: str
    equations: Equations
    declared: str = ""
    capability: type[Semiring] = Semiring
    shape: tuple[int, ...] = ()
    extreme: bool = False
    compiled: bool = True
    follows: tuple[str, ...] = ()

    def waiver(self, semiring: Semiring) -> str:
        """Return the reason why the law is waived for a semiring, or the empty string."""
        laws = semiring.laws
        if self.name in laws.broken:
            return laws.broken[self.name]
        for name in self.follows:
            if name in laws.broken:
                return f"presupposes the law of {name}: {laws.broken[name]}"
        if self.declared and not getattr(laws, self.declared):
            return "not declared"
        if not isinstance(semiring, self.capability):
            return f"not a semirings.{self.capability.__name__}"
        return ""


def evaluate(
    semiring: Semiring, laws: Mapping[Law, Operands]
) -> dict[Law, tuple[list[Equation], Operands] | Exception]:
    """Compute the operands and both sides of all equations of laws in one compiled program.

    Args:
        laws: the laws, with operands that are not composed yet.

    Returns:
        The equations and operands of each law, or the exception raised.
    """
    statements: dict[Law, list[str]] = {}
    errors: dict[Law, Exception] = {}

    def sides(drawn: list[Operands]) -> list[Any]:
        composed: dict[int, Operands] = {}
        computed: list[Any] = []
        for law, operands in zip(laws, drawn, strict=True):
            key = id(laws[law])
            try:
                if key not in composed:
                    composed[key] = _compose(semiring, operands)
                equations = list(law.equations(semiring, composed[key]))
            except Exception as error:  # noqa: BLE001 - third-party methods raise anything
                errors[law] = error
                computed.append(None)
                continue
            statements[law] = [equation.statement for equation in equations]
            computed.append(([equation[1:] for equation in equations], composed[key]))
        return computed

    try:
        computed = jax.jit(sides, compiler_options=FAST)(list(laws.values()))
    except Exception as error:  # noqa: BLE001 - as above
        return dict.fromkeys(laws, error)
    results: dict[Law, tuple[list[Equation], Operands] | Exception] = {}
    for law, answer in zip(laws, computed, strict=True):
        if law in errors:
            results[law] = errors[law]
        else:
            pairs = zip(statements[law], answer[0], strict=True)
            results[law] = [Equation(text, *each) for text, each in pairs], answer[1]
    return results


def equal_values(s: Semiring, statement: str, left: Value, right: Value) -> Equation:
    """Return the equation between the ``observe`` results of two values."""
    return Equation(statement, s.observe(left), s.observe(right))


# Returns values of the given shape with independent entries.
Draw = Callable[[np.random.Generator, tuple[int, ...]], Value]


def draw_operands(
    shape: tuple[int, ...],
    generator: np.random.Generator,
    draw: Draw | None = None,
    extreme: bool = False,
) -> Operands:
    """Draw operands of the given shape; ``extreme`` weights range from e**-200 to e**80."""

    def raw() -> tuple[np.ndarray, np.ndarray]:
        return _log_weights(generator, shape, extreme), _features(generator, shape)

    def value() -> Value:
        if draw:
            return draw(generator, shape)
        return Uncomposed(raw(), raw(), generator.integers(0, 3, shape))

    w, n = map(jnp.asarray, raw())
    return Operands(value(), value(), value(), w, n)


class Uncomposed(NamedTuple):
    """A value to compose: kind 0 is the first lifted weight, 1 their sum, 2 their product."""

    first: tuple[Any, Any]
    second: tuple[Any, Any]
    kind: np.ndarray


def _compose(s: Semiring, operands: Operands) -> Operands:
    def value(x: Value) -> Value:
        if not isinstance(x, Uncomposed):
            return x
        a, b = (s.lift(*map(jnp.asarray, each)) for each in (x.first, x.second))
        mixed = s.where(x.kind == 1, s.plus(a, b), s.times(a, b))
        return s.where(x.kind == 0, a, mixed)

    return operands._replace(**{name: value(getattr(operands, name)) for name in "abc"})


def _log_weights(
    generator: np.random.Generator, shape: tuple[int, ...], extreme: bool
) -> np.ndarray:
    """Draw zeros of the semiring, small integers (hence ties, and ones), and floats in [-5, 5]."""
    drawn = generator.uniform(-5.0, 5.0, shape)
    kind = generator.integers(0, 8, shape)
    drawn = np.where(kind < 3, generator.integers(-2, 3, shape), drawn)
    if extreme:
        drawn = np.where(kind >= 5, generator.choice((-200.0, -90.0, 40.0, 80.0), shape), drawn)
    return np.where(kind == 3, -np.inf, drawn).astype(np.float32)


def _features(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return generator.integers(-2, 3, shape).astype(np.float32)
