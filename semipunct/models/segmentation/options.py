"""Settings of the tokeniser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from semipunct.errors import suggest
from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Decay, Positive, Share

EPOCHS = 8
"""Passes over the training passages."""

LEAST = 6000
"""The minimum number of visits, for treebanks so small that this many passes are too few."""

GUISES = ("written", "lower", "stripped")
"""The guises in which ``semipunct.models.segmentation.guises`` writes a passage."""


def _unknown_guise(names: tuple[str, ...]) -> str | None:
    for name in names:
        if name not in GUISES:
            return (
                f"there is no guise {name!r}{suggest(name, GUISES)}; choose of: {', '.join(GUISES)}"
            )
    return None if names and len({*names}) == len(names) else "name one or more guises, each once"


@dataclass(frozen=True, slots=True)
class TokeniserOptions:
    """Settings that determine the architecture of a tokeniser.

    Attributes:
        size: size of the embeddings and of the layers.
        layers: number of convolutions; layer i sees 2^i characters to either side.
        guises: the guises of every passage in training: as ``written``, in ``lower`` case, or
            ``stripped`` of marks and capitals, like transcripts of speech.
        minimum_count: rarer characters are represented by their class alone.
        minimum_run_count: rarer words are represented by their characters alone; likewise rarer
            pairs of characters.
    """

    size: AtLeastOne = 64
    layers: AtLeastOne = 5
    guises: Annotated[tuple[str, ...], Check(_unknown_guise)] = ("written", "stripped")
    minimum_count: AtLeastOne = 2
    minimum_run_count: AtLeastOne = 3


@dataclass(frozen=True, slots=True)
class TokeniserTrainOptions(kind.NetworkTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        unknown: fraction of characters replaced by the unknown character in a training step.
        unknown_words: fraction of the words in character properties replaced in the same way.
        average: decay of the running mean of the weights, which is the result of training.
    """

    batch_size: AtLeastOne = 16
    learning_rate: Positive = 4e-3
    dropout: Share = 0.4
    unknown: Share = 0.01
    unknown_words: Share = 0.3
    average: Decay = 0.995

    evaluations: ClassVar[int] = EPOCHS
    epochs: ClassVar[int] = EPOCHS

    def suggested_visits(self, sentences: int) -> int:
        return max(self.epochs * sentences, LEAST)


KIND = kind.Kind(
    name="tokeniser",
    model="semipunct.models.segmentation.tokeniser:Tokeniser",
    model_options=TokeniserOptions,
    train_options=TokeniserTrainOptions,
    criterion=kind.Criterion("f1", "F1 of tokens and sentences", highest=True),
    assess="semipunct.models.segmentation.segmenter:figures",
    examples="passages",
    unit="passage",
    predicts="tokens and sentences",
)
