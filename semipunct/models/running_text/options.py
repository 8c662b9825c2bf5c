"""Settings and registry entry of the text model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Decay, NotNegative, Positive, Share


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Settings that determine the architecture of a text model.

    Attributes:
        layers: number of pairs of a convolution over three words and a gated recurrence.
        words: number of frequent words with embeddings.
        ngrams: number of embeddings that prefixes and suffixes share by hashing.
        strings: number of frequent strings of marks, the outcomes of a slot.
    """

    size: AtLeastOne = 128
    layers: AtLeastOne = 2
    words: AtLeastOne = 30_000
    ngrams: AtLeastOne = 16_384
    strings: AtLeastOne = 64


@dataclass(frozen=True, slots=True)
class TextTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the text model.

    Attributes:
        unknown: fraction of words replaced by the unknown word.
        noisy: fraction of passages shown with errors in marks and capitals.
        divided: fraction of the other passages that show sentence ends, but no marks.
        lowered: fraction of the other passages in which lower case is hidden.
        named: fraction of these that show capitals, often without those of beginnings.
        bare: fraction of the other passages without marks; the rest show a random part of them.
    """

    batch_size: AtLeastOne = 16
    learning_rate: Positive = 2e-3
    weight_decay: NotNegative = 1e-3
    dropout: Share = 0.1
    unknown: Share = 0.02
    average: Decay = 0.998
    noisy: Share = 0.25
    divided: Share = 0.1
    lowered: Share = 0.8
    named: Share = 0.4
    bare: Share = 0.8

    epochs: ClassVar[int] = 3


KIND = kind.Kind(
    name="text",
    model="semipunct.models.running_text.model:TextModel",
    model_options=TextOptions,
    train_options=TextTrainOptions,
    examples="running text",
    unit="passage",
    counted="words",
    predicts="punctuation of running text",
)
