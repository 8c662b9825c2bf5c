"""Abstract base classes for capabilities that only some semirings have.

A semiring built on another requires them by type: ``Derivation(Log())`` is rejected by type
checkers, and raises a ``TypeError`` that gives the reason. The closure ``Semiring.star`` is
declared in ``laws`` instead, because a product has one only if both of its factors do, which a
class cannot express.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from semirings.base import Semiring, Value


class Selective(Semiring):
    """A semiring whose sums return one of their summands (the path property).

    It declares ``laws.selective``. A best derivation exists, and ``select`` returns its index.
    """

    @abstractmethod
    def select(self, a: Value, axis: int) -> jax.Array:
        """Return the index of the summand that ``sum`` returns, the first in a tie.

        Args:
            a: values, not empty along the axis.
            axis: the axis that ``sum`` would remove.

        Returns:
            Integers of the shape of the sum.
        """


class Divisible(Semiring):
    """A semiring in which each summand is a numeric share of the sum.

    Mohri (2009), Weighted automata algorithms, calls it weakly divisible: ``a = (a + b) c`` for
    some c. Here c is a real number.
    """

    @abstractmethod
    def shares(self, a: Value, axis: int) -> jax.Array:
        """Return the share of each summand in the sum along one axis.

        Args:
            a: values.
            axis: the axis that ``sum`` would remove.

        Returns:
            Numbers of the shape of ``a`` that sum to one, or are all zero where all summands are
            zero.
        """


class Marking(Semiring):
    """A semiring whose reverse pass marks the parts of a derivation.

    Pulling a total back from one of its seeds gives the derivation as the cotangent of the features
    of the lifted weights: one for each part that the derivation uses, zero for the others.
    """

    @abstractmethod
    def seeds(self, a: Value) -> Value:
        """Return the cotangents of totals that mark their derivations.

        Args:
            a: totals.

        Returns:
            A value of the shape of ``a``, or with a leading axis of ranks, best first.
        """


class Stochastic(Semiring):
    """A semiring whose reverse pass samples a derivation; its laws hold in distribution.

    It declares ``laws.in_distribution``.
    """

    @abstractmethod
    def seed(self, key: jax.Array, shape: tuple[int, ...], dtype: DTypeLike = jnp.float32) -> Value:
        """Return the cotangent of a total that starts one sample for each entry.

        Args:
            key: a random key; the same key gives the same sample.
            shape: the shape of the total, optionally with leading axes over which the pullback is
                mapped.
            dtype: the dtype of the log weights of the total.
        """


def require_selective(base: Semiring) -> None:
    """Check that the sums of a semiring select one of their summands.

    Raises:
        TypeError: if the semiring is not ``Selective``.
    """
    if not isinstance(base, Selective):
        raise TypeError(
            f"{base!r} is not selective: a sum need not be one of its summands; use viterbi or "
            "another semiring that 'semipunct semirings list' calls selective"
        )


def require_divisible(base: Semiring) -> None:
    """Check that the summands of a semiring have shares in their sum.

    Raises:
        TypeError: if the semiring is not ``Divisible``.
    """
    if not isinstance(base, Divisible):
        raise TypeError(f"{base!r} is not divisible: use a semiring such as log or real")
