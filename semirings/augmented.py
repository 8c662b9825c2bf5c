"""Weights of a base semiring together with further quantities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax

from semirings.base import Semiring, Value


class Augmented(Semiring):
    """A semiring whose values are named tuples of a ``weight`` in the base, and further arrays.

    Attributes:
        base: the semiring of the weights.
    """

    base: Any

    @abstractmethod
    def augment(self, weight: Value) -> Value:
        """Return values of given weights, with zeros as the further arrays."""

    def zeros(self, shape: tuple[int, ...]) -> Value:
        return self.augment(self.base.zeros(shape))

    def ones(self, shape: tuple[int, ...]) -> Value:
        return self.augment(self.base.ones(shape))

    def log_weight(self, a: Value) -> jax.Array:
        return self.base.log_weight(a.weight)

    def observe(self, a: Value) -> Any:
        return self.base.observe(a.weight)

    def balance(self, a: Value, axes: tuple[int, ...]) -> tuple[Value, jax.Array]:
        weight, log_factor = self.base.balance(a.weight, axes)
        return a._replace(weight=weight), log_factor
