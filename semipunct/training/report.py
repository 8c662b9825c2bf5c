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
        phase: the phase of the run.
        visits: sentence visits done.
        total: sentence visits in total.
        objective: the loss of the last batch, per slot; None before the first.
        measure: the display name of the figure by which the best weights are selected.
        figure: that figure on the development examples at the last evaluation; None before the
            first.
        best: the best value of that figure so far.
        unscorable: the number of development sentences with probability zero.
        seconds: the wall-clock time.
        counted: what the size of an example counts, if progress is told in it; otherwise empty.
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
    """The result of a run in memory; tasks accept it as a model with its weights.

    Attributes:
        model: the model without its weights.
        parameters: the weights in the folder: the best on the development sentences.
        metrics: one entry per evaluation.
        best: the entry of the best evaluation; empty before the first.
        visits: sentence visits done.
        interrupted: whether ``stop`` ended the run.
        stopped_early: whether patience ran out.
        compiled_shapes: the number of shapes compiled in this process, for training and evaluation.
        compile_seconds: the wall-clock time of the first call of each shape: tracing, lowering and
            XLA.
        seconds: the wall-clock time of the whole run.
        criterion: the criterion by which the best entry was selected.
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
