"""Abstract base classes for capabilities, which other semirings require by type.

``star`` is declared in ``laws`` instead, since a product has it only if both factors do.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from semirings.base import Semiring, Value


class Selective(Semiring):
    """A semiring whose sums return one of their summands (the path property).

    A best derivation exists.
    """

    @abstractmethod
    def select(self, a: Value, axis: int) -> jax.Array:
        """Return the index of the summand that ``sum`` returns, the first in a tie.

        Args:
            a: values, not empty along the axis.
        """


class Divisible(Semiring):
    """A semiring in which each summand is a numeric share of the sum.

    Weakly divisible in the sense of Mohri (2009): ``a = (a + b) c``, here with a real number c.
    """

    @abstractmethod
    def shares(self, a: Value, axis: int) -> jax.Array:
        """Return the share of each summand; all are zero where all summands are zero."""


class Marking(Semiring):
    """A semiring whose reverse pass marks the parts of a derivation.

    Pulling a total back from a seed gives cotangents of the features: one for each part used, else
    zero.
    """

    @abstractmethod
    def seeds(self, a: Value) -> Value:
        """Return cotangents that mark the derivations of totals, optionally with leading ranks."""


class Stochastic(Semiring):
    """A semiring whose reverse pass samples a derivation; its laws hold in distribution."""

    @abstractmethod
    def seed(self, key: jax.Array, shape: tuple[int, ...], dtype: DTypeLike = jnp.float32) -> Value:
        """Return the cotangent of a total that starts one sample for each entry.

        Args:
            key: the same key gives the same sample.
            shape: of the total, optionally with leading axes to map the pullback over.
        """


def require_selective(base: Semiring) -> None:
    """Raise ``TypeError`` unless a semiring is ``Selective``."""
    if not isinstance(base, Selective):
        raise TypeError(
            f"{base!r} is not selective: a sum need not be one of its summands; use viterbi or "
            "another semiring that 'semipunct semirings list' calls selective"
        )


def require_divisible(base: Semiring) -> None:
    """Raise ``TypeError`` unless a semiring is ``Divisible``."""
    if not isinstance(base, Divisible):
        raise TypeError(f"{base!r} is not divisible: use a semiring such as log or real")
