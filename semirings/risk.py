"""Minimum risk training: the expected loss under an annealed distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax

from semirings.base import Laws
from semirings.capabilities import Divisible, require_divisible
from semirings.expectation import Averaging, Moments, averaged_laws
from semirings.log import Log


@dataclass(frozen=True)
class Risk(Averaging):
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
        laws = averaged_laws(self.base, star=self.base.laws.star)
        if self.gamma == 1:
            return laws
        annealed = {
            "read back": "weights are read as they are, annealed",
            "balance restores": "lifted again, the factor is annealed again",
        }
        return replace(laws, broken=laws.broken | annealed)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Moments:
        return super().lift(self.gamma * log_weight, feature)
