"""The accuracy of classifying questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from semipunct.evaluation import Column, Count, Figures, Measure, Number, Ratio, Statistics


class QuestionFigures(Figures, frozen=True):
    """Numbers of sentences and of questions, and the accuracy."""

    accuracy: Annotated[Ratio, Meta(title="accuracy")]
    questions: Number
    sentences: Number


@dataclass(frozen=True, slots=True, eq=False)
class QuestionStatistics(Statistics):
    """Whether each sentence is a question, and is classified correctly, ``[sentences]``."""

    task: ClassVar[str] = "questions"
    columns: ClassVar[Mapping[str, Column]] = {"asked": Count(given=True), "right": Count()}
    measures: ClassVar[tuple[Measure, ...]] = (Measure("accuracy", "accuracy", ("right",)),)

    asked: np.ndarray
    right: np.ndarray

    def figures(self) -> QuestionFigures:
        return QuestionFigures(
            **self.evaluate_measures(), questions=int(self.asked.sum()), sentences=len(self.asked)
        )
