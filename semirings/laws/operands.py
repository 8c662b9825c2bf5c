"""Random operands for the equations of laws, including zeros, ties and extreme weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Semiring, Value
from semirings.laws.law import FAST, Operands

Draw = Callable[[np.random.Generator, tuple[int, ...]], Value]
"""Returns an array of values of the given shape; entries are drawn independently."""


def draw_operands(
    semiring: Semiring,
    shape: tuple[int, ...],
    generator: np.random.Generator,
    draw: Draw | None = None,
    extreme: bool = False,
) -> Operands:
    """Draw operands of the given shape.

    Values are lifted weights, and sums and products of two of them, unless ``draw`` is given.

    Args:
        semiring: the semiring of the values.
        shape: the shape of every leaf.
        generator: the random generator; its state advances.
        draw: draws values instead.
        extreme: draw weights from e**-200 to e**80.
    """

    def raw() -> tuple[np.ndarray, np.ndarray]:
        return _log_weights(generator, shape, extreme), _features(generator, shape)

    def compose(
        first: tuple[jax.Array, jax.Array], second: tuple[jax.Array, jax.Array], kind: jax.Array
    ) -> Value:
        a, b = semiring.lift(*first), semiring.lift(*second)
        mixed = semiring.where(kind == 1, semiring.plus(a, b), semiring.times(a, b))
        return semiring.where(kind == 0, a, mixed)

    compiled = cast("Callable[..., Value]", jax.jit(compose, compiler_options=FAST))

    def value() -> Value:
        if draw:
            return draw(generator, shape)
        return compiled(raw(), raw(), generator.integers(0, 3, shape))

    w, n = map(jnp.asarray, raw())
    return Operands(value(), value(), value(), w, n)


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
