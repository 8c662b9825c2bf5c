"""The figures by which training chooses the best weights of a model."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from semipunct.evaluation.figures import Figures, Number, Real
from semipunct.wording import figure

CRITERION = "criterion"
"""The task of these figures."""


class CriterionFigures(Figures, frozen=True):
    """The figures by which training chooses the best weights, without counts by sentence."""

    kind: Annotated[str, Meta(description="of model")]
    unit: Annotated[str, Meta(description="one example")]
    examples: Number
    figures: Annotated[dict[str, Real], Meta(description="null is infinite or undefined")]

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures for a table."""
        return [
            *((name.replace("_", " "), figure(value)) for name, value in self.figures.items()),
            (f"{self.unit}s", f"{self.examples:,}"),
        ]
