"""Settings of the slot taggers and of their training, and their entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Positive, Share

EPOCHS = 20
"""Passes over the training sentences; an evaluation follows each, and the best weights are kept."""


@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Settings that determine the architecture of a tagger.

    Attributes:
        network: ``crf``, a BiLSTM and a linear chain over slots (Xu et al. 2016), or
            ``attention``, a BiGRU with an attentive decoder (Tilk and Alumäe 2016).
        word: size of the embeddings of word forms.
        suffix: size of the embeddings of their suffixes.
        tag: size of the embeddings of part-of-speech tags.
        xpos: size of the embeddings of language-specific tags.
        written: size of the embeddings of the strings that a writer put into the slots, for
            correcting them (Li, Wang and Eisner 2019, section 6.2); 0 for a network that does not
            use them.
        hidden: size of a recurrent state, in each direction.
        minimum_token_count: rarer tokens become UNK, as in the punctuation model.
        minimum_string_count: rarer strings of slots are not tags of their own.
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
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        word_dropout: fraction of word forms replaced by the unknown form in a training step.
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
