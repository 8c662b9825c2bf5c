"""Settings and registry entry of the parser."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.corpus.examples import ExampleType
from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Decay, NotNegative, Positive, Share

Decoder = Literal["risk", "best"]
"""Minimum Bayes risk, or the most probable tree."""

Shapes = Literal["projective", "nonprojective"]

_EPOCHS = 21.5  # passes over a treebank of medium size

# Limits of the number of visits, as factors of the square root of the number of sentences.
_LEAST, _MOST = 1300, 2500


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """Settings that determine the architecture of a parser.

    Attributes:
        hidden: size of a word's state in each layer, half for each direction.
        tag_layers: number of layers below the tags, which are input of the layers above.
        arc: size of the representations of heads and dependents for scoring arcs.
        relation: the same for scoring relations.
        slot: size of the representation of a slot for predicting its punctuation; 0 not to predict
            it.
        marks: whether punctuation is input instead, as a property of the words on both sides (Ma,
            Zhang and Zhu 2014); such a parser cannot be used for restoring punctuation.
        minimum_word_count: rarer forms have no embedding.
        minimum_ngram_forms: n-grams of fewer distinct forms have no embedding.
        trees: whether arcs may cross. Crossing arcs are lifted in training and evaluation of a
            parser of projective trees, and in nonprojective trees that are input of another model.
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
    trees: Shapes = "projective"

    @property
    def examples(self) -> ExampleType:
        return "sentences" if self.trees == "projective" else "sentences with crossing arcs"

    @property
    def predicts_slots(self) -> bool:
        """Whether the punctuation between words is predicted."""
        return self.slot > 0 and not self.marks


@dataclass(frozen=True, slots=True)
class ParserTrainOptions(kind.NetworkTrainOptions):
    """Training settings of the parser.

    Attributes:
        batch_size: sentences of 24 words in a batch; otherwise the same total number of words.
        word_dropout: fraction of forms replaced by the unknown form.
        tags: weight of the tagging loss, relative to trees with relations.
        punctuation: weight of the loss for the punctuation between words, a target but not an
            input.
    """

    batch_size: AtLeastOne = 32
    learning_rate: Positive = 3e-3
    weight_decay: NotNegative = 0.1
    dropout: Share = 0.4
    word_dropout: Share = 0.25
    tags: NotNegative = 1.0
    punctuation: NotNegative = 0.5
    average: Decay = 0.998

    evaluations: ClassVar[int] = 5

    def suggested_visits(self, sentences: int) -> int:
        root = math.sqrt(sentences)
        visits = min(max(_EPOCHS * sentences, _LEAST * root), _MOST * root)
        return 1000 * max(1, round(visits / 1000))


KIND = kind.Kind(
    name="parser",
    model="semipunct.models.parsing.parser:Parser",
    model_options=ParserOptions,
    train_options=ParserTrainOptions,
    criterion=kind.Criterion("las", "LAS", highest=True),
    predicts="trees and tags",
    assess="semipunct.models.parsing.decoding:attachment",
)
