"""Settings of the slot taggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Positive, Share

EPOCHS = 20


@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Architecture of a slot tagger.

    Attributes:
        network: ``crf``, a BiLSTM and a linear chain over slots (Xu et al. 2016), or ``attention``,
            a BiGRU with an attentive decoder (Tilk and Alumäe 2016).
        word, suffix, tag, xpos: sizes of embeddings.
        written: size of embeddings of written strings, for correction (Li, Wang and Eisner 2019,
            section 6.2); 0 for none.
        hidden: size of a recurrent state, in each direction.
        minimum_token_count: rarer tokens become UNK, as in the punctuation model.
        minimum_string_count: rarer strings are not tags.
    """

    network: Literal["crf", "attention"] = "crf"
    word: AtLeastOne = 100
    suffix: AtLeastOne = 24
    tag: AtLeastOne = 24
    xpos: AtLeastOne = 24
    written: Count = 0
    hidden: AtLeastOne = 128
    minimum_token_count: AtLeastOne = 5
    minimum_string_count: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class TaggerTrainOptions(kind.NetworkTrainOptions):
    """Training settings of slot taggers.

    Attributes:
        word_dropout: share of word forms replaced by the unknown form.
    """

    learning_rate: Positive = 2e-3
    dropout: Share = 0.4
    word_dropout: Share = 0.1

    evaluations: ClassVar[int] = EPOCHS
    epochs: ClassVar[int] = EPOCHS


KIND = kind.Kind(
    name="slot-tagger",
    tasks="semipunct.papers.analysis.tagger:TASKS",
    model="semipunct.papers.analysis.tagger:SlotTagger",
    model_options=TaggerOptions,
    train_options=TaggerTrainOptions,
    presets=("crf", "attention", "correction"),
    corrected="optionally",
)
