"""Reports of a training run: its progress, its result, and the error when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from semipunct.errors import SemipunctError
from semipunct.models.base import Array, Model
from semipunct.models.kind import PERPLEXITY, Criterion
from semipunct.wording import quantity

Phase = Literal["preparing", "training", "evaluating", "saving"]


class TrainingError(SemipunctError):
    """Training cannot continue: a number is no longer finite, or another process has ended."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        objective: the loss of the last batch, per slot.
        measure: the display name of the figure by which the best weights are selected.
        figure: its last value on the development examples.
        unscorable: development sentences with probability zero.
        counted: the unit of example sizes, if reported.
        size: the mean size of a training example.
    """

    phase: Phase
    visits: int
    total: int
    objective: float | None = None
    measure: str = PERPLEXITY.label
    figure: float | None = None
    best: float | None = None
    unscorable: int = 0
    seconds: float = 0.0
    counted: str = ""
    size: float = 0.0


@dataclass(frozen=True, slots=True, repr=False)
class TrainingResult:
    """The result of a run; tasks accept it as a model with its weights.

    Attributes:
        parameters: the weights that are best on the development sentences.
        metrics: one entry per evaluation.
        best: the entry of the best evaluation.
        interrupted: whether ``stop`` ended the run.
        stopped_early: whether patience ran out.
        compile_seconds: the time of the first call of each shape.
    """

    model: Model
    parameters: Mapping[str, Array]
    metrics: tuple[dict[str, Any], ...]
    best: dict[str, Any]
    visits: int
    interrupted: bool
    stopped_early: bool
    compiled_shapes: int
    compile_seconds: float
    seconds: float
    criterion: Criterion = PERPLEXITY

    def __repr__(self) -> str:
        figure = self.criterion.of(self.best)
        figure_text = (
            "not evaluated" if figure is None else f"dev {self.criterion.label} {figure:.4f}"
        )
        how = ", interrupted" if self.interrupted else ", stopped early" * self.stopped_early
        visits = quantity(self.visits, "visit")
        return f"<TrainingResult: {self.model.kind}, {figure_text}, {visits}{how}>"
