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
    """Settings that determine the architecture of an ordering model.

    Attributes:
        minimum_count: features that occur in fewer pairs have no weight.
        underlying: whether relations are distinguished by the punctemes that a constituent has in
            an underlying tree, which is then required (``Sentence.underlying``).
    """

    minimum_count: AtLeastOne = 2
    underlying: bool = False


@dataclass(frozen=True, slots=True)
class OrderingTrainOptions(kind.SharedTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        l2: L2 coefficient: half of it times the squared norm of the weights is added to the mean
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
    model="semipunct.papers.rephrasing.model:OrderingModel",
    model_options=OrderingOptions,
    train_options=OrderingTrainOptions,
    criterion=kind.Criterion("perplexity", "perplexity of the order of a node"),
    assess="semipunct.papers.rephrasing.model:figures",
    predicts="the order of dependents",
    underlying="semipunct.papers.rephrasing.task:add_underlying_trees",
)
