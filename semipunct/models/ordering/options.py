"""Settings of the ordering model and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, NotNegative, Positive

EPOCHS = 5
"""Passes over the training sentences."""


@dataclass(frozen=True, slots=True)
class OrderingOptions:
    """Everything that decides the shape of an ordering model.

    Attributes:
        minimum_count: features of fewer pairs have no weight.
        underlying: whether relations are told apart by the punctemes that a constituent has in an
            underlying tree, which sentences then must have (``Sentence.underlying``).
    """

    minimum_count: AtLeastOne = 2
    underlying: bool = False


@dataclass(frozen=True, slots=True)
class OrderingTrainOptions(kind.SharedTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        l2: of a penalty, half of this times the squared norm of the weights, added to the mean
            negative log-likelihood of a node.
    """

    learning_rate: Positive = 0.01
    patience: Count = 0
    l2: NotNegative = 1e-4

    evaluations: ClassVar[int] = EPOCHS

    def suggested_visits(self, sentences: int) -> int:
        return EPOCHS * sentences


KIND = kind.Kind(
    name="ordering",
    model="semipunct.models.ordering.model:OrderingModel",
    model_options=OrderingOptions,
    train_options=OrderingTrainOptions,
    criterion=kind.Criterion("perplexity", "perplexity of the order of a node"),
    assess="semipunct.models.ordering.model:figures",
    predicts="the order of dependents",
)
