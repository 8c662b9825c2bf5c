"""Settings of the tokeniser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Positive, Share, meant

EPOCHS = 8
"""Passes over the training passages."""

LEAST = 6000
"""Visits of a treebank so small that as many passes are too few."""

GUISES = ("written", "lower", "stripped")
"""The ways in which ``semipunct.models.segmentation.guises`` writes a passage."""


def _unknown_guise(names: tuple[str, ...]) -> str | None:
    for name in names:
        if name not in GUISES:
            return (
                f"there is no guise {name!r}{meant(name, GUISES)}; choose of: {', '.join(GUISES)}"
            )
    return None if names and len({*names}) == len(names) else "name one or more guises, each once"


@dataclass(frozen=True, slots=True)
class TokeniserOptions:
    """Everything that decides the shape of a tokeniser.

    Attributes:
        size: of embeddings and of the layers.
        layers: convolutions; layer i sees 2^i characters to either side.
        guises: in which every passage is learnt: as it is ``written``, the same in ``lower`` case,
            or ``stripped`` of marks and capitals, as transcripts of speech are.
        minimum_count: rarer characters are known by their class alone.
        minimum_run_count: rarer words are known by their characters alone, rarer pairs of
            characters likewise.
    """

    size: AtLeastOne = 64
    layers: AtLeastOne = 5
    guises: Annotated[tuple[str, ...], Check(_unknown_guise)] = ("written", "stripped")
    minimum_count: AtLeastOne = 2
    minimum_run_count: AtLeastOne = 3


@dataclass(frozen=True, slots=True)
class TokeniserTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        unknown: share of characters that a step takes for unknown ones.
        unknown_words: share of the words that characters are told of.
    """

    batch_size: AtLeastOne = 16
    learning_rate: Positive = 4e-3
    unknown: Share = 0.01
    unknown_words: Share = 0.3

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
    assess="semipunct.models.segmentation.figures:figures",
    examples="semipunct.formats.conllu.passages:read_passages",
    unit="passage",
    predicts="tokens and sentences",
)
