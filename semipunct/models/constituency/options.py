"""Settings of the constituency parser and of its training, and its entry in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Decay, NotNegative, Positive, Share

EPOCHS = 20
"""Passes over the training sentences."""


@dataclass(frozen=True, slots=True)
class PhraseParserOptions:
    """Settings that determine the architecture of a constituency parser.

    Attributes:
        commas: whether commas are part of the input; otherwise they are removed first, as they are
            missing from text whose commas are to be restored.
        word: size of the embeddings of word forms.
        ngram: size of the embeddings of character n-grams.
        hidden: size of a word's state in each layer of the encoder, half for each direction.
        layers: number of layers of the encoder.
        tag_layers: number of layers after which parts of speech are predicted; they are input of
            the other layers.
        span: size of the representation of a span for scoring its labels.
        minimum_word_count: rarer forms have no embedding of their own.
        minimum_ngram_forms: n-grams of fewer distinct forms have no embedding.
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
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        batch_size: number of sentences in a batch if they have 24 words; otherwise, the same total
            number of words.
        word_dropout: fraction of word forms replaced by the unknown form in a training step.
        tags: weight of the part-of-speech term of the objective, relative to that of the tree.
        average: decay of the running mean of the weights, which is the result of training.
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
    examples="phrases",
)
