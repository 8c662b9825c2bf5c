"""Settings of the ordering model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, NotNegative, Positive

EPOCHS = 5


@dataclass(frozen=True, slots=True)
class OrderingOptions:
    """Architecture of an ordering model.

    Attributes:
        minimum_count: features of fewer pairs have no weight.
        underlying: whether relations include the punctemes of ``Sentence.underlying``.
    """

    minimum_count: AtLeastOne = 2
    underlying: bool = False


@dataclass(frozen=True, slots=True)
class OrderingTrainOptions(kind.SharedTrainOptions):
    """Training settings of ordering models.

    Attributes:
        l2: coefficient of half the squared norm of the weights.
    """

    learning_rate: Positive = 0.01
    patience: Count = 0
    l2: NotNegative = 1e-4

    evaluations: ClassVar[int] = EPOCHS

    def suggested_visits(self, sentences: int) -> int:
        return EPOCHS * sentences


KIND = kind.Kind(
    name="ordering",
    model="semipunct.papers.rephrasing.model:OrderingModel",
    model_options=OrderingOptions,
    train_options=OrderingTrainOptions,
    criterion=kind.Criterion("perplexity", "perplexity of the order of a node"),
    assess="semipunct.papers.rephrasing.model:figures",
    predicts="the order of dependents",
    underlying="semipunct.papers.rephrasing.task:add_underlying_trees",
)
