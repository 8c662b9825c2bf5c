"""Settings of the parser of categorial grammar and of its training, and its registry entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from semipunct.models import kind
from semipunct.models.settings import AtLeastOne, NotNegative, Positive, Share

EPOCHS = 12
"""Passes over the training sentences."""

LeftCommas = Literal["observed", "all", "both", "none"]


@dataclass(frozen=True, slots=True)
class CcgOptions:
    """Everything that decides the shape of a parser.

    Attributes:
        size: of embeddings and of the layers of the supertagger.
        layers: convolutions; layer i sees 2^i words to either side.
        minimum_count: rarer words are known by their beginnings, ends and shapes alone.
        left_commas: rules by which a category takes a comma on its left and stays what it is: those
            that were ``observed``; ``all``, of each category that takes one on either side;
            ``both``, the same and likewise for commas on its right; or ``none``.
        heads: whether items of charts have heads, and rules weights for these.
    """

    size: AtLeastOne = 96
    layers: AtLeastOne = 3
    minimum_count: AtLeastOne = 2
    left_commas: LeftCommas = "observed"
    heads: bool = False


@dataclass(frozen=True, slots=True)
class CcgTrainOptions(kind.NetworkTrainOptions):
    """Settings of training that other kinds do not share, and defaults that differ.

    Attributes:
        unknown: share of words that a step takes for unknown ones.
        l2: half of this times the squared weights of rules is added to the loss of a sentence.
    """

    batch_size: AtLeastOne = 24
    learning_rate: Positive = 3e-3
    dropout: Share = 0.3
    unknown: Share = 0.1
    l2: NotNegative = 1e-3

    evaluations: ClassVar[int] = 4
    epochs: ClassVar[int] = EPOCHS


KIND = kind.Kind(
    name="ccg-parser",
    model="semipunct.models.ccg.parser:CcgModel",
    model_options=CcgOptions,
    train_options=CcgTrainOptions,
    criterion=kind.Criterion("category_accuracy", "accuracy of categories", highest=True),
    assess="semipunct.models.ccg.supertags:figures",
    examples="semipunct.formats.ccgbank:read_derived_sentences",
    predicts="derivations",
)
