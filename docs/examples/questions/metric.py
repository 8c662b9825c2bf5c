"""The accuracy of telling questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from semipunct.evaluation import Column, Count, Measure, Statistics


@dataclass(frozen=True)
class QuestionFigures:
    """How many sentences are questions, and how many were told right."""

    sentences: int
    questions: int
    right: int

    def as_dict(self) -> dict[str, Any]:
        accuracy = self.right / self.sentences
        return {"sentences": self.sentences, "questions": self.questions, "accuracy": accuracy}

    def rows(self) -> list[tuple[str, str]]:
        return [("accuracy", f"{self.right / self.sentences:.4f}")]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionStatistics(Statistics):
    """Whether each sentence is a question, and whether it was told right, ``[sentences]``."""

    task: ClassVar[str] = "questions"
    columns: ClassVar[Mapping[str, Column]] = {"asked": Count(given=True), "right": Count()}
    measures: ClassVar[tuple[Measure, ...]] = (Measure("accuracy", "accuracy", ("right",)),)

    asked: np.ndarray
    right: np.ndarray

    def figures(self) -> QuestionFigures:
        return QuestionFigures(len(self.asked), int(self.asked.sum()), int(self.right.sum()))
