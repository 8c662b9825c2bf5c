"""Minimum risk training: the expected loss under an annealed distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax

from semirings.base import Laws, Semiring
from semirings.capabilities import Divisible, require_divisible
from semirings.expectation import Expectation, Moments
from semirings.log import Log


@dataclass(frozen=True)
class Risk(Semiring):
    """The expectation of an additive loss where every log weight is multiplied by ``gamma``.

    With gamma, the inverse temperature, the risk tends to the loss of the best derivation. Smith
    and Eisner (2006), equation 1; Li and Eisner (2009), section 6.2.
    """

    base: Divisible = Log()
    gamma: float = 1.0

    name: ClassVar[str] = "risk"

    def __post_init__(self) -> None:
        if not self.gamma > 0:
            raise ValueError(f"gamma is {self.gamma}; give a positive inverse temperature")
        require_divisible(self.base)

    @property
    def laws(self) -> Laws:
        laws = self._average.laws
        if self.gamma == 1:
            return laws
        annealed = {
            "read back": "weights are read as they are, annealed",
            "balance restores": "lifted again, the factor is annealed again",
        }
        return replace(laws, broken=laws.broken | annealed)

    @property
    def _average(self) -> Expectation:
        return Expectation(self.base)

    def zeros(self, shape: tuple[int, ...]) -> Moments:
        return self._average.zeros(shape)

    def ones(self, shape: tuple[int, ...]) -> Moments:
        return self._average.ones(shape)

    def plus(self, a: Moments, b: Moments) -> Moments:
        return self._average.plus(a, b)

    def times(self, a: Moments, b: Moments) -> Moments:
        return self._average.times(a, b)

    def sum(self, a: Moments, axis: int) -> Moments:
        return self._average.sum(a, axis)

    def star(self, a: Moments) -> Moments:
        return self._average.star(a)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Moments:
        return self._average.lift(self.gamma * log_weight, feature)

    def log_weight(self, a: Moments) -> jax.Array:
        return self._average.log_weight(a)

    def expected_value(self, a: Moments) -> jax.Array:
        """Return the risk; zero where the weight is zero."""
        return self._average.expected_value(a)

    def observe(self, a: Moments) -> Any:
        return self._average.observe(a)

    def balance(self, a: Moments, axes: tuple[int, ...]) -> tuple[Moments, jax.Array]:
        return self._average.balance(a, axes)
