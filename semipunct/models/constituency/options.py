"""Settings of the parser of phrases and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Decay, NotNegative, Positive, Share

EPOCHS = 20
"""Passes over the training sentences."""


@dataclass(frozen=True, slots=True)
class PhraseParserOptions:
    """Everything that decides the shape of a parser of phrases.

    Attributes:
        commas: whether commas are words that are read; otherwise they are taken out first, as
            those of text whose commas are to be restored are not there.
        word: size of the embeddings of word forms.
        ngram: size of the embeddings of character n-grams.
        hidden: size of a word's state in each layer of the encoder, half for each direction.
        layers: of the encoder.
        tag_layers: after how many of them parts of speech are predicted; the other layers read
            what they are.
        span: size of a span when its labels are scored.
        minimum_word_count: rarer forms have no embedding of their own.
        minimum_ngram_forms: n-grams of fewer different forms have none.
    """

    commas: bool = False
    word: AtLeastOne = 96
    ngram: AtLeastOne = 96
    hidden: AtLeastOne = 192
    layers: AtLeastOne = 3
    tag_layers: AtLeastOne = 1
    span: AtLeastOne = 128
    minimum_word_count: AtLeastOne = 2
    minimum_ngram_forms: AtLeastOne = 2


@dataclass(frozen=True, slots=True)
class PhraseParserTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        batch_size: sentences of 24 words in a batch, or as many words in others.
        word_dropout: share of word forms that a step takes for unknown ones.
        tags: weight of parts of speech in the objective, where the tree has 1.
        average: share of the mean of the weights so far in the mean after a step; the mean is what
            is used.
    """

    batch_size: AtLeastOne = 16
    learning_rate: Positive = 3e-3
    dropout: Share = 0.3
    word_dropout: Share = 0.2
    tags: NotNegative = 0.5
    average: Decay = 0.998

    evaluations: ClassVar[int] = 5
    epochs: ClassVar[int] = EPOCHS


KIND = kind.Kind(
    name="phrase-parser",
    model="semipunct.models.constituency.parser:PhraseParser",
    model_options=PhraseParserOptions,
    train_options=PhraseParserTrainOptions,
    criterion=kind.Criterion("f1", "labelled F1 of phrases", highest=True),
    predicts="phrases and tags",
    assess="semipunct.models.constituency.decoding:brackets",
    examples="semipunct.formats.registry:read_whole_phrases",
)
