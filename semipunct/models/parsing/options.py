"""Settings of the parser and of its training, and its entry in the registry."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.corpus.examples import ExampleType
from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, Count, Decay, NotNegative, Positive, Share

Decoder = Literal["risk", "best"]
"""Ways to choose a tree: of minimum Bayes risk, or the most probable one."""

Shapes = Literal["projective", "nonprojective"]
"""Shapes of trees: no arcs cross, or any may."""

_EPOCHS = 21.5
"""Passes over a treebank of medium size."""

_LEAST, _MOST = 1300, 2500
"""Limits of the number of visits, as factors of the square root of the number of sentences: small
treebanks need more epochs, and large ones fewer."""


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """Settings that determine the architecture of a parser.

    Attributes:
        word: size of the embeddings of word forms.
        ngram: size of the embeddings of character n-grams.
        hidden: size of a word's state in each layer of the encoder, half for each direction.
        layers: number of layers of the encoder.
        tag_layers: number of layers after which tags are predicted; they are input of the other
            layers.
        arc: size of the representations of heads and dependents for scoring arcs.
        relation: the same for scoring relations.
        slot: size of the representation of a slot for predicting its punctuation; 0 to predict
            none.
        marks: whether punctuation is input instead, as a property of the words on both sides (Ma,
            Zhang and Zhu 2014). This is for text that contains its marks; such a parser cannot be
            used for restoring punctuation.
        minimum_word_count: rarer forms have no embedding of their own.
        minimum_ngram_forms: n-grams of fewer distinct forms have no embedding.
        trees: the shapes of trees. A parser of projective trees is trained and evaluated on trees
            whose crossing arcs are lifted, the other one on trees as annotated; where its trees are
            input of another model, their crossing arcs are lifted.
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
        """The type of the examples that the parser learns from."""
        return "sentences" if self.trees == "projective" else "sentences with crossing arcs"

    @property
    def predicts_slots(self) -> bool:
        """Tell whether the punctuation between words is predicted."""
        return self.slot > 0 and not self.marks


@dataclass(frozen=True, slots=True)
class ParserTrainOptions(kind.NetworkTrainOptions):
    """Training settings specific to this kind, and defaults that differ from the shared ones.

    Attributes:
        batch_size: number of sentences in a batch if they have 24 words; otherwise, the same total
            number of words.
        word_dropout: fraction of word forms replaced by the unknown form in a training step.
        tags: weight of the tagging term of the loss, relative to that of the tree with
            relations.
        punctuation: weight of the term for the punctuation between words, which is a training
            target but not an input of the network.
        average: decay of the running mean of the weights, which is the result of training.
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
        """Return a number of visits that suits a treebank of a given number of sentences."""
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
