"""Minimum risk training: the expected loss under an annealed distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax

from semirings.expectation import Expectation, Moments
from semirings.laws_declared import Laws


@dataclass(frozen=True)
class Risk(Expectation):
    """The expectation of an additive loss where every log weight is multiplied by ``gamma``.

    With growing gamma the risk tends to the loss of the best derivation, and stays
    differentiable: ``jax.grad`` of ``expected`` is the gradient that minimum risk training needs.

    Source: Smith and Eisner (2006), equation 1; Li and Eisner (2009), section 6.2.

    Attributes:
        gamma: the inverse temperature.

    Raises:
        ValueError: if gamma is not positive.
    """

    gamma: float = 1.0

    name: ClassVar[str] = "risk"
    laws: ClassVar[Laws] = Laws()

    def __post_init__(self) -> None:
        """Refuse a temperature at which what is forbidden has weight."""
        super().__post_init__()
        if not self.gamma > 0:
            raise ValueError(f"gamma is {self.gamma}; an inverse temperature is positive")
        if self.gamma != 1:
            reason = "weights are read as they are, annealed"
            self.declare(broken=dict(self.laws.broken) | {"read back": reason})

    def lift(self, log_weight: jax.Array, counted: Any = None) -> Moments:
        """Attach the loss to the annealed weight."""
        return super().lift(self.gamma * log_weight, counted)
