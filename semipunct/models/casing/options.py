"""Settings of the truecaser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Positive, Share

EPOCHS = 5
"""Passes over the training sentences."""


@dataclass(frozen=True, slots=True)
class TruecaserOptions:
    """Everything that decides the shape of a truecaser.

    Attributes:
        size: of embeddings and of the layers.
        layers: convolutions; layer i sees 2^i words to either side.
        minimum_count: rarer words are known by their ends alone.
    """

    size: AtLeastOne = 48
    layers: AtLeastOne = 2
    minimum_count: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class TruecaserTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        unknown: share of words that a step takes for unknown ones.
    """

    learning_rate: Positive = 4e-3
    unknown: Share = 0.1

    evaluations: ClassVar[int] = EPOCHS
    epochs: ClassVar[int] = EPOCHS


KIND = kind.Kind(
    name="truecaser",
    model="semipunct.models.casing.truecaser:Truecaser",
    model_options=TruecaserOptions,
    train_options=TruecaserTrainOptions,
    criterion=kind.Criterion("accuracy", "accuracy of capitals", highest=True),
    assess="semipunct.models.casing.restorer:figures",
    predicts="capitals",
)
