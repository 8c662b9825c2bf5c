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
    """Settings that determine the architecture of a truecaser.

    Attributes:
        size: size of the embeddings and of the layers.
        layers: number of convolutions; layer i sees 2^i words to either side.
        minimum_count: rarer words are represented by their suffixes alone.
    """

    size: AtLeastOne = 48
    layers: AtLeastOne = 2
    minimum_count: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class TruecaserTrainOptions(kind.NetworkTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        unknown: fraction of words replaced by the unknown word in a training step.
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
