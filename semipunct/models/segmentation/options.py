"""Settings and registry entry of the tokeniser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from semipunct.errors import suggest
from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Check, Decay, Positive, Share

EPOCHS = 8
LEAST = 6000
"""The minimum number of visits, for small treebanks."""

GUISES = ("written", "stripped")


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
        layers: number of convolutions; layer i sees 2^i characters on either side.
        guises: of every passage in training: as ``written``, or ``stripped`` of marks and capitals.
        minimum_count: rarer characters are represented by their class only.
        minimum_run_count: rarer words and pairs of characters are represented by characters only.
    """

    size: AtLeastOne = 64
    layers: AtLeastOne = 5
    guises: Annotated[tuple[str, ...], Check(_unknown_guise)] = ("written", "stripped")
    minimum_count: AtLeastOne = 2
    minimum_run_count: AtLeastOne = 3


@dataclass(frozen=True, slots=True)
class TokeniserTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the tokeniser.

    Attributes:
        unknown: fraction of characters replaced by the unknown character.
        unknown_words: the same for the words in character properties.
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
