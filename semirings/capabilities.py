"""Capabilities that only some semirings have, as abstract classes to derive from.

A semiring that is made of another asks for them by type: ``Derivation(Log())`` is refused by type
checkers, and by a ``TypeError`` that says why. The closure ``Semiring.star`` is declared in
``laws`` instead: a product has one if both of its factors do, which no class can say.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike

from semirings.base import Semiring, Value


class Selective(Semiring):
    """A semiring whose sums return one of their summands (the path property).

    It declares ``laws.selective``. A best derivation exists, and ``select`` says which one it is.
    """

    @abstractmethod
    def select(self, a: Value, axis: int) -> jax.Array:
        """Return the index of the summand that ``sum`` returns, the first of equals.

        Args:
            a: values, not empty along the axis.
            axis: the axis that ``sum`` would remove.

        Returns:
            Integers of the shape of the sum.
        """


class Divisible(Semiring):
    """A semiring whose sums consist of parts: each summand is a share of the sum.

    Mohri (2009), Weighted automata algorithms, calls it weakly divisible: ``a = (a + b) c`` for
    some c. Here c is a number.
    """

    @abstractmethod
    def shares(self, a: Value, axis: int) -> jax.Array:
        """Return the share of each summand in the sum along one axis.

        Args:
            a: values.
            axis: the axis that ``sum`` would remove.

        Returns:
            Numbers of the shape of ``a`` that sum to one, or are all zero where nothing has weight.
        """


class Marking(Semiring):
    """A semiring whose reverse pass marks the parts of derivations.

    A derivation is the cotangent of the features of lifted weights when a total is pulled back
    from one of its seeds: one for each part that was used, zero for the others.
    """

    @abstractmethod
    def seeds(self, a: Value) -> Value:
        """Return the cotangents of totals that mark their derivations.

        Args:
            a: totals.

        Returns:
            A value of the shape of ``a``, or with an axis of ranks in front, best first.
        """


class Stochastic(Semiring):
    """A semiring whose reverse pass draws a derivation; its laws hold in distribution.

    It declares ``laws.in_distribution``.
    """

    @abstractmethod
    def seed(self, key: jax.Array, shape: tuple[int, ...], dtype: DTypeLike = jnp.float32) -> Value:
        """Return the cotangent of a total that starts one draw for each entry.

        Args:
            key: a random key; the same key draws the same.
            shape: of the total, perhaps with further axes in front that the pullback is mapped
                over.
            dtype: of the total's log weights.
        """


def require_selective(base: Semiring) -> None:
    """Refuse a semiring whose sums have no single winner.

    Raises:
        TypeError: if the semiring is not ``Selective``.
    """
    if not isinstance(base, Selective):
        raise TypeError(
            f"{base!r} is not selective: its sums have no single winner; viterbi has, and so has "
            "every semiring that 'semipunct semirings list' calls selective"
        )


def require_divisible(base: Semiring) -> None:
    """Refuse a semiring whose summands have no shares in their sum.

    Raises:
        TypeError: if the semiring is not ``Divisible``.
    """
    if not isinstance(base, Divisible):
        raise TypeError(f"the summands of {base!r} have no shares; those of log and real have")
