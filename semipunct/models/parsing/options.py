"""Settings of the parser and of its training, and its entry in the registry."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Decay, NotNegative, Positive, Share

_VISITS = 1700
"""Visits for each square root of the number of training sentences: 15 epochs of 12,500."""


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """Everything that decides the shape of a parser.

    Attributes:
        word: size of the embeddings of word forms.
        ngram: size of the embeddings of character n-grams.
        hidden: size of a word's state in each layer of the encoder, half for each direction.
        layers: of the encoder.
        tag_layers: after how many of them tags are predicted; the other layers read what they are.
        arc: size of a word as head, and as dependent, when arcs are scored.
        relation: the same when relations are.
        slot: size of the place between two words when its punctuation is predicted; 0 to predict
            none.
        marks: whether punctuation is read instead, as a property of the words on both sides (Ma,
            Zhang and Zhu 2014): for text that has its marks. Nothing is restored with such a
            parser.
        minimum_word_count: rarer forms have no embedding of their own.
        minimum_ngram_forms: n-grams of fewer different forms have none.
    """

    word: AtLeastOne = 128
    ngram: AtLeastOne = 128
    hidden: AtLeastOne = 256
    layers: AtLeastOne = 4
    tag_layers: AtLeastOne = 2
    arc: AtLeastOne = 256
    relation: AtLeastOne = 192
    slot: Count = 128
    marks: bool = False
    minimum_word_count: AtLeastOne = 2
    minimum_ngram_forms: AtLeastOne = 2

    @property
    def predicts_slots(self) -> bool:
        """Tell whether the punctuation between words is predicted."""
        return self.slot > 0 and not self.marks


@dataclass(frozen=True, slots=True)
class ParserTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        batch_size: sentences of 24 words in a batch, or as many words in others.
        word_dropout: share of word forms that a step takes for unknown ones.
        tags: weight of the tags in the objective, where the tree with its relations has 1.
        punctuation: weight of the punctuation between words, which training sees and the network
            does not read.
        average: share of the mean of the weights so far in the mean after a step; the mean is what
            is used.
    """

    batch_size: AtLeastOne = 32
    learning_rate: Positive = 3e-3
    dropout: Share = 0.4
    word_dropout: Share = 0.25
    tags: NotNegative = 0.5
    punctuation: NotNegative = 0.5
    average: Decay = 0.998

    evaluations: ClassVar[int] = 5

    def suggested_visits(self, sentences: int) -> int:
        """Return how many visits suit a treebank: fewer of each sentence, the larger it is."""
        return 1000 * max(1, round(_VISITS * math.sqrt(sentences) / 1000))


KIND = kind.Kind(
    name="parser",
    model="semipunct.models.parsing.parser:Parser",
    model_options=ParserOptions,
    train_options=ParserTrainOptions,
    criterion=kind.Criterion("las", "LAS", highest=True),
    predicts="trees and tags",
    assess="semipunct.models.parsing.assessment:attachment",
)
